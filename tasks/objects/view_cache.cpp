#include "tasks/objects/view_cache.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "core/base/files/files.h"
#include "core/base/system/folder_wait.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/objects/view_cache_file.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

constexpr const char* view_file_name = "views.data";
constexpr std::int64_t views_between_stops = 8;

void append_view_record(int descriptor, const std::string& bytes, std::uint64_t end, const std::string& where) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written =
        ::pwrite(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(end + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = errno;
      (void)!::ftruncate(descriptor, static_cast<off_t>(end));
      fail("Cannot write the cache of views {}: {}; free some space or choose another folder", where,
           std::strerror(error));
    }
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace

std::uint64_t mesh_key_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

std::string ViewSettings::text() const {
  return fmt::format(
      "format 1\nsource {}\nviews {}\nside {}\nchannels {}\nsamples {}\nelevation {} {}\nfield of view {}\nmargin "
      "{}\nseed {}\npurpose {}\n",
      source, views, options.side, options.channels, options.samples, cameras.lowest, cameras.highest,
      cameras.field_of_view, cameras.margin, seed, static_cast<std::uint32_t>(purpose));
}

fs::path view_cache_folder(const fs::path& folder, const ViewSettings& settings) {
  return folder / fmt::format("views-{:016x}", mesh_key_hash(settings.text()));
}

render::MeshCamera cached_camera(const ViewSettings& settings, const std::string& key, std::int64_t view) {
  return render::draw_mesh_camera(settings.seed, settings.purpose, mesh_key_hash(key) & 0xffffffffffffull,
                                  static_cast<std::uint64_t>(view), settings.cameras);
}

ViewCacheReport fill_view_cache(const fs::path& folder, const ViewSettings& settings,
                                const std::vector<std::string>& keys,
                                const std::function<TriangleMesh(std::size_t)>& mesh, const std::function<bool()>& stop,
                                const std::function<void(const ViewCacheProgress&)>& progress) {
  render::check_view_options(settings.options);
  render::check_camera_range(settings.cameras);
  PAIRS_CHECK(settings.views >= 1 && settings.views <= 100000, "A mesh cannot have {} cached views; choose 1 to 100000",
              settings.views);
  const fs::path own = view_cache_folder(folder, settings), file = own / view_file_name;
  const std::string where = printable(file.string(), 300);
  std::error_code error;
  fs::create_directories(own, error);
  PAIRS_CHECK(!error, "Cannot create the folder {} for rendered views: {}", printable(own.string(), 300),
              error.message());
  const std::unique_ptr<FolderLock> lock = wait_for_folder(own, stop);
  lock->remove_leftovers([](std::string_view name) { return name == view_file_name; });

  ViewCacheReport report;
  ViewFile held;
  if (!fs::exists(file)) write_file(file, pack_view_header(settings));
  Descriptor out(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  PAIRS_CHECK(out >= 0, "Cannot open the cache of views {}: {}", where, std::strerror(errno));
  try {
    held = scan_view_file(out, settings, where, true);
  } catch (const Error& damaged) {
    // Readers keep the old file; the new one replaces its name.
    report.damaged.push_back(damaged.what());
    write_file(file, pack_view_header(settings));
    const int replaced = ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    PAIRS_CHECK(replaced >= 0 && ::dup3(replaced, out, O_CLOEXEC) >= 0, "Cannot open the cache of views {}: {}", where,
                std::strerror(errno));
    ::close(replaced);
    held = scan_view_file(out, settings, where, true);
  }
  // Damage that has been repaired since is not reported.
  if (std::any_of(keys.begin(), keys.end(), [&](const std::string& key) { return !held.records.contains(key); }))
    report.damaged.insert(report.damaged.end(), held.damaged.begin(), held.damaged.end());
  PAIRS_CHECK(::ftruncate(out, static_cast<off_t>(held.end)) == 0, "Cannot write the cache of views {}: {}", where,
              std::strerror(errno));

  const std::int64_t side = settings.options.side, plane = side * side;
  std::vector<std::uint8_t> views(static_cast<std::size_t>(settings.views * plane));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!held.records.contains(keys[i])) {
      if (stop && stop()) throw Stopped();
      const render::MeshViews prepared(mesh(i));
      std::vector<render::MeshCamera> cameras;
      for (std::int64_t v = 0; v < settings.views; ++v) cameras.push_back(cached_camera(settings, keys[i], v));
      for (std::int64_t v = 0; v < settings.views; v += views_between_stops) {
        if (stop && stop()) throw Stopped();
        const auto count = static_cast<std::size_t>(std::min(views_between_stops, settings.views - v));
        prepared.render_gray(std::span(cameras).subspan(static_cast<std::size_t>(v), count), side,
                             settings.options.samples, views.data() + v * plane);
      }
      const std::string record = pack_view_record(keys[i], cameras, views.data(), side);
      append_view_record(out, record, held.end, where);
      held.end += record.size();
      held.records[keys[i]] = {};
      ++report.rendered;
    }
    if (progress) progress({static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(keys.size())});
  }
  PAIRS_CHECK(report.rendered == 0 || ::fdatasync(out) == 0, "Cannot write the cache of views {}: {}", where,
              std::strerror(errno));
  return report;
}

ViewCache::ViewCache(const fs::path& folder, const ViewSettings& settings, const std::vector<std::string>& keys)
    : settings_(settings),
      file_(view_cache_folder(folder, settings) / view_file_name),
      keys_(keys),
      opened_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
  const std::string where = printable(file_.string(), 300);
  PAIRS_CHECK(opened_ >= 0, "There is no cache of views {}: {}; render the views first", where, std::strerror(errno));
  ViewFile held = scan_view_file(opened_, settings, where, false);
  bytes_ = held.end;
  for (const std::string& key : keys) {
    const auto found = held.records.find(key);
    PAIRS_CHECK(found != held.records.end(), "The cache of views {} lacks the mesh {}; render its views first", where,
                printable(key, 200));
    records_.push_back(found->second);
  }
}

const ViewRecord& ViewCache::record(std::size_t mesh, std::int64_t view) const {
  PAIRS_CHECK(mesh < records_.size() && view >= 0 && view < settings_.views,
              "There is no view {} of mesh {} among {} views of {} meshes", view, mesh, settings_.views,
              records_.size());
  return records_[mesh];
}

const render::MeshCamera& ViewCache::camera(std::size_t mesh, std::int64_t view) const {
  return record(mesh, view).cameras[static_cast<std::size_t>(view)];
}

void ViewCache::read_gray(std::size_t mesh, std::int64_t view, std::uint8_t* out) const {
  const ViewRecord& from = record(mesh, view);
  const auto v = static_cast<std::size_t>(view);
  std::uint64_t begin = from.begin;
  for (std::size_t k = 0; k < v; ++k) begin += from.bytes[k];
  std::string bytes(from.bytes[v], '\0');
  PAIRS_CHECK(
      ::pread(opened_, bytes.data(), bytes.size(), static_cast<off_t>(begin)) == static_cast<ssize_t>(bytes.size()) &&
          checksum(bytes) == from.checksums[v] && expand_view(bytes, settings_.options.side, out),
      "View {} of the mesh {} is damaged in the cache {}; resume the run to render it again", view,
      printable(keys_[mesh], 200), printable(file_.string(), 300));
}

torch::Tensor ViewCache::read(std::span<const View> which) const {
  const std::int64_t side = settings_.options.side, channels = settings_.options.channels, plane = side * side;
  torch::Tensor out = at::empty({static_cast<std::int64_t>(which.size()), channels, side, side}, torch::kUInt8);
  auto* const to = out.mutable_data_ptr<std::uint8_t>();
  at::parallel_for(0, out.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      std::uint8_t* const image = to + k * channels * plane;
      read_gray(which[static_cast<std::size_t>(k)].mesh, which[static_cast<std::size_t>(k)].view, image);
      for (std::int64_t c = 1; c < channels; ++c)
        std::memcpy(image + c * plane, image, static_cast<std::size_t>(plane));
    }
  });
  return out;
}

}  // namespace pairs
