#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/kinds/arrays.h"
#include "app/kinds/observation_lines.h"
#include "app/kinds/points/points_check.h"
#include "app/kinds/points/points_columns.h"
#include "app/kinds/points/points_plot.h"
#include "app/kinds/rooms.h"
#include "app/kinds/sample_plot.h"
#include "app/kinds/thumbnail.h"
#include "core/base/tables/csv_lines.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/input_scale.h"
#include "tasks/file_format.h"

namespace pairs {

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
  PointsLines(const TaskInfo& info, std::string where, std::vector<FileColumn> columns, Missing missing)
      : info_(info),
        where_(std::move(where)),
        columns_(std::move(columns)),
        missing_(missing),
        lines_(where_, wanted_columns(info, {{}, columns_}), true) {}

  void take(std::string_view line) override {
    const std::size_t before = values_.size();
    ++number_;
    try {
      if (!lines_.take(line, values_)) return;
      check_columns(info_, static_cast<std::int64_t>(lines_.numbers()), where_, "");
      if (!all_finite(values_.data() + before, values_.size() - before)) {
        if (missing_ != Missing::drop)
          fail(ErrorPlace{where_, number_},
               "a value is missing or not finite; correct it, or leave such lines out with --missing drop");
        ++dropped_;
        return values_.resize(before);
      }
      convert_columns(columns_, where_, taken_++, 1, values_.data() + before);
      if (std::any_of(values_.begin() + static_cast<std::ptrdiff_t>(before), values_.end(),
                      [](double value) { return std::abs(value) > std::numeric_limits<float>::max(); }))
        fail(ErrorPlace{where_, number_},
             "a value lies beyond ±3.4e38, the range of single precision; rescale or remove it");
    } catch (...) {
      values_.resize(before);
      throw;
    }
  }

  std::int64_t dropped() const override { return dropped_; }

  Observations gather() override {
    if (values_.empty()) return {};
    lines_.check(false);
    PAIRS_CHECK(
        !lines_.guessed(),
        "{}: its first line may hold column numbers, as pandas writes them, or lack the name of a column; write "
        "the names of all columns, above it where it is a row",
        where_);
    const auto columns = static_cast<std::int64_t>(lines_.numbers());
    const torch::Tensor rows = torch::tensor(values_, torch::kFloat64).view({-1, columns}).to(observed_type(info_));
    values_.clear();
    return rows;
  }

 private:
  const TaskInfo& info_;
  std::string where_;
  std::vector<FileColumn> columns_;
  Missing missing_;
  CsvLines lines_;
  std::vector<double> values_;
  std::int64_t taken_ = 0, dropped_ = 0, number_ = 0;
};

// Points: a few numbers each, on a line or in the plane.
class PointsRoom final : public ObservationRoom {
 public:
  std::string name() const override { return "points"; }

  std::unique_ptr<ObservationLines> lines(const TaskInfo& info, const std::string& where,
                                          const std::vector<FileColumn>& columns, Missing missing) const override {
    return std::make_unique<PointsLines>(info, where, columns, missing);
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

  Observed read(const std::filesystem::path& path, const TaskInfo& task, std::int64_t most,
                Missing missing) const override {
    PAIRS_CHECK(
        !std::filesystem::is_directory(path) || !table_parts(path).empty(),
        "{} is a folder, but the observations of task {} are points; give an .npz or .csv file, or another table",
        path.string(), task.name);
    const TableColumns all{.held = std::numeric_limits<std::int64_t>::max(), .missing = missing};
    if (is_points_table(path, task, all)) return read_points(path, task, most, all);
    if (lower_extension(path) == ".npz") return read_block(path, task, most, missing);
    fail("{}", unread_format(path));
  }

  Observed checked(torch::Tensor x, const TaskInfo& task, const std::string& where) const override {
    check_block_shape(x.sizes(), task, where);
    PAIRS_CHECK(!x.is_complex(), "{} must hold real numbers", where);
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
    constexpr std::int64_t kPoints = 4000;  // more than most tasks have per set: then the density shows better
    return points_thumbnail(thumbnail_sample(task, kPoints).x.block().flatten(1));
  }

  std::optional<SimulatedPlot> simulated_plot(const Task& task, const Latents& draws, const Observations& x,
                                              const SampleView& view, SeriesRole role) const override {
    return points_check(task, draws, x, view, role);
  }

  ObservationSummaries summaries(const TaskInfo& info, const Observations& x) const override {
    constexpr std::int64_t kMostColumns = 8;
    return column_summaries(info, x.block().narrow(1, 0, std::min(x.block().size(1), kMostColumns)));
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
