#include "app/kinds/target/parameters_room.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kinds/rooms.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/eval/metrics/interval.h"
#include "core/periodic.h"

namespace pairs {
namespace {

constexpr std::array<std::size_t, 3> kQuantilesTold = {0, 2, 4};  // 5, 50 and 95 %

}  // namespace

nlohmann::json numbers_document(const std::vector<TargetNumbers>& numbers, IntervalKind interval) {
  nlohmann::json document = {{"mean", nlohmann::json::array()}, {"sd", nlohmann::json::array()}};
  nlohmann::json intervals = {{"kind", interval_word(interval)}};
  for (const TargetNumbers& one : numbers) {
    document["mean"].push_back(one.mean);
    document["sd"].push_back(one.sd);
    for (const std::size_t q : kQuantilesTold)
      document["quantiles"][fmt::format("{}", kQuantileLevels[q])].push_back(one.quantiles[q]);
    for (std::size_t l = 0; l < kIntervalLevels.size(); ++l) {
      const Interval& ends = one.intervals[static_cast<std::size_t>(interval)][l];
      nlohmann::json low = ends.low;
      if (interval == IntervalKind::upper_limit) low = nullptr;  // the lowest possible value
      intervals[fmt::format("{}", kIntervalLevels[l])].push_back({low, ends.high});
    }
  }
  document["intervals"] = std::move(intervals);
  return document;
}

std::string most_text(const TargetNumbers& numbers, IntervalKind interval) {
  const Interval& one = numbers.most(interval);
  if (interval == IntervalKind::upper_limit) return fmt::format("below {:.4g}", one.high);
  return fmt::format("{:.4g} to {:.4g}", one.low, one.high);
}

nlohmann::json periods_document(const TaskInfo& info) {
  nlohmann::json document;
  for (const Target& target : info.targets)
    if (target.periodic) document[target.name] = target.period();
  return document;
}

std::string around_text(const TaskInfo& info, const std::vector<TargetNumbers>& numbers, IntervalKind interval) {
  std::string text;
  for (std::size_t t = 0; t < std::min(numbers.size(), info.targets.size()); ++t) {
    const Target& target = info.targets[t];
    if (!target.periodic) continue;
    if (interval == IntervalKind::upper_limit)
      text += fmt::format(
          "Upper limits of {}, which is periodic, count from half a period below its mean; central and "
          "highest-density intervals say more. ",
          target.label);
    const Interval& one = numbers[t].most(interval);
    for (const double end : {one.low, one.high})
      if (std::isfinite(end) && (end < target.low || end > target.high))
        text += fmt::format("{:.4g} is {:.4g} of {}, which repeats after {:.6g}. ", end,
                            wrapped(end, target.low, target.period()), target.label, target.period());
  }
  if (!text.empty()) text.pop_back();
  return text;
}

void add_numbers(Table& table, const TaskInfo& info, const std::string& who, const std::vector<TargetNumbers>& numbers,
                 IntervalKind interval) {
  for (std::size_t t = 0; t < numbers.size(); ++t) {
    const TargetNumbers& one = numbers[t];
    const auto cell = [](double value) { return fmt::format("{:.5g}", value); };
    table.add({info.targets[t].short_title(), who, cell(one.mean), cell(one.sd), cell(one.quantiles[2]),
               most_text(one, interval)});
  }
}

namespace {

// Numbers, each with a density.
class ParametersRoom final : public TargetRoom {
 public:
  std::string name() const override { return "parameters"; }
  const char* gives() const override { return "densities and samples"; }
  std::string next_figure() const override { return "coverage"; }
  bool trains_soon() const override { return true; }
  std::int64_t draws() const override { return 1000; }
  bool in_folder() const override { return false; }

  std::string columns_text(const TaskInfo& info) const override { return labels_text(info); }

  std::string labels_text(const TaskInfo& info) const override {
    std::vector<std::string> labels;
    for (const Target& target : info.targets) labels.push_back(target.label);
    return fmt::format("{}", fmt::join(labels, ", "));
  }

  nlohmann::json document(const TaskInfo&) const override { return nlohmann::json::object(); }

  std::vector<double> settable(const Latents& latents) const override { return doubles(latents.theta); }

  torch::Tensor theta_of(const std::vector<double>& settable) const override {
    return torch::tensor(settable, torch::kFloat64).unsqueeze(0);
  }

  void check_density(const TaskInfo&, const std::string&) const override {}

  std::int64_t compared_samples(std::int64_t asked, std::int64_t) const override { return asked >= 0 ? asked : 199; }

  std::vector<Table::Column> report_columns(IntervalKind interval) const override {
    return {{"θ", false}, {"posterior", false}, {"mean"},
            {"sd"},       {"median"},           {fmt::format("90 %, {}", interval_title(interval))}};
  }

  SampleReport report(const TaskInfo& info, const torch::Tensor& samples, const std::vector<TargetNumbers>& numbers,
                      IntervalKind interval, Table& table) const override {
    add_numbers(table, info, "ours", numbers, interval);
    nlohmann::json document = numbers_document(numbers, interval);
    if (any_periodic(info.targets)) document["periods"] = periods_document(info);
    return {std::move(document), {{"samples", samples}}, {}, ""};
  }
};

}  // namespace

const TargetRoom& parameters_room() {
  static const ParametersRoom room;
  return room;
}

}  // namespace pairs
