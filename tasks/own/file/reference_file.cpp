#include "tasks/own/file/reference_file.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/files/npz_texts.h"
#include "core/base/gpu/transfer.h"
#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/grid_density.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostReference = std::uint64_t{1} << 30;  // bytes of a CSV file
constexpr std::size_t kFewestValues = 4;                          // per target
constexpr const char *kSet = "set", *kLogDensity = "log_density";

using Grid = ReferenceFile::Grid;
// θ [d] followed by its log density.
using Row = std::vector<double>;

// The neighbors of `value` on an ascending axis, and its relative position between them; none beyond the axis.
struct Between {
  std::size_t below;
  double share;
};
std::optional<Between> between(const std::vector<double>& axis, double value) {
  if (!(value >= axis.front() && value <= axis.back())) return std::nullopt;
  const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, value);
  const auto below = static_cast<std::size_t>(above - axis.begin()) - 1;
  return Between{below, (value - axis[below]) / (axis[below + 1] - axis[below])};
}

// log of a (1 - share) + b share for logarithms a and b; -infinity if one with a positive weight is.
double mixed_log(double a, double b, double share) {
  return share <= 0 ? a : share >= 1 ? b : a + share * (b - a);
}

double log_at(const Grid& grid, const double* theta) {
  const double none = -std::numeric_limits<double>::infinity();
  const auto first = between(grid.axes[0], theta[0]);
  if (!first) return none;
  const auto value = [&](double a, double b, double share) {
    return std::isinf(a) && std::isinf(b) ? none : mixed_log(a, b, share);
  };
  if (grid.axes.size() == 1) return value(grid.logs[first->below], grid.logs[first->below + 1], first->share);
  const auto second = between(grid.axes[1], theta[1]);
  if (!second) return none;
  const std::size_t columns = grid.axes[1].size(), at = first->below * columns + second->below;
  return value(value(grid.logs[at], grid.logs[at + 1], second->share),
               value(grid.logs[at + columns], grid.logs[at + columns + 1], second->share), first->share);
}

torch::Tensor logs_at(const Grid& grid, const torch::Tensor& theta) {
  const torch::Tensor packed = theta.to(torch::kCPU, torch::kFloat64).contiguous();
  const torch::Tensor out = at::empty({packed.size(0)}, torch::kFloat64);
  const double* from = packed.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  for (std::int64_t k = 0; k < packed.size(0); ++k) to[k] = log_at(grid, from + k * packed.size(1));
  return out;
}

class TabledPosterior final : public ReferencePosterior {
 public:
  TabledPosterior(std::shared_ptr<const Grid> grid, bool normalized, std::vector<Target> targets,
                  const std::string& name)
      : grid_(std::move(grid)), normalized_(normalized), density_(made(grid_, std::move(targets), name)) {}
  void add(const Observations&) override {}
  torch::Tensor log_density(const torch::Tensor& theta) override {
    return normalized_ ? logs_at(*grid_, theta) : density_.log_density(theta);
  }
  torch::Tensor mean() override { return density_.mean(); }
  torch::Tensor covariance() override { return density_.covariance(); }
  torch::Tensor sample(std::int64_t count, Stream& stream) override { return density_.sample(count, stream); }

 private:
  static GridDensity made(const std::shared_ptr<const Grid>& grid, std::vector<Target> targets,
                          const std::string& name) {
    for (std::size_t k = 0; k < targets.size(); ++k) {
      targets[k].low = targets[k].view_low = grid->axes[k].front();
      targets[k].high = targets[k].view_high = grid->axes[k].back();
    }
    return {targets, [grid](const torch::Tensor& theta) { return logs_at(*grid, theta); }, name};
  }

  std::shared_ptr<const Grid> grid_;
  bool normalized_;
  GridDensity density_;
};

// The grid from the rows of one set, which `where` names.
Grid grid_of(std::vector<Row> rows, const std::vector<Target>& targets, const std::string& where) {
  const std::size_t d = targets.size();
  Grid grid;
  std::size_t cells = 1;
  for (std::size_t k = 0; k < d; ++k) {
    std::vector<double> axis;
    for (const Row& row : rows) axis.push_back(row[k]);
    std::sort(axis.begin(), axis.end());
    axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
    PAIRS_CHECK(axis.size() >= kFewestValues, "{} has log densities at {} of {}; give {} at least", where,
                counted(axis.size(), "value"), targets[k].name, kFewestValues);
    cells *= axis.size();
    grid.axes.push_back(std::move(axis));
  }
  std::sort(rows.begin(), rows.end());
  PAIRS_CHECK(cells == rows.size(),
              "{} has {} log densities, but its values of θ make a grid of {}; give one at each point of a grid, once",
              where, rows.size(), cells);
  bool any = false;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool twice = k > 0 && std::equal(rows[k].begin(), rows[k].end() - 1, rows[k - 1].begin());
    PAIRS_CHECK(!twice, "{} has two log densities at {} = {}; give one at each point of a grid, once", where,
                targets[0].name, rows[k][0]);
    grid.logs.push_back(rows[k].back());
    any = any || std::isfinite(rows[k].back());
  }
  PAIRS_CHECK(any, "{} has no log density that is finite", where);
  return grid;
}

void check_number(const Row& row, const std::string& where) {
  for (std::size_t k = 0; k + 1 < row.size(); ++k)
    PAIRS_CHECK(std::isfinite(row[k]), "{}: a value of θ is {}; it must be finite", where, row[k]);
  PAIRS_CHECK(!std::isnan(row.back()) && row.back() < std::numeric_limits<double>::infinity(),
              "{}: the log density is {}; it must be a number or -inf", where, row.back());
}

using SetRowsByName = std::map<std::string, std::vector<Row>>;

// Reads a CSV table with one row per point: columns set, the targets and log_density, in any order.
SetRowsByName csv_rows(const fs::path& file, const std::vector<Target>& targets, const std::string& where) {
  std::istringstream text(read_file(file, kMostReference));
  std::vector<std::string> wanted = {kSet};
  for (const Target& target : targets) wanted.push_back(target.name);
  wanted.emplace_back(kLogDensity);
  std::vector<std::size_t> places;  // of the wanted columns
  SetRowsByName out;
  std::string line;
  for (std::size_t number = 1; std::getline(text, line); ++number) {
    std::string_view left = csv_content(line);
    if (left.empty()) continue;
    const char separator = csv_separator(left);
    std::vector<std::string> cells;
    for (bool more = true; more;) cells.push_back(csv_text(take_csv_cell(left, separator, more)));
    if (places.empty()) {
      for (const std::string& name : wanted) {
        const auto at = std::find(cells.begin(), cells.end(), name);
        PAIRS_CHECK(at != cells.end(), "{} has no column {}; its first line must name set, {} and log_density", where,
                    name, targets.front().name);
        places.push_back(static_cast<std::size_t>(at - cells.begin()));
      }
      continue;
    }
    const std::string place = fmt::format("{}, line {}", where, number);
    Row row;
    for (std::size_t k = 0; k < places.size(); ++k) {
      PAIRS_CHECK(places[k] < cells.size(), "{} has fewer cells than the first line", place);
      const std::string& cell = cells[places[k]];
      double value = 0;
      if (k == 0) continue;
      PAIRS_CHECK(parse_csv_number(cell, value) == CsvNumber::good, "{}: '{}' is no number of the column {}", place,
                  printable(cell, 100), wanted[k]);
      row.push_back(value);
    }
    check_number(row, place);
    out[cells[places[0]]].push_back(std::move(row));
  }
  return out;
}

// Reads arrays theta [G, d], log_density [S, G] and the names set [S].
SetRowsByName npz_rows(const fs::path& file, const std::vector<Target>& targets, const std::string& where) {
  NpzReader arrays(file);
  const auto d = static_cast<std::int64_t>(targets.size());
  for (const char* name : {"theta", kLogDensity})
    PAIRS_CHECK(arrays.shapes().contains(name), "{} has no array {}; it must hold theta, log_density and set", where,
                name);
  torch::Tensor theta = arrays.read("theta").to(torch::kFloat64);
  if (theta.dim() == 1 && d == 1) theta = theta.unsqueeze(1);
  const torch::Tensor logs = arrays.read(kLogDensity).to(torch::kFloat64);
  PAIRS_CHECK(theta.dim() == 2 && theta.size(1) == d && logs.dim() == 2 && logs.size(1) == theta.size(0),
              "{}: theta must be [G, {}] and log_density [sets, G]", where, d);
  std::vector<std::string> names;
  if (!arrays.shapes().contains(kSet)) {
    names = read_npz_texts(file, kSet);
  } else {
    for (const double name : doubles(arrays.read(kSet).to(torch::kFloat64))) names.push_back(fmt::format("{}", name));
  }
  PAIRS_CHECK(static_cast<std::int64_t>(names.size()) == logs.size(0),
              "{}: the array set names {} of {} sets; give a text or a whole number for each", where, names.size(),
              logs.size(0));
  const std::vector<double> values = doubles(theta), all = doubles(logs);
  const auto points = static_cast<std::size_t>(theta.size(0)), dims = static_cast<std::size_t>(d);
  SetRowsByName out;
  for (std::size_t set = 0; set < names.size(); ++set)
    for (std::size_t k = 0; k < points; ++k) {
      Row row(values.begin() + static_cast<std::ptrdiff_t>(k * dims),
              values.begin() + static_cast<std::ptrdiff_t>((k + 1) * dims));
      row.push_back(all[set * points + k]);
      check_number(row, fmt::format("{}, set {}", where, printable(names[set], 100)));
      out[names[set]].push_back(std::move(row));
    }
  return out;
}

}  // namespace

ReferenceFile::ReferenceFile(fs::path file, bool normalized, std::vector<Target> targets)
    : file_(std::move(file)), normalized_(normalized), targets_(std::move(targets)) {}

const ReferenceFile::Grids& ReferenceFile::grids() const {
  const std::string where = printable(file_.string(), 300);
  std::error_code error;
  const auto now = fs::last_write_time(file_, error);
  PAIRS_CHECK(!error, "{}, which [reference] names, cannot be read: {}", where, error.message());
  if (now == read_) return grids_;
  const std::string ending = file_.extension().string();
  PAIRS_CHECK(ending == ".npz" || ending == ".csv", "{}, which [reference] names, must be a .csv or an .npz file",
              where);
  SetRowsByName rows = ending == ".npz" ? npz_rows(file_, targets_, where) : csv_rows(file_, targets_, where);
  PAIRS_CHECK(!rows.empty(), "{} holds no log densities", where);
  Grids grids;
  for (auto& [name, own] : rows)
    grids[name] = std::make_shared<const Grid>(
        grid_of(std::move(own), targets_, fmt::format("{}: the set {}", where, printable(name, 100))));
  grids_ = std::move(grids);
  read_ = now;
  return grids_;
}

std::shared_ptr<const ReferenceFile> reference_file_of(const TaskFile& task) {
  if (!task.reference_file) return nullptr;
  return std::make_shared<const ReferenceFile>(task.origin.parent_path() / task.reference_file->file,
                                               task.reference_file->normalized, task.info.targets);
}

std::function<std::unique_ptr<ReferencePosterior>(const std::vector<std::string>& names)> known_references(
    const TaskFile& task) {
  const std::shared_ptr<const ReferenceFile> file = reference_file_of(task);
  if (!file) return {};
  return [file](const std::vector<std::string>& names) { return file->of(names); };
}

std::unique_ptr<ReferencePosterior> ReferenceFile::of(const std::vector<std::string>& names) const {
  std::shared_ptr<const Grid> grid;
  {
    const std::lock_guard lock(mutex_);
    const Grids& all = grids();
    for (const std::string& name : names)
      if (const auto at = all.find(name); !grid && at != all.end()) grid = at->second;
  }
  if (!grid) return nullptr;
  return std::make_unique<TabledPosterior>(std::move(grid), normalized_, targets_,
                                           "The reference posterior in " + printable(file_.string(), 300));
}

}  // namespace pairs::own
