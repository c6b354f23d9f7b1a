#include "tasks/objects/mesh/mesh_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/objects/mesh/mesh_file.h"
#include "tasks/objects/mesh/mesh_form.h"

namespace pairs {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t large_mesh_file = 8 << 20;
constexpr std::size_t most_names_looked_at = 100000;
constexpr std::size_t kMostStray = 10;  // one in this many files may lie outside a distribution's train and test

// Known data sets of meshes, as they are distributed.
struct KnownMeshes {
  std::string_view name;
  std::span<const std::string_view> classes;  // in order
  std::size_t train, test;
};
constexpr std::array<std::string_view, 40> model_net_40 = {
    "airplane",  "bathtub", "bed",      "bench",   "bookshelf",  "bottle", "bowl",     "car",
    "chair",     "cone",    "cup",      "curtain", "desk",       "door",   "dresser",  "flower_pot",
    "glass_box", "guitar",  "keyboard", "lamp",    "laptop",     "mantel", "monitor",  "night_stand",
    "person",    "piano",   "plant",    "radio",   "range_hood", "sink",   "sofa",     "stairs",
    "stool",     "table",   "tent",     "toilet",  "tv_stand",   "vase",   "wardrobe", "xbox"};
constexpr std::array<std::string_view, 10> model_net_10 = {"bathtub", "bed",         "chair", "desk",  "dresser",
                                                           "monitor", "night_stand", "sofa",  "table", "toilet"};
constexpr std::array<KnownMeshes, 2> known_meshes = {
    {{"ModelNet40", model_net_40, 9843, 2468}, {"ModelNet10", model_net_10, 3991, 908}}};

std::uint64_t fnv(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

// The position of a path in ModelNet's layout; `part` is "" if it has none.
struct LayoutPlace {
  std::string_view kind, part;  // class (empty for the folder itself), train or test
};
LayoutPlace layout_place(std::string_view path) {
  const auto last = [&path] {  // removes the last name
    const std::size_t slash = path.rfind('/');
    const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
    path = slash == path.npos ? std::string_view() : path.substr(0, slash);
    return name;
  };
  last();
  const std::string_view part = last();
  if (part != "train" && part != "test") return {};
  return {last(), part};
}

// Visits everything below `root`: `found` receives the paths of meshes until it returns false, `unread` receives
// folders that cannot be read; folders are entered if `enter` returns true. Real folders come before links.
void walk_meshes(const fs::path& root, const std::function<bool(const std::string&)>& enter,
                 const std::function<bool(const std::string&)>& found,
                 const std::function<void(const std::string&, const std::string&)>& unread, std::size_t most) {
  std::vector<std::string> folders = {""};
  std::set<std::string> links;
  std::set<std::pair<dev_t, ino_t>> seen;
  std::size_t names = 0;
  while (!folders.empty() || !links.empty()) {
    std::string folder;
    if (!folders.empty()) {
      folder = std::move(folders.back());
      folders.pop_back();
    } else {
      folder = std::move(links.extract(links.begin()).value());
    }
    const fs::path path = folder.empty() ? root : root / folder;
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
      unread(folder, std::strerror(errno));
      continue;
    }
    if (!seen.emplace(info.st_dev, info.st_ino).second) continue;
    std::error_code error;
    for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
      if (++names > most) return;
      const std::string name = at->path().filename().string();
      if (name.starts_with('.') || name == "__MACOSX") continue;
      const std::string below = folder.empty() ? name : folder + '/' + name;
      std::error_code ignored;  // for a dangling link, which is not a folder
      if (at->is_directory(ignored)) {
        if (!enter(below)) continue;
        if (at->is_symlink(ignored))
          links.insert(below);
        else
          folders.push_back(below);
      } else if (mesh_format(name) && !found(below)) {
        return;
      }
    }
    if (error) unread(folder, error.message());
  }
}

bool holds_mesh(const fs::path& folder, bool at_any_depth) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return false;
  bool any = false;
  const auto enter = [&](const std::string& path) {
    const auto depth = std::count(path.begin(), path.end(), '/');
    return at_any_depth || depth == 0 || (depth == 1 && (path.ends_with("/train") || path.ends_with("/test")));
  };
  const auto found = [&](const std::string& path) {
    any = at_any_depth || path.find('/') == path.npos || !layout_place(path).part.empty();
    return !any;
  };
  walk_meshes(
      folder, enter, found, [](const std::string&, const std::string&) {}, most_names_looked_at);
  return any;
}

class MeshFolder : public MeshSource {
 public:
  MeshFolder(const fs::path& folder, fs::path canonical, std::size_t most)
      : folder_(folder), canonical_(std::move(canonical)) {
    walk_meshes(
        folder, [](const std::string&) { return true; },
        [&](const std::string& path) {
          files_.push_back({path, 0, 0});
          return true;
        },
        [&](const std::string& below, const std::string& why) {
          unread_.push_back({printable((folder / below).string(), 300),
                             fmt::format("This folder cannot be read: {}; what is in it is left out.", why)});
        },
        static_cast<std::size_t>(-1));
    std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) { return a.path < b.path; });
    std::sort(unread_.begin(), unread_.end(), [](const MeshAside& a, const MeshAside& b) { return a.label < b.label; });
    std::size_t train = 0, test = 0;
    for (const File& file : files_) {
      const std::string_view part = layout_place(file.path).part;
      train += part == "train";
      test += part == "test";
    }
    layout_ = train > 0 && test > 0 && kMostStray * (files_.size() - train - test) <= files_.size();
    if (layout_) leave_out_strays();
    name_ = find_name(train, test);
    if (most > 0 && most < files_.size()) keep(most);
    for (File& file : files_) std::tie(file.size, file.changed) = look(folder_ / file.path);
    content_ = find_content();
  }

  std::string name() const override { return name_; }
  std::size_t size() const override { return files_.size(); }
  std::string label(std::size_t object) const override { return printable(file(object).path, 300); }
  MeshSplit split(std::size_t object) const override {
    const std::string& path = file(object).path;
    if (layout_ && layout_place(path).part == "test") return MeshSplit::test;
    const double place = static_cast<double>(mesh_hash(path) >> 11) * 0x1p-53;
    return place < 0.75 ? MeshSplit::pretrain : MeshSplit::finetune;
  }
  bool divided_by_form() const override { return !layout_; }
  std::string content() const override { return content_; }

  MeshRecord measure(std::size_t object) const override {
    MeshRecord out;
    const File& what = file(object);
    const auto alone = wait_for_large(what);
    try {
      const MeshFormat format = *mesh_format(what.path);
      std::string bytes = read(what);
      out.key = fmt::format("{}-{}-{}-{:08x}-{:016x}", kMeshNormalizer, static_cast<int>(format), bytes.size(),
                            checksum(bytes), fnv(bytes));
      try {
        const TriangleMesh mesh = parse_mesh(bytes, format, label(object)).mesh;
        bytes = {};
        out.facts = measure_mesh(mesh);
        out.form = mesh_form(mesh);
      } catch (const Error& error) {
        out.facts.set_aside = error.what();
      }
    } catch (const std::exception& error) {  // unreadable, or too little memory: its content is unknown
      out = {};
      out.facts.set_aside = sentence(error);
    }
    return out;
  }

  TriangleMesh mesh(std::size_t object) const override {
    const File& what = file(object);
    const auto alone = wait_for_large(what);
    const std::string where = printable((folder_ / what.path).string(), 300);
    const TriangleMesh read_in = parse_mesh(read(what), *mesh_format(what.path), where).mesh;
    try {
      return normalized_mesh(read_in);
    } catch (const Error& error) {
      fail("{}: {}", where, error.what());
    }
  }

  std::string identity() const override { return "folder " + canonical_.string(); }
  std::string state(std::size_t object) const override {
    const File& what = file(object);
    return fmt::format("{}/{} {}", what.path, what.size, what.changed);
  }
  std::vector<MeshAside> unread() const override { return unread_; }

 private:
  struct File {
    std::string path;  // below the folder
    std::uint64_t size;
    std::int64_t changed;  // nanoseconds since 1970
  };

  // Size and modification time of a file; zeros if there is none.
  static std::pair<std::uint64_t, std::int64_t> look(const fs::path& file) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) return {0, 0};
    return {static_cast<std::uint64_t>(info.st_size),
            std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec};
  }

  const File& file(std::size_t object) const {
    PAIRS_CHECK(object < files_.size(), "There is no mesh {} among the {} of {}", object, files_.size(), name_);
    return files_[object];
  }

  std::unique_lock<std::mutex> wait_for_large(const File& what) const {
    return what.size > large_mesh_file ? std::unique_lock(large_) : std::unique_lock<std::mutex>();
  }

  std::string read(const File& what) const {
    const fs::path path = folder_ / what.path;
    std::string bytes = read_file(path, kLargestMeshFile);
    PAIRS_CHECK(bytes.size() == what.size && look(path) == std::pair(what.size, what.changed),
                "{} changed since its folder was listed; start again, so that it is measured anew",
                printable(path.string(), 300));
    return bytes;
  }

  void keep(std::size_t most) {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (const File& file : files_) order.emplace_back(mesh_hash("chosen " + file.path), order.size());
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end());
    order.resize(most);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    name_ = fmt::format("{}, {} of {} meshes", name_, most, files_.size());
    std::vector<File> kept;
    for (const auto& [hash, at] : order) kept.push_back(std::move(files_[at]));
    files_ = std::move(kept);
  }

  // A file outside the folders of a distribution does not change how it is divided.
  void leave_out_strays() {
    std::vector<File> kept;
    for (File& file : files_)
      if (!layout_place(file.path).part.empty())
        kept.push_back(std::move(file));
      else
        unread_.push_back(
            {printable(file.path, 300),
             "It lies outside the folders train and test by which the others are divided, and is left out; "
             "move it into one of them."});
    files_ = std::move(kept);
  }

  // Identifies the files independently of their names: their number, and a hash of their sizes; "" for a complete
  // distribution.
  std::string find_content() const {
    for (const KnownMeshes& known : known_meshes)
      if (name_ == known.name) return "";
    std::vector<std::uint64_t> sizes;
    for (const File& file : files_) sizes.push_back(file.size);
    std::sort(sizes.begin(), sizes.end());
    std::string text;
    for (const std::uint64_t size : sizes) text += fmt::format("{} ", size);
    return fmt::format("{}, content {:08x}", counted(files_.size(), "file"), checksum(text));
  }

  std::string find_name(std::size_t train, std::size_t test) const {
    if (!layout_) {
      const fs::path own = canonical_.filename();
      return fmt::format("meshes of {}", printable(own.empty() ? canonical_.string() : own.string()));
    }
    std::set<std::string_view> kinds;
    for (const File& file : files_) kinds.insert(layout_place(file.path).kind);
    for (const KnownMeshes& known : known_meshes) {
      if (!std::equal(kinds.begin(), kinds.end(), known.classes.begin(), known.classes.end())) continue;
      if (train == known.train && test == known.test) return std::string(known.name);
      if (train <= known.train && test <= known.test)
        return fmt::format("{} ({} of its {} meshes)", known.name, files_.size(), known.train + known.test);
    }
    return fmt::format("meshes in ModelNet's layout ({})", counted(files_.size(), "file"));
  }

  fs::path folder_, canonical_;
  std::vector<File> files_;
  std::vector<MeshAside> unread_;
  bool layout_ = false;
  std::string name_, content_;
  mutable std::mutex large_;  // held while a large file is in memory
};

}  // namespace

std::uint64_t mesh_hash(std::string_view text) {
  std::uint64_t z = fnv(text);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

std::vector<std::string> meshes_left_out(const fs::path& folder, const fs::path& used) {
  std::error_code error;
  std::vector<std::string> out;
  const fs::path inside = fs::weakly_canonical(used, error).lexically_relative(fs::weakly_canonical(folder, error));
  if (inside.empty() || inside == "." || *inside.begin() == "..") return out;
  fs::path level;  // below the folder, down to the used one
  for (const fs::path& taken : inside) {
    for (fs::directory_iterator at(folder / level, error), end; !error && at != end; at.increment(error)) {
      const fs::path name = at->path().filename();
      std::error_code ignored;
      if (name.string().starts_with('.') || name == taken || !at->is_directory(ignored)) continue;
      if (holds_mesh(at->path(), true)) out.push_back(printable((level / name).string(), 100));
    }
    level /= taken;
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::shared_ptr<const MeshSource> open_mesh_folder(const fs::path& folder, std::size_t most) {
  const std::string where = printable(folder.string(), 300);
  std::error_code error;
  const fs::path canonical = fs::canonical(folder, error);
  if (error) fail_usage("The folder of meshes {} cannot be opened: {}; check its path", where, error.message());
  if (!fs::is_directory(canonical, error))
    fail_usage("{} is no folder; name one that holds meshes (.off, .obj, .stl or .ply)", where);
  auto source = std::make_shared<const MeshFolder>(folder, canonical, most);
  if (source->size() > 0) return source;
  if (const std::vector<MeshAside> unread = source->unread(); !unread.empty())
    fail_usage("No mesh can be read below {}, where {} cannot be opened; change their permissions", where,
               counted(unread.size(), "folder"));
  fail_usage("There is no mesh (.off, .obj, .stl or .ply) below {}; name a folder that holds some", where);
}

FoundMeshes find_meshes(const std::string& folder) {
  if (folder.empty()) return {};
  std::vector<fs::path> places = {folder};
  for (const char* name : {"ModelNet40", "modelnet40", "ModelNet10", "meshes", "meshes/ModelNet", "ModelNet"})
    places.push_back(fs::path(folder) / name);
  for (const fs::path& place : places)
    if (holds_mesh(place, false)) return {place};
  std::rotate(places.begin(), places.begin() + 1, places.end());
  for (const fs::path& place : places)
    if (holds_mesh(place, true)) return {place};
  return {};
}

}  // namespace pairs
