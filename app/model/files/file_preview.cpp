#include "app/model/files/file_preview.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "app/model/files/folder_listing.h"
#include "core/base/files/descriptor.h"
#include "core/base/files/gzip.h"
#include "core/base/files/npy.h"
#include "core/base/tables/csv_records.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/images/image_file.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"
#include "tasks/file_format.h"
#include "tasks/table_file.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTextRead = 64 << 10;  // bytes
constexpr std::size_t kMostLines = 14, kMostFacts = 12;
constexpr std::size_t kMostFolders = 500;         // searched for runs
constexpr std::uint64_t kMostPicture = 64 << 20;  // bytes of its file
constexpr std::int64_t kMostPixels = 24'000'000, kPictureSide = 320;

struct OpenFile {
  explicit OpenFile(const fs::path& file) : descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    const std::string shown = printable(file.filename().string(), 200);
    PAIRS_CHECK(descriptor >= 0, "{} cannot be read: {}", shown, std::strerror(errno));
    struct stat status {};
    PAIRS_CHECK(::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode), "{} is no regular file", shown);
    bytes = static_cast<std::uint64_t>(status.st_size);
  }
  std::string head(std::size_t most) const {
    std::string text(std::min<std::uint64_t>(bytes, most), '\0');
    std::size_t got = 0;
    while (got < text.size()) {
      const ssize_t more = ::pread(descriptor, text.data() + got, text.size() - got, static_cast<off_t>(got));
      if (more <= 0) break;
      got += static_cast<std::size_t>(more);
    }
    text.resize(got);
    return text;
  }

  Descriptor descriptor;
  std::uint64_t bytes = 0;
};

bool is_regular(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.empty() ? "one number" : fmt::format("{}", fmt::join(shape, " × "));
}

void add_array(FilePreview& preview, const std::string& name, const std::string& what) {
  if (preview.facts.size() < kMostFacts) preview.facts.emplace_back(printable(name), what);
}

void title_arrays(FilePreview& preview, std::size_t count) {
  preview.title = counted(count, "array");
  if (count > kMostFacts) preview.facts.emplace_back("…", fmt::format("and {} more", count - kMostFacts));
}

void look_into_npy(const fs::path& file, FilePreview& preview) {
  const OpenFile opened(file);
  std::uint64_t at = 0;
  const NpyHeader header = read_npy_header(
      [&](char* target, std::size_t size) {
        PAIRS_CHECK(::pread(opened.descriptor, target, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size),
                    "{} is cut short", printable(file.filename().string(), 200));
        at += size;
      },
      printable(file.filename().string(), 200));
  add_array(preview, file.stem().string(), shape_text(header.shape));
  title_arrays(preview, 1);
}

void look_into_npz(const fs::path& file, FilePreview& preview, const std::function<bool()>& stale) {
  OpenFile opened(file);
  const std::string shown = printable(file.filename().string(), 200);
  int why = 0;
  const std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_fdopen(opened.descriptor, 0, &why), zip_discard);
  PAIRS_CHECK(archive, "{} is damaged, or no NPZ file", shown);
  opened.descriptor.release();  // the archive's now
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count && preview.facts.size() < kMostFacts; ++i) {
    if (stale()) throw Stopped();
    const char* name = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), 0);
    std::string array = name ? name : "?";
    if (array.ends_with(".npy")) array.resize(array.size() - 4);
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> entry(
        zip_fopen_index(archive.get(), static_cast<zip_uint64_t>(i), 0), zip_fclose);
    PAIRS_CHECK(entry, "{}: array '{}' cannot be read", shown, printable(array));
    std::string shape;
    bool whole = true;
    try {
      const NpyHeader header = read_npy_header(
          [&](char* target, std::size_t size) {
            whole = zip_fread(entry.get(), target, size) == static_cast<zip_int64_t>(size);
            PAIRS_CHECK(whole, "{}: array '{}' is cut short", shown, printable(array));
          },
          fmt::format("{}: array '{}'", shown, printable(array)));
      shape = shape_text(header.shape);
    } catch (const Error&) {
      if (!whole) throw;
      shape = "no numbers";  // texts or Python objects, which may occur with numbers
    }
    add_array(preview, array, shape);
  }
  title_arrays(preview, static_cast<std::size_t>(std::max<zip_int64_t>(count, 0)));
}

void look_into_hdf5(const fs::path& file, FilePreview& preview) {
  const OpenFile regular(file);
  const std::vector<ArrayFacts> arrays = hdf5_facts(file);
  for (const ArrayFacts& array : arrays)
    add_array(preview, array.name, array.numbers ? shape_text(array.shape) : "no numbers");
  title_arrays(preview, arrays.size());
}

void look_into_table(const fs::path& file, FilePreview& preview) {
  const OpenFile regular(file);
  const std::unique_ptr<TableFile> table = open_table(file);
  preview.title = "Table";
  preview.facts.emplace_back("Rows", count_text(table->rows()));
  for (const TableColumn& column : table->columns()) {
    if (preview.facts.size() >= kMostFacts) break;
    preview.facts.emplace_back(printable(column.name, 100), column.other.empty() ? "numbers" : printable(column.other));
  }
}

// Complete lines at the beginning of a text; false if it is none.
bool text_lines(const std::string& head, bool whole, std::vector<std::string>& lines) {
  if (head.find('\0') != head.npos) return false;
  std::size_t from = 0;
  while (from < head.size()) {
    const std::size_t end = head.find('\n', from);
    if (end == head.npos && !whole && !lines.empty()) break;
    std::string line = head.substr(from, end == head.npos ? head.npos : end - from);
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    if (end == head.npos) break;
    from = end + 1;
  }
  return true;
}

std::string shown_line(std::string line) {
  std::replace(line.begin(), line.end(), '\t', ' ');
  return printable(line, 160);
}

void look_into_csv(const fs::path& file, FilePreview& preview) {
  const OpenFile opened(file);
  const std::string head = unzipped_head(file, kTextRead);
  const bool whole = head.size() < kTextRead, zipped = is_gzip_file(file);
  std::vector<std::string> lines;
  if (!text_lines(head, whole, lines)) {
    preview.title = "No table: it is no text";
    return;
  }
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) preview.lines.push_back(shown_line(lines[i]));
  preview.title = "Table";
  CsvRecords table(file, {});
  std::vector<std::string> names;
  for (const std::string& name : table.columns()) names.push_back(printable(name, 40));
  const auto last = static_cast<std::int64_t>(lines.size());
  std::size_t rows = 0, bytes = 0;
  for (std::string_view row; table.next(row) && (whole || table.number() <= last);) ++rows;
  for (std::size_t i = static_cast<std::size_t>(table.first_row()) - 1; i < lines.size(); ++i)
    bytes += lines[i].size() + 1;
  preview.facts.emplace_back("Columns", table.named() ? fmt::format("{}: {}", names.size(), fmt::join(names, ", "))
                                                      : std::to_string(names.size()));
  const double estimate = static_cast<double>(opened.bytes) * static_cast<double>(rows) /
                          static_cast<double>(std::max<std::size_t>(bytes, 1));
  preview.facts.emplace_back(
      "Rows", whole    ? count_text(static_cast<std::int64_t>(rows))
              : zipped ? "more than " + count_text(static_cast<std::int64_t>(rows))
                       : "about " + count_text(static_cast<std::int64_t>(std::llround(estimate / 100)) * 100));
}

std::shared_ptr<const Picture> reduced(const std::vector<std::uint8_t>& rgb, std::int64_t width, std::int64_t height) {
  const std::int64_t factor = std::max<std::int64_t>(1, (std::max(width, height) + kPictureSide - 1) / kPictureSide);
  auto picture = std::make_shared<Picture>();
  picture->width = std::max<std::int64_t>(1, width / factor);
  picture->height = std::max<std::int64_t>(1, height / factor);
  picture->rgb.reserve(static_cast<std::size_t>(3 * picture->width * picture->height));
  for (std::int64_t y = 0; y < picture->height; ++y)
    for (std::int64_t x = 0; x < picture->width; ++x)
      for (std::int64_t channel = 0; channel < 3; ++channel) {
        std::int64_t sum = 0, count = 0;
        for (std::int64_t v = y * factor; v < std::min((y + 1) * factor, height); ++v)
          for (std::int64_t u = x * factor; u < std::min((x + 1) * factor, width); ++u, ++count)
            sum += rgb[static_cast<std::size_t>(3 * (v * width + u) + channel)];
        picture->rgb.push_back(static_cast<std::uint8_t>((sum + count / 2) / std::max<std::int64_t>(count, 1)));
      }
  return picture;
}

void look_into_picture(const fs::path& file, FilePreview& preview) {
  const OpenFile opened(file);
  preview.title = "Picture";
  PAIRS_CHECK(opened.bytes <= kMostPicture, "{} is too large to be shown here",
              printable(file.filename().string(), 200));
  ImageHead head{};
  const std::vector<std::uint8_t> rgb =
      parse_image(opened.head(kMostPicture), printable(file.filename().string(), 200), [&](const ImageHead& reported) {
        head = reported;
        preview.facts.emplace_back("Size", fmt::format("{} × {} pixels", reported.width, reported.height));
        preview.facts.emplace_back("Colors", reported.color ? "color" : "gray");
        PAIRS_CHECK(reported.width * reported.height <= kMostPixels, "It is too large to be shown here");
      });
  preview.picture = reduced(rgb, head.width, head.height);
}

void look_into_text(const fs::path& file, FilePreview& preview) {
  const OpenFile opened(file);
  const std::string head = opened.head(kTextRead);
  std::vector<std::string> lines;
  if (head.empty()) {
    preview.title = "Empty file";
  } else if (text_lines(head, head.size() == opened.bytes, lines)) {
    preview.title = "Text";
    for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) preview.lines.push_back(shown_line(lines[i]));
  } else {
    preview.title = "File of bytes";
  }
}

void look_into_task(const fs::path& file, FilePreview& preview) {
  const OpenFile regular(file);
  const TaskFileFacts task = task_file_facts(file);
  preview.title = "Task: " + task.info.title;
  std::vector<std::string> targets, psi;
  for (const Target& target : task.info.targets) targets.push_back(target.title());
  for (const Nuisance& nuisance : task.info.nuisances) psi.push_back(nuisance.label);
  preview.facts.emplace_back("θ", fmt::format("{}", fmt::join(targets, "; ")));
  if (!psi.empty()) preview.facts.emplace_back("ψ", fmt::format("{}", fmt::join(psi, "; ")));
  std::string x = shape_text(task.info.observation_shape);
  if (!task.info.observation_columns.empty()) x += fmt::format(" ({})", fmt::join(task.info.observation_columns, ", "));
  preview.facts.emplace_back("x", x);
  preview.facts.emplace_back("Largest N", count_text(task.info.max_n));
  preview.facts.emplace_back("Sets", task.simulated ? "simulated by a program" : "stored simulations");
}

void look_into_run(const Tasks& tasks, const fs::path& folder, FilePreview& preview) {
  const OpenFile regular(folder / run_file::config);
  const RunConfig config = read_run_toml(tasks, folder / run_file::config);
  const RunStatus status = run_status(folder);
  preview.title = "Run";
  preview.facts.emplace_back("Task", printable(config.task));
  preview.facts.emplace_back("Preset", printable(config.preset));
  preview.facts.emplace_back("Strategy", printable(config.strategy));
  preview.facts.emplace_back("Seed", std::to_string(config.seed));
  preview.facts.emplace_back("State", status.finished     ? "finished"
                                      : status.cached     ? "stopped in stage 3"
                                      : status.pretrained ? "stopped in stage 2"
                                                          : "stopped in stage 1");
  if (!config.note.empty()) preview.facts.emplace_back("Note", printable(config.note, 200));
}

void count_folder(const fs::path& folder, FilePreview& preview, const std::function<bool()>& stale) {
  const FolderListing listing = list_folder(folder, stale);
  preview.title = "Folder";
  preview.problem = listing.problem;
  if (!listing.problem.empty()) return;
  std::size_t folders = 0, files = 0, pictures = 0;
  bool runs = false;
  for (const FileEntry& entry : listing.entries) {
    if (entry.name.starts_with('.')) continue;
    ++(entry.folder ? folders : files);
    if (entry.folder && !runs && folders <= kMostFolders) {
      if (stale()) throw Stopped();
      runs = is_regular(folder / entry.name / run_file::config);
    }
    pictures += entry.regular && is_image_name(entry.name) ? 1 : 0;
  }
  const auto number = [&](std::size_t count) {
    return count_text(static_cast<std::int64_t>(count)) + (listing.cut ? " or more" : "");
  };
  preview.facts.emplace_back("Folders", number(folders));
  preview.facts.emplace_back("Files", number(files));
  if (pictures > 0) preview.facts.emplace_back("Pictures", number(pictures));
  if (runs) preview.title = "Folder of runs";
  preview.plain = !runs && pictures == 0;
}

// Arrays, recognized by the beginning of the file; false if it has none.
bool look_into_data(const fs::path& path, FilePreview& preview, const std::function<bool()>& stale) {
  const FileFormat format = format_of(path);
  if (format == FileFormat::other) return false;
  if (format == FileFormat::text) {
    const std::string whole = whole_ending(path);
    const std::string ending = whole.ends_with(".gz") ? whole.substr(0, whole.size() - 3) : whole;
    const std::vector<std::string>& texts = text_endings();
    if (std::find(texts.begin(), texts.end(), ending) == texts.end()) return false;
    if (ending != ".csv" && ending != ".tsv" && !is_text_table(path)) return false;
    look_into_csv(path, preview);
    return true;
  }
  if (is_gzip_file(path)) {
    preview.title = "Compressed file";
    preview.facts.emplace_back("Holds", format == FileFormat::npz ? "arrays" : "a table");
  } else if (format == FileFormat::npz) {
    if (OpenFile(path).head(6) == "\x93NUMPY")
      look_into_npy(path, preview);
    else
      look_into_npz(path, preview, stale);
  } else if (format == FileFormat::hdf5) {
    look_into_hdf5(path, preview);
  } else {
    look_into_table(path, preview);
  }
  return true;
}

void look_into(const Tasks& tasks, const fs::path& path, FilePreview& preview, const std::function<bool()>& stale) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  PAIRS_CHECK(type != fs::file_type::not_found, "It is no longer there");
  if (type == fs::file_type::directory) {
    if (is_regular(path / run_file::config)) return look_into_run(tasks, path, preview);
    if (is_regular(path / run_file::task)) return look_into_task(path / run_file::task, preview);
    return count_folder(path, preview, stale);
  }
  PAIRS_CHECK(type == fs::file_type::regular, "It is no regular file: a pipe, a socket or a device");
  if (path.filename() == run_file::config) return look_into_run(tasks, path.parent_path(), preview);
  if (path.filename() == run_file::task) return look_into_task(path, preview);
  if (OpenFile(path).bytes > 0 && look_into_data(path, preview, stale)) return;
  if (is_image_name(path)) return look_into_picture(path, preview);
  look_into_text(path, preview);
}

}  // namespace

FilePreview preview_of(const Tasks& tasks, const fs::path& path, const std::function<bool()>& stale) {
  FilePreview preview;
  preview.path = path;
  try {
    look_into(tasks, path, preview, stale);
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    preview.problem = sentence(error);
  }
  return preview;
}

}  // namespace pairs::model
