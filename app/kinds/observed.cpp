#include "app/kinds/observed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "app/kinds/image_folder.h"
#include "core/base/error.h"
#include "core/base/npz.h"
#include "core/base/text.h"

namespace pairs {
namespace {

std::string shape_text(at::IntArrayRef shape, const char* first = nullptr) {
  std::vector<std::string> parts;
  if (first) parts.emplace_back(first);
  for (const std::int64_t size : shape) parts.push_back(fmt::format("{}", size));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// The array `name` of a file, or its only one.
const std::string& pick_array(const NpzReader& arrays, const std::filesystem::path& path, const std::string& name) {
  const auto& shapes = arrays.shapes();
  if (const auto found = shapes.find(name); found != shapes.end()) return found->first;
  if (shapes.size() == 1) return shapes.begin()->first;
  PAIRS_CHECK(!shapes.empty(), "{} holds no array; save one named \"{}\"", path.string(), name);
  std::vector<std::string> names;
  for (const auto& [key, shape] : shapes) names.push_back(printable(key));
  fail("{} holds the arrays {} and none is named \"{}\"; give that name to the one that holds the {}", path.string(),
       fmt::join(names, ", "), name, name == "x" ? "observations" : "values of θ");
}

// Whether an array of this shape lacks the only channel, or the last axis of one-dimensional points.
bool lacks_axis(at::IntArrayRef sizes, const TaskInfo& task) {
  return sizes.size() == task.observation_shape.size() && task.observation_shape[0] == 1;
}

void check_shape(at::IntArrayRef sizes, const TaskInfo& task, const std::string& where) {
  const std::vector<std::int64_t>& shape = task.observation_shape;
  const std::size_t own = lacks_axis(sizes, task) ? 1 : 0;  // where an observation's axes begin in `shape`
  const bool fits =
      sizes.size() == shape.size() + 1 - own && std::equal(sizes.begin() + 1, sizes.end(), shape.begin() + own);
  PAIRS_CHECK(fits, "{} has the shape {} but task {} needs {}", where, shape_text(sizes), task.name,
              shape_text(shape, "N"));
  PAIRS_CHECK(sizes[0] > 0, "{} holds no observation; a set needs at least one", where);
}

void check_finite(const torch::Tensor& values, const std::string& where) {
  const torch::Tensor bad = torch::isfinite(values).logical_not().reshape({values.size(0), -1}).any(1);
  const auto count = bad.sum().item<std::int64_t>();
  PAIRS_CHECK(count == 0, "{}: {} of {} rows hold NaN or infinite values, the first is row {}; remove or repair them",
              where, count, values.size(0), bad.to(torch::kInt64).argmax().item<std::int64_t>() + 1);
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

// Whether a file may hold numbers with decimal commas, each read as two.
bool may_have_decimal_commas(const torch::Tensor& rows, std::int64_t columns) {
  return rows.size(1) == 2 * columns && rows.equal(rows.floor());
}

void check_exists(const std::filesystem::path& path) {
  std::error_code error;
  PAIRS_CHECK(std::filesystem::exists(path, error), "The file {} does not exist", path.string());
}

// The channels of images that are colours, or their only one.
torch::Tensor colours(const torch::Tensor& x) {
  return x.narrow(1, 0, std::min<std::int64_t>(x.size(1), x.size(1) >= 3 ? 3 : 1));
}

// Images of whole numbers as floats: 0 and 1 as they are, bytes over 255.
torch::Tensor scaled_images(const torch::Tensor& x, const TaskInfo& task, const std::string& where) {
  const auto low = x.min().item<std::int64_t>(), high = x.max().item<std::int64_t>();
  PAIRS_CHECK(low >= 0 && high <= 255,
              "{} holds whole numbers outside 0..255; give images as bytes, or as floats from "
              "0 to 1",
              where);
  PAIRS_CHECK(x.size(1) <= 3,
              "{} holds whole numbers, but only the first three channels of task {} are colours; give floats", where,
              task.name);
  return x.to(torch::kFloat32) / (high > 1 ? 255.0 : 1.0);
}

// Refuses colours that are no colours, and tells of images without any.
void check_colours(const torch::Tensor& x, const std::string& where, std::vector<std::string>& warnings) {
  constexpr double margin = 4;  // beyond [0, 1]: a task's noise is not clamped
  const torch::Tensor pixels = colours(x).flatten(1);
  const double low = pixels.min().item<double>(), high = pixels.max().item<double>();
  PAIRS_CHECK(low >= -margin && high <= 1 + margin,
              "{} holds images with values from {:.4g} to {:.4g}, but black is 0 and white is 1; {}", where, low, high,
              low >= 0 && high <= 255 ? "divide them by 255" : "rescale them");
  const torch::Tensor blank = pixels.amax(1) == pixels.amin(1);
  const auto count = blank.sum().item<std::int64_t>();
  if (count > 0)
    warnings.push_back(fmt::format("{} of {} images of {} {} blank, one colour all over (the first is image {})", count,
                                   x.size(0), where, count == 1 ? "is" : "are",
                                   blank.to(torch::kInt64).argmax().item<std::int64_t>() + 1));
}

}  // namespace

Observed as_observations(torch::Tensor x, const TaskInfo& task, const std::string& where) {
  check_shape(x.sizes(), task, where);
  if (lacks_axis(x.sizes(), task)) x = x.unsqueeze(1);
  const bool image = task.kind == ObservationKind::image;
  PAIRS_CHECK(!x.is_complex() && (image || x.scalar_type() != torch::kBool), "{} must hold real numbers", where);
  if (!x.is_floating_point()) x = image ? scaled_images(x.to(torch::kInt64), task, where) : x.to(torch::kFloat32);
  check_finite(x, where);
  Observed observed;
  observed.x = x.to(torch::kFloat32).contiguous();
  observed.held = x.size(0);
  PAIRS_CHECK(torch::isfinite(observed.x).all().item<bool>(),
              "{} holds values beyond ±3.4e38, the range of single precision; rescale or remove them", where);
  if (image) check_colours(observed.x, where, observed.warnings);
  return observed;
}

Observed read_observed(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most) {
  check_exists(path);
  if (std::filesystem::is_directory(path)) {
    PAIRS_CHECK(task.kind == ObservationKind::image,
                "{} is a folder, but the observations of task {} are points; give an .npz or .csv file", path.string(),
                task.name);
    const auto& shape = task.observation_shape;
    PAIRS_CHECK(
        shape.at(0) == 1 || shape.at(0) == 3,
        "{} is a folder, but observations of task {} have {} channels, which images do not hold; give an .npz file",
        path.string(), task.name, shape.at(0));
    Observed observed = read_image_folder(path, shape.at(0), shape.at(1), shape.at(2), most);
    check_colours(observed.x, path.string(), observed.warnings);
    return observed;
  }
  const std::string extension = lower_extension(path);
  if (extension == ".npz") {
    NpzReader arrays(path);
    const std::string& name = pick_array(arrays, path, "x");
    const std::vector<std::int64_t>& shape = arrays.shapes().at(name);
    check_shape(shape, task, path.string());
    Observed observed = as_observations(arrays.read(name, most), task, path.string());
    observed.held = shape[0];
    return observed;
  }
  if (extension == ".csv") {
    PAIRS_CHECK(task.kind == ObservationKind::points,
                "{} is a CSV file, but the observations of task {} are images; give an .npz file or a folder of images",
                path.string(), task.name);
    const torch::Tensor rows = read_csv(path, task.observation_columns);
    PAIRS_CHECK(rows.size(1) == task.observation_shape[0], "{} has {} but task {} needs {}: {}{}", path.string(),
                counted(static_cast<std::size_t>(rows.size(1)), "column"), task.name, task.observation_shape[0],
                fmt::join(task.observation_columns, ", "),
                may_have_decimal_commas(rows, task.observation_shape[0])
                    ? "; if its numbers have decimal commas, write decimal points"
                    : "");
    Observed observed = as_observations(rows.slice(0, 0, std::min(most, rows.size(0))), task, path.string());
    observed.held = rows.size(0);
    return observed;
  }
  fail("{} is neither an .npz file nor {}; convert it to one of them", path.string(),
       task.kind == ObservationKind::points ? "a .csv file" : "a folder of images");
}

torch::Tensor read_given(const std::string& text, const std::filesystem::path& path, const TaskInfo& task) {
  std::vector<std::string> names;
  for (const Given& one : task.given) names.push_back(one.name);
  if (names.empty()) {
    if (!text.empty()) fail_usage("Sets of task {} come with nothing given beside their observations", task.name);
    return {};
  }
  torch::Tensor given;
  if (!text.empty()) {
    given = parse_csv(text, fmt::format("--given {}", printable(text)));
  } else {
    constexpr const char* array = "given";
    std::optional<NpzReader> arrays;
    if (std::filesystem::is_regular_file(path) && lower_extension(path) == ".npz") arrays.emplace(path);
    if (!arrays || !arrays->shapes().contains(array))
      fail_usage("Sets of task {} come with {}: name them with --given, or as the array \"{}\" of an .npz file",
                 task.name, fmt::join(names, ", "), array);
    given = arrays->read(array, task.given_size() + 1);
  }
  PAIRS_CHECK(given.numel() == task.given_size() && !given.is_complex(),
              "{} number{} given, but sets of task {} come with {}: {}", given.numel(),
              given.numel() == 1 ? " is" : "s are", task.name, names.size(), fmt::join(names, ", "));
  given = given.to(torch::kFloat64).reshape({1, -1}).contiguous();
  check_finite(given, "The given quantities");
  return given;
}

torch::Tensor read_theta(const std::filesystem::path& path, const TaskInfo& task) {
  PAIRS_CHECK(!task.image_target(),
              "The target of task {} is an image, of which no density is scored; leave out --theta", task.name);
  check_exists(path);
  const std::string extension = lower_extension(path);
  constexpr std::int64_t most = 1000000;
  torch::Tensor theta;
  if (extension == ".npz") {
    NpzReader arrays(path);
    theta = arrays.read(pick_array(arrays, path, "theta"), most + 1);
  } else if (extension == ".csv") {
    std::vector<std::string> names;
    for (const Target& target : task.targets) names.push_back(target.name);
    theta = read_csv(path, names);
  } else {
    fail("{} is neither an .npz nor a .csv file; give the values of θ as one of them", path.string());
  }
  const std::int64_t targets = task.target_size();
  if (theta.dim() == 1) theta = targets == 1 ? theta.unsqueeze(1) : theta.unsqueeze(0);
  PAIRS_CHECK(theta.dim() == 2 && theta.size(1) == targets && theta.size(0) > 0 && !theta.is_complex(),
              "{} has the shape {} but the θ of task {} needs [S, {}]", path.string(), shape_text(theta.sizes()),
              task.name, targets);
  PAIRS_CHECK(theta.size(0) <= most, "{} holds more than the {} values of θ that are scored at once; split it",
              path.string(), most);
  theta = theta.to(torch::kFloat64).contiguous();
  check_finite(theta, path.string());
  return theta;
}

}  // namespace pairs
