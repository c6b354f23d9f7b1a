#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/kinds/arrays.h"
#include "app/kinds/observation_lines.h"
#include "app/kinds/points/points_check.h"
#include "app/kinds/points/points_columns.h"
#include "app/kinds/points/points_plot.h"
#include "app/kinds/rooms.h"
#include "app/kinds/sample_plot.h"
#include "app/kinds/thumbnail.h"
#include "core/base/csv_lines.h"
#include "core/base/csv_table.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/input_scale.h"

namespace pairs {
namespace {

// Whether a file may hold numbers with decimal commas, each read as two.
bool may_have_decimal_commas(const torch::Tensor& rows, std::int64_t columns) {
  return rows.size(1) == 2 * columns && rows.equal(rows.floor());
}

}  // namespace

namespace {

// Columns that a person asks for are the file's: by their names, or by their numbers.
void check_named(const std::vector<std::string>& wanted, const CsvTable& table, const std::string& where) {
  const auto holds = [&](const std::string& name) {
    for (std::size_t k = 0; k < table.columns.size(); ++k)
      if (name == table.columns[k] || name == fmt::format("column {}", k + 1)) return true;
    return false;
  };
  for (const std::string& name : wanted)
    if (!holds(name))
      throw ColumnsError(
          fmt::format("{} has no column {}; {} {}", where, printable(name),
                      table.columns.front() == "column 1" ? "its first line names none: it has" : "it has",
                      printable(fmt::format("{}", fmt::join(table.columns, ", ")))),
          table.columns);
}

}  // namespace

ObservedTable read_points(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                          const std::vector<std::string>& columns) {
  CsvTable table = read_csv_table(path, columns.empty() ? task.observation_columns : columns);
  const torch::Tensor& rows = table.rows;
  check_named(columns, table, path.string());
  try {
    check_columns(task, rows.size(1), path.string(),
                  may_have_decimal_commas(rows, task.observation_shape[0])
                      ? "; if its numbers have decimal commas, write decimal points"
                      : "");
  } catch (const Error& error) {
    throw ColumnsError(error.what(), std::move(table.columns));
  }
  ObservedTable out;
  static_cast<Observed&>(out) =
      room_of(task).checked(rows.slice(0, 0, std::min(most, rows.size(0))), task, path.string());
  out.held = rows.size(0);
  out.columns = std::move(table.columns);
  out.taken = std::move(table.taken);
  return out;
}

void check_columns(const TaskInfo& info, std::int64_t columns, const std::string& where, const std::string& hint) {
  PAIRS_CHECK(columns == info.observation_shape[0], "{} has {} but task {} needs {}: {}{}", where,
              counted(static_cast<std::size_t>(columns), "column"), info.name, info.observation_shape[0],
              fmt::join(info.observation_columns, ", "), hint);
}

namespace {

// Points as lines of CSV.
class PointsLines final : public ObservationLines {
 public:
  // `where` names their source in errors; `info` outlives this.
  PointsLines(const TaskInfo& info, std::string where)
      : info_(info), where_(std::move(where)), lines_(where_, info.observation_columns) {}

  void take(std::string_view line) override {
    const std::size_t before = values_.size();
    try {
      if (lines_.take(line, values_)) check_columns(info_, static_cast<std::int64_t>(lines_.numbers()), where_, "");
    } catch (...) {
      values_.resize(before);
      throw;
    }
  }

  Observations gather() override {
    if (values_.empty()) return {};
    const auto columns = static_cast<std::int64_t>(lines_.numbers());
    const torch::Tensor rows = torch::tensor(values_, torch::kFloat64).view({-1, columns}).to(observed_type(info_));
    values_.clear();
    return rows;
  }

 private:
  const TaskInfo& info_;
  std::string where_;
  CsvLines lines_;
  std::vector<double> values_;
};

// Points: a few numbers each, on a line or in the plane.
class PointsRoom final : public ObservationRoom {
 public:
  std::string name() const override { return "points"; }

  std::unique_ptr<ObservationLines> lines(const TaskInfo& info, const std::string& where) const override {
    return std::make_unique<PointsLines>(info, where);
  }

  std::string shape_text(const TaskInfo& info) const override {
    const std::int64_t numbers = info.observation_shape[0];
    return numbers == 1 ? "1 number" : fmt::format("{} numbers", numbers);
  }

  std::string columns_text(const TaskInfo& info) const override {
    return fmt::format("{}", fmt::join(info.observation_columns, ", "));
  }

  SampleAmounts amounts() const override {
    return {.drawn = 2000,
            .drawn_first = 100,
            .figure = 100,
            .shown = 3000,
            .live = 20000,
            .embedded_first = 512,
            .embedded = 4096,
            .timed = 1024};
  }

  Observed read(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most) const override {
    PAIRS_CHECK(!std::filesystem::is_directory(path),
                "{} is a folder, but the observations of task {} are points; give an .npz or .csv file", path.string(),
                task.name);
    const std::string extension = lower_extension(path);
    if (extension == ".npz") return read_block(path, task, most);
    if (extension == ".csv") return read_points(path, task, most, {});
    fail("{} is neither an .npz file nor a .csv file; convert it to one of them", path.string());
  }

  Observed checked(torch::Tensor x, const TaskInfo& task, const std::string& where) const override {
    check_block_shape(x.sizes(), task, where);
    PAIRS_CHECK(!x.is_complex() && x.scalar_type() != torch::kBool, "{} must hold real numbers", where);
    return checked_block(with_all_axes(x, task).to(x.is_floating_point() ? x.scalar_type() : torch::kFloat64), task,
                         where);
  }

  SampleView prior_view(const Task& task) const override {
    return view_of_points(task.info(), prior_sample(task, 500, 4));
  }

  Plot sample_plot(const Task& task, const Latents& latents, const Observations& x,
                   const SampleView& view) const override {
    return points_plot(task.info(), latents, x, view,
                       [&](const torch::Tensor& at) { return task.density(latents, at); });
  }

  Thumbnail thumbnail(const Task& task) const override {
    constexpr std::int64_t kPoints = 4000;  // more than a set of most tasks has: its density shows better
    return points_thumbnail(thumbnail_sample(task, kPoints).x.block().flatten(1));
  }

  std::optional<SimulatedPlot> simulated_plot(const Task& task, const Latents& draws, const Observations& x,
                                              const SampleView& view, SeriesRole role) const override {
    return points_check(task, draws, x, view, role);
  }

  double difference(const Observations& a, const Observations& b) const override {
    return (a.block().to(torch::kCPU, torch::kFloat64) - b.block().to(torch::kCPU, torch::kFloat64))
        .abs()
        .max()
        .item<double>();
  }
};

}  // namespace

const ObservationRoom& points_room() {
  static const PointsRoom room;
  return room;
}

}  // namespace pairs
