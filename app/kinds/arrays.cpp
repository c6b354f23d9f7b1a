#include "app/kinds/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/files/npz_texts.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/input_scale.h"
#include "tasks/file_format.h"

namespace pairs {
namespace {

// Whether an array of this shape lacks the only channel, or the last axis of one-dimensional points.
bool lacks_axis(at::IntArrayRef sizes, const TaskInfo& task) {
  return sizes.size() == task.observation_shape.size() && task.observation_shape[0] == 1;
}

}  // namespace

void refuse_several_sets(NpzReader& arrays, std::int64_t observations, const std::filesystem::path& path) {
  const auto set = arrays.shapes().find("set"), offsets = arrays.shapes().find("offsets");
  if (set != arrays.shapes().end() && set->second == std::vector<std::int64_t>{observations}) {
    const torch::Tensor numbers = arrays.read("set");
    if (numbers.numel() > 0 && !numbers.eq(numbers[0]).all().item<bool>())
      fail("{} holds several sets, which its array \"set\" separates; query each with --group set", path.string());
  }
  if (offsets == arrays.shapes().end() || offsets->second.size() != 1 || offsets->second[0] < 3) return;
  const torch::Tensor firsts = arrays.read("offsets");
  if (!firsts.is_complex() && firsts[0].item<double>() == 0 &&
      firsts[-1].item<double>() == static_cast<double>(observations))
    fail(
        "{} holds {} sets, by its array \"offsets\"; add an array \"set\" with the number of each observation's set, "
        "and ask about each with --group set",
        path.string(), offsets->second[0] - 1);
}

std::string shape_text(at::IntArrayRef shape, const char* first) {
  std::vector<std::string> parts;
  if (first) parts.emplace_back(first);
  for (const std::int64_t size : shape) parts.push_back(fmt::format("{}", size));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// The array `name` of a file, or its only one.
const std::string& pick_array(const NpzReader& arrays, const std::filesystem::path& path, const std::string& name) {
  const auto& shapes = arrays.shapes();
  if (const auto found = shapes.find(name); found != shapes.end()) return found->first;
  if (const auto problem = arrays.problems().find(name); problem != arrays.problems().end())
    fail("{}", problem->second);
  if (shapes.size() == 1) return shapes.begin()->first;
  PAIRS_CHECK(!shapes.empty(), "{} holds no array; save one named \"{}\"", path.string(), name);
  std::vector<std::string> names;
  for (const auto& [key, shape] : shapes) names.push_back(printable(key));
  fail("{} holds the arrays {} and none is named \"{}\"; give that name to the one that holds the {}", path.string(),
       fmt::join(names, ", "), name, name == "x" ? "observations" : "values of θ");
}

torch::Tensor read_masked(NpzReader& arrays, const std::filesystem::path& path, const std::string& name,
                          std::int64_t rows) {
  torch::Tensor values = arrays.read(name, rows);
  const std::vector<std::int64_t> shape = arrays.shapes().at(name);
  for (const std::string& called : {std::string("mask"), name + "_mask", name + ".mask"}) {
    const auto found = arrays.shapes().find(called);
    if (found == arrays.shapes().end() || called == name) continue;
    const std::string where = fmt::format("{}: its array {}", printable(path.string(), 300), printable(called));
    // One entry for each number or for each row, in which axes of length one may be missing.
    const bool each = found->second == shape;
    const bool row = !shape.empty() && !found->second.empty() && found->second[0] == shape[0] &&
                     std::all_of(found->second.begin() + 1, found->second.end(), [](auto size) { return size == 1; });
    PAIRS_CHECK(each || row,
                "{} has the shape {} and marks no value of {} with the shape {}; give it that shape or an entry a row, "
                "or call it otherwise where it is no mask",
                where, shape_text(found->second), printable(name), shape_text(shape));
    const torch::Tensor read = arrays.read(called, rows);
    const torch::Tensor mask = read.ne(0);
    PAIRS_CHECK(!read.is_complex() && read.eq(mask.to(read.scalar_type())).all().item<bool>(),
                "{} holds other numbers than 0 and 1; a mask is 1 where a value is missing, as in numpy.ma", where);
    if (!mask.any().item<bool>()) continue;
    PAIRS_CHECK(values.scalar_type() != torch::kByte && values.scalar_type() != torch::kBool,
                "{} marks values of {} as missing, which holds bytes; leave these observations out, or save floats",
                where, printable(name));
    if (!values.is_floating_point()) values = values.to(torch::kFloat64);
    std::vector<std::int64_t> broad(static_cast<std::size_t>(values.dim()), 1);
    broad[0] = values.size(0);
    values = values.masked_fill(each ? mask : mask.reshape(broad), std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

std::vector<std::string> names_of_x(const NpzReader& arrays, const std::filesystem::path& path) {
  const auto x = arrays.shapes().find("x");
  if (x == arrays.shapes().end() || x->second.size() != 2 || x->second[1] < 2) return {};
  std::vector<std::string> known = {"columns", "columns_x", "x_columns", "column_names", "names"}, objects;
  std::erase_if(known, [&](const std::string& name) {
    if (arrays.problems().contains(name)) objects.push_back(name);
    return arrays.problems().contains(name);
  });
  auto [called, names] = find_npz_texts(path, known);
  if (std::ssize(names) == x->second[1]) return std::move(names);
  PAIRS_CHECK(objects.empty(),
              "{}: its array {} may name the columns of x, and is not read, as it holds objects; save it with "
              "astype(str), or leave it out",
              printable(path.string(), 300), objects.front());
  return {};
}

void check_block_shape(at::IntArrayRef sizes, const TaskInfo& task, const std::string& where) {
  const std::vector<std::int64_t>& shape = task.observation_shape;
  const std::size_t own = lacks_axis(sizes, task) ? 1 : 0;  // index of an observation's first axis in `shape`
  const bool fits =
      sizes.size() == shape.size() + 1 - own && std::equal(sizes.begin() + 1, sizes.end(), shape.begin() + own);
  PAIRS_CHECK(fits, "{} has the shape {} but task {} needs {}", where, shape_text(sizes), task.name,
              shape_text(shape, "N"));
  PAIRS_CHECK(sizes[0] > 0, "{} holds no observation; a set needs at least one", where);
}

ObservationSummaries column_summaries(const TaskInfo& info, const torch::Tensor& x) {
  std::vector<torch::Tensor> columns;
  ObservationSummaries out;
  for (std::int64_t k = 0; k < x.size(1); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const std::string name =
        at < info.observation_columns.size() ? info.observation_columns[at] : fmt::format("column {}", k + 1);
    const torch::Tensor one = x.select(1, k).to(torch::kFloat64);
    if (const double period = info.column_period(at); period > 0) {
      columns.push_back((one * (2 * M_PI / period)).cos());
      columns.push_back((one * (2 * M_PI / period)).sin());
      out.names.push_back("cosine of " + name);
      out.names.push_back("sine of " + name);
    } else {
      columns.push_back(one);
      out.names.push_back(name);
    }
  }
  out.values = torch::stack(columns, 1);
  return out;
}

void check_finite(const torch::Tensor& values, const std::string& where) {
  const torch::Tensor bad = torch::isfinite(values).logical_not().reshape({values.size(0), -1}).any(1);
  const auto count = bad.sum().item<std::int64_t>();
  PAIRS_CHECK(count == 0, "{}: {} of {} rows hold NaN or infinite values, the first is row {}; remove or repair them",
              where, count, values.size(0), bad.to(torch::kInt64).argmax().item<std::int64_t>() + 1);
}

std::string lower_extension(const std::filesystem::path& path) {
  return ending_of_format(path);
}

void check_exists(const std::filesystem::path& path) {
  std::error_code error;
  PAIRS_CHECK(std::filesystem::exists(path, error), "The file {} does not exist", path.string());
}

torch::Tensor with_all_axes(const torch::Tensor& x, const TaskInfo& task) {
  return lacks_axis(x.sizes(), task) ? x.unsqueeze(1) : x;
}

Observed checked_block(const torch::Tensor& x, const TaskInfo& task, const std::string& where) {
  check_finite(x, where);
  const torch::Tensor values = x.to(observed_type(task)).contiguous();
  PAIRS_CHECK(torch::isfinite(values.to(torch::kFloat32)).all().item<bool>(),
              "{} holds values beyond ±3.4e38, the range of single precision; rescale or remove them", where);
  return {values, x.size(0), {}};
}

Observed read_block(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most, Missing missing) {
  NpzReader arrays(path);
  const std::string& name = pick_array(arrays, path, "x");
  const std::vector<std::int64_t>& shape = arrays.shapes().at(name);
  check_block_shape(shape, task, path.string());
  refuse_several_sets(arrays, shape[0], path);
  std::int64_t dropped = 0;
  const bool all = missing == Missing::drop;
  const torch::Tensor whole =
      keep_whole(read_masked(arrays, path, name, all ? std::numeric_limits<std::int64_t>::max() : most), missing,
                 path.string(), dropped, task.observation_columns);
  Observed observed =
      room_of(task).checked(whole.slice(0, 0, std::min(most, whole.size(0))).contiguous(), task, path.string());
  observed.held = shape[0] - dropped;
  observed.dropped = dropped;
  return observed;
}

}  // namespace pairs
