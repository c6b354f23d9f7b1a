#include "tasks/view_folder.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/images/image_file.h"
#include "core/report/png.h"
#include "render/scene_picture.h"

namespace pairs {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr const char* kWidthColumn = "half_width";
constexpr double kSameWidth = 1e-6;          // relative
constexpr std::int64_t kLongestView = 8192;  // largest side of an image that is read
constexpr std::uint64_t kLargestTable = 16 << 20;

// One row of cameras.csv.
struct CameraRow {
  std::size_t line;
  double azimuth, elevation;  // degrees
};

double angle_in(std::string_view cell, double most, const char* column, const ErrorPlace& where) {
  double value = 0;
  PAIRS_CHECK(parse_csv_number(cell, value) == CsvNumber::good && std::isfinite(value), where,
              "the {} is '{}', not a number; write it in degrees, such as 30.5", column, printable(cell));
  PAIRS_CHECK(std::abs(value) <= most, where, "the {} {} does not lie between -{} and {} degrees; correct it", column,
              printable(cell), most, most);
  return value;
}

class CamerasReader {
 public:
  CamerasReader(const std::filesystem::path& folder, const std::vector<std::string>& images, double half_width)
      : folder_(folder),
        images_(images),
        half_width_(half_width),
        where_(printable((folder / kCamerasFile).string(), 300)) {}

  std::map<std::string, CameraRow> read() {
    const std::string bytes = read_file(folder_ / kCamerasFile, kLargestTable);
    std::string_view text = bytes;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    for (std::size_t number = 1; !text.empty(); ++number) {
      const std::size_t end = text.find('\n');
      const std::string_view line = trimmed(text.substr(0, end));
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
      if (line.empty() || line.starts_with('#')) continue;
      if (separator_ == 0)
        read_header(line);
      else
        read_row(line, number);
    }
    PAIRS_CHECK(separator_ != 0, "{} is empty; write the columns file,azimuth,elevation and a row for each image",
                where_);
    return std::move(rows_);
  }

 private:
  std::vector<std::string> cells(std::string_view line) const {
    std::vector<std::string> all;
    for (bool more = true; more;) all.emplace_back(take_csv_cell(line, separator_, more));
    return all;
  }

  void read_header(std::string_view line) {
    separator_ = csv_separator(line);
    const std::vector<std::string> names = cells(line);
    width_ = names.size();
    for (std::size_t k = 0; k < 3; ++k) {
      const char* name = kColumns[k];
      PAIRS_CHECK(std::count(names.begin(), names.end(), name) == 1,
                  "{} begins with '{}' but its first line must name the columns file, azimuth and elevation, each once",
                  where_, printable(line));
      places_[k] = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    }
    if (const auto width = std::find(names.begin(), names.end(), kWidthColumn); width != names.end())
      width_place_ = static_cast<std::size_t>(width - names.begin());
  }

  void read_row(std::string_view line, std::size_t number) {
    const ErrorPlace where{where_, number};
    const std::vector<std::string> row = cells(line);
    PAIRS_CHECK(row.size() == width_, where, "{} value{} where the first line has {}; give every line the same number",
                row.size(), row.size() == 1 ? "" : "s", width_);
    const std::string& name = row[places_[0]];
    PAIRS_CHECK(!name.empty(), where, "the name of the image is missing; fill it in or drop the line");
    if (!std::binary_search(images_.begin(), images_.end(), name)) {
      std::error_code error;
      if (std::filesystem::path(name).filename() == name && std::filesystem::exists(folder_ / name, error))
        fail(where, "{} is no image that ends in .png, .jpg, .webp, .bmp, .tga or .ppm; save it as one of these",
             printable(name, 300));
      fail(where, "{} is not in the folder; put it there or drop the line", printable(name, 300));
    }
    const CameraRow camera = {number, angle_in(row[places_[1]], 360, kColumns[1], where),
                              angle_in(row[places_[2]], 90, kColumns[2], where)};
    if (width_place_) check_half_width(row[*width_place_], where);
    const auto [earlier, fresh] = rows_.emplace(name, camera);
    PAIRS_CHECK(fresh, "{} names {} twice, in lines {} and {}; drop one of them", where_, printable(name, 300),
                earlier->second.line, number);
  }

  void check_half_width(std::string_view cell, const ErrorPlace& where) const {
    double value = 0;
    PAIRS_CHECK(parse_csv_number(cell, value) == CsvNumber::good && value > 0, where,
                "the {} is '{}', not a positive number; write it in units of the scene, such as {}", kWidthColumn,
                printable(cell), half_width_);
    PAIRS_CHECK(std::abs(value - half_width_) <= kSameWidth * half_width_, where,
                "the {} is {}, but this estimator knows views of half-width {}; draw the views with that", kWidthColumn,
                value, half_width_);
  }

  static constexpr const char* kColumns[3] = {"file", "azimuth", "elevation"};
  const std::filesystem::path& folder_;
  const std::vector<std::string>& images_;
  double half_width_;
  std::string where_;
  char separator_ = 0;  // 0 before the first line
  std::size_t width_ = 0, places_[3] = {};
  std::optional<std::size_t> width_place_;
  std::map<std::string, CameraRow> rows_;
};

// [3, size, size]
torch::Tensor read_view(const std::filesystem::path& file, std::int64_t size) {
  std::int64_t side = 0;
  std::vector<std::uint8_t> rgb = read_image(file, [&](const ImageHead& head) {
    PAIRS_CHECK(head.width == head.height && head.width % size == 0 && head.width <= kLongestView,
                "The view {} is {} x {} pixels but this estimator needs {} x {}, or a whole multiple of that up to {}; "
                "resize it",
                printable(file.string(), 300), head.width, head.height, size, size, kLongestView / size * size);
    PAIRS_CHECK(head.color, "The view {} is gray, but views are in color; save it as RGB",
                printable(file.string(), 300));
    side = head.width;
  });
  const torch::Tensor bytes = at::from_blob(rgb.data(), {side, side, 3}, torch::kUInt8);
  const std::int64_t times = side / size;
  return bytes.permute({2, 0, 1}).to(torch::kFloat32).reshape({3, size, times, size, times}).mean({2, 4}).div(255.0);
}

}  // namespace

ViewFolder read_view_folder(const std::filesystem::path& folder, std::int64_t size, double half_width) {
  const std::string where = printable(folder.string(), 300);
  ViewFolder views;
  const std::vector<std::string> names = image_names(folder, kCamerasFile, views.left_out);
  PAIRS_CHECK(!names.empty(),
              "The folder {} holds no image (.png, .jpg, .webp, .bmp, .tga, .ppm); put one a view there, and a file {}",
              where, kCamerasFile);
  PAIRS_CHECK(std::filesystem::exists(folder / kCamerasFile),
              "The folder {} holds no {}; write one with the columns file,azimuth,elevation (degrees) and a row for "
              "each image",
              where, kCamerasFile);
  const std::map<std::string, CameraRow> rows = CamerasReader(folder, names, half_width).read();
  for (const std::string& name : names)
    PAIRS_CHECK(rows.contains(name), "{} has no row for the image {}; add one, or take the image out of the folder",
                printable((folder / kCamerasFile).string(), 300), printable(name, 300));
  std::vector<torch::Tensor> images;
  views.cameras = at::empty({static_cast<std::int64_t>(names.size()), 2}, torch::kFloat64);
  auto* angle = views.cameras.mutable_data_ptr<double>();
  for (const std::string& name : names) {
    images.push_back(read_view(folder / name, size));
    const CameraRow& row = rows.at(name);
    *angle++ = row.azimuth * kDegree;
    *angle++ = row.elevation * kDegree;
  }
  views.images = at::stack(images);
  return views;
}

void write_view_folder(const std::filesystem::path& folder, const torch::Tensor& images, const torch::Tensor& cameras,
                       double half_width) {
  const std::int64_t views = images.size(0);
  PAIRS_CHECK(views >= 1 && views <= kMostWrittenViews, "A folder of views holds 1 to {} images, not {}",
              kMostWrittenViews, views);
  const torch::Tensor degrees = (cameras / kDegree).contiguous();
  const auto* angle = degrees.const_data_ptr<double>();
  write_folder_through(folder, [&](const std::filesystem::path& made) {
    std::string table = fmt::format("file,azimuth,elevation,{}\n", kWidthColumn);
    for (std::int64_t v = 0; v < views; ++v) {
      const std::string name = fmt::format("view_{:03}.png", v + 1);
      write_file(made / name, chart::encode_png(images.size(3), images.size(2), rgb_bytes(images[v])));
      table += fmt::format("{},{},{},{}\n", name, angle[2 * v], angle[2 * v + 1], half_width);
    }
    write_file(made / kCamerasFile, table);
  });
}

}  // namespace pairs
