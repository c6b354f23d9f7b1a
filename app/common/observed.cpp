#include "app/common/observed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/common/png_folder.h"
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

torch::Tensor pick_array(const std::filesystem::path& path, const std::string& name) {
  const auto arrays = read_npz(path);
  if (const auto found = arrays.find(name); found != arrays.end()) return found->second;
  if (arrays.size() == 1) return arrays.begin()->second;
  PAIRS_CHECK(!arrays.empty(), "{} holds no array; save one named \"{}\"", path.string(), name);
  std::vector<std::string> names;
  for (const auto& [key, value] : arrays) names.push_back(printable(key));
  fail("{} holds the arrays {} and none is named \"{}\"; give that name to the one that holds the {}", path.string(),
       fmt::join(names, ", "), name, name == "x" ? "observations" : "values of θ");
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

}  // namespace

torch::Tensor as_observations(torch::Tensor x, const TaskInfo& task, const std::string& where) {
  const std::vector<std::int64_t>& shape = task.observation_shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (x.dim() == rank && shape[0] == 1) x = x.unsqueeze(1);
  const bool fits = x.dim() == rank + 1 && std::equal(shape.begin(), shape.end(), x.sizes().begin() + 1);
  PAIRS_CHECK(fits, "{} has the shape {} but task {} needs {}", where, shape_text(x.sizes()), task.name,
              shape_text(shape, "N"));
  PAIRS_CHECK(x.size(0) > 0, "{} holds no observation; a set needs at least one", where);
  PAIRS_CHECK(!x.is_complex() && x.scalar_type() != torch::kBool, "{} must hold real numbers", where);
  if (!x.is_floating_point()) {
    x = x.to(torch::kFloat32);
    if (task.kind == ObservationKind::image) {
      PAIRS_CHECK(x.min().item<float>() >= 0 && x.max().item<float>() <= 255,
                  "{} holds whole numbers outside 0..255; give images as bytes, or as floats from 0 to 1", where);
      PAIRS_CHECK(shape[0] <= 3,
                  "{} holds whole numbers, but only the first three channels of task {} are colours; give "
                  "floats",
                  where, task.name);
      x = x / 255.0;
    }
  }
  check_finite(x, where);
  const torch::Tensor narrow = x.to(torch::kFloat32).contiguous();
  PAIRS_CHECK(torch::isfinite(narrow).all().item<bool>(),
              "{} holds values beyond ±3.4e38, the range of single precision; rescale or remove them", where);
  return narrow;
}

torch::Tensor read_observed(const std::filesystem::path& path, const TaskInfo& task) {
  check_exists(path);
  if (std::filesystem::is_directory(path)) {
    PAIRS_CHECK(task.kind == ObservationKind::image,
                "{} is a folder, but the observations of task {} are points; give an .npz or .csv file", path.string(),
                task.name);
    const auto& shape = task.observation_shape;
    PAIRS_CHECK(
        shape.at(0) == 1 || shape.at(0) == 3,
        "{} is a folder, but observations of task {} have {} channels, which PNGs do not hold; give an .npz file",
        path.string(), task.name, shape.at(0));
    return read_png_folder(path, shape.at(0), shape.at(1), shape.at(2));
  }
  const std::string extension = lower_extension(path);
  if (extension == ".npz") return as_observations(pick_array(path, "x"), task, path.string());
  if (extension == ".csv") {
    PAIRS_CHECK(task.kind == ObservationKind::points,
                "{} is a CSV file, but the observations of task {} are images; give an .npz file or a folder of PNGs",
                path.string(), task.name);
    const torch::Tensor rows = read_csv(path, task.observation_columns);
    PAIRS_CHECK(rows.size(1) == task.observation_shape[0], "{} has {} columns but task {} needs {}: {}{}",
                path.string(), rows.size(1), task.name, task.observation_shape[0],
                fmt::join(task.observation_columns, ", "),
                may_have_decimal_commas(rows, task.observation_shape[0])
                    ? "; if its numbers have decimal commas, write decimal points"
                    : "");
    return as_observations(rows, task, path.string());
  }
  fail("{} is neither an .npz file nor {}; convert it to one of them", path.string(),
       task.kind == ObservationKind::points ? "a .csv file" : "a folder of PNGs");
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
    std::map<std::string, torch::Tensor> arrays;
    if (std::filesystem::is_regular_file(path) && lower_extension(path) == ".npz") arrays = read_npz(path);
    const auto found = arrays.find("given");
    if (found == arrays.end())
      fail_usage("Sets of task {} come with {}: name them with --given, or as the array \"given\" of an .npz file",
                 task.name, fmt::join(names, ", "));
    given = found->second;
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
  torch::Tensor theta;
  if (extension == ".npz")
    theta = pick_array(path, "theta");
  else if (extension == ".csv")
    theta = read_csv(path);
  else
    fail("{} is neither an .npz nor a .csv file; give the values of θ as one of them", path.string());
  const std::int64_t targets = task.target_size();
  if (theta.dim() == 1) theta = targets == 1 ? theta.unsqueeze(1) : theta.unsqueeze(0);
  PAIRS_CHECK(theta.dim() == 2 && theta.size(1) == targets && theta.size(0) > 0 && !theta.is_complex(),
              "{} has the shape {} but the θ of task {} needs [S, {}]", path.string(), shape_text(theta.sizes()),
              task.name, targets);
  theta = theta.to(torch::kFloat64).contiguous();
  check_finite(theta, path.string());
  return theta;
}

}  // namespace pairs
