#include "app/kinds/observed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "app/kinds/arrays.h"
#include "app/kinds/points/points_columns.h"
#include "app/kinds/target_room.h"
#include "core/base/error.h"
#include "core/base/face.h"
#include "core/base/text.h"
#include "tasks/table_file.h"

namespace pairs {

Observed as_observations(torch::Tensor x, const TaskInfo& task, const std::string& where) {
  return room_of(task).checked(std::move(x), task, where);
}

Observed read_observed(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most) {
  check_exists(path);
  return room_of(task).read(path, task, most);
}

ObservedTable read_observed_columns(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                                    const TableColumns& read) {
  check_exists(path);
  const std::vector<std::string>& columns = read.chosen;
  const bool table = !std::filesystem::is_directory(path) && room_of(task).lines(task, "") != nullptr &&
                     is_points_table(path, task, read);
  if (!read.reader.empty() && !table)
    fail_usage("--reader reads a table of points, and observations of task {} are none", task.name);
  if (!columns.empty()) {
    if (!table) fail_usage("Columns are chosen of a table of points; {} is none", printable(path.string(), 300));
    for (const std::string& name : columns)
      if (std::count(columns.begin(), columns.end(), name) > 1)
        fail_usage("Column {} is asked for twice; name each once", printable(name));
    if (columns.size() != task.observation_columns.size())
      fail_usage("{} named, but an observation of task {} has {}: {}", counted(columns.size(), "column"), task.name,
                 task.observation_columns.size(), fmt::join(task.observation_columns, ", "));
  }
  if (table) return read_points(path, task, most, read);
  return {room_of(task).read(path, task, most)};
}

std::vector<FileColumn> file_columns(const Task& task) {
  const HasFileColumns* const known = face<HasFileColumns>(task);
  return known ? known->file_columns() : std::vector<FileColumn>();
}

std::vector<std::string> observation_endings(const TaskInfo& task) {
  std::vector<std::string> endings = {".npz"};
  if (room_of(task).lines(task, "") == nullptr) return endings;
  endings.emplace_back(".csv");
  endings.insert(endings.end(), table_endings().begin(), table_endings().end());
  return endings;
}

Observations ObservedRows::pick(const std::vector<std::int64_t>& which) {
  constexpr std::int64_t kRows = 1 << 16;
  std::vector<std::size_t> order(which.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return which[a] < which[b]; });
  torch::Tensor out;
  for (std::size_t k = 0; k < order.size();) {
    const std::int64_t from = which[order[k]], to = std::min(from + kRows, count());
    const torch::Tensor rows = part(from, to).block();
    if (!out.defined()) out = at::empty({static_cast<std::int64_t>(which.size()), rows.size(1)}, rows.options());
    std::vector<std::int64_t> there, here;
    for (; k < order.size() && which[order[k]] < to; ++k) {
      there.push_back(which[order[k]] - from);
      here.push_back(static_cast<std::int64_t>(order[k]));
    }
    out.index_copy_(0, torch::tensor(here, torch::kInt64), rows.index_select(0, torch::tensor(there, torch::kInt64)));
  }
  return out;
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
  target_room_of(task).check_density(task, "of which no density is scored; leave out --theta");
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
