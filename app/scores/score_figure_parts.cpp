#include "app/scores/score_figure_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "app/runs/strategy_look.h"
#include "app/scores/scoring.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"

namespace pairs {
namespace {

// Runs that differ only in their seed.
using Group = std::vector<const Metrics*>;
std::vector<Group> group_by_seed(const std::vector<Metrics>& metrics) {
  PAIRS_CHECK(!metrics.empty(), "A figure of metrics needs at least one run");
  using Key = std::tuple<std::string, std::string, std::map<std::string, std::string>, std::string>;
  std::map<Key, Group> groups;
  std::vector<Key> order;
  for (const Metrics& one : metrics) {
    PAIRS_CHECK(one.task == metrics.front().task, "The runs {} and {} are of different tasks; draw one task at a time",
                metrics.front().run, one.run);
    PAIRS_CHECK(one.data == metrics.front().data,
                "The run {} was evaluated on {} and {} on {}; draw runs of the same data at a time",
                metrics.front().run, metrics.front().data, one.run, one.data);
    const Key key{one.strategy, one.preset, one.settings, one.label};
    if (!groups.contains(key)) order.push_back(key);
    for (const Metrics* other : groups[key])
      PAIRS_CHECK(
          other->training_seed != one.training_seed,
          "The runs {} and {} have the same seed, {}, so they are not two seeds of one setting; draw one of them",
          other->run, one.run, one.training_seed);
    groups[key].push_back(&one);
  }
  std::vector<Group> out;
  for (const auto& key : order) out.push_back(groups[key]);
  return out;
}

// "400" or, where it depends on N, "400 to 20,000".
std::string sets_text(const Metrics& metrics) {
  std::int64_t least = INT64_MAX, most = 0;
  for (const EvaluationRow& row : metrics.rows) {
    least = std::min(least, row.sets);
    most = std::max(most, row.sets);
  }
  return least >= most ? count_text(most) : fmt::format("{} to {}", count_text(least), count_text(most));
}

std::string group_name(const Group& group, bool one_preset) {
  const Metrics& first = *group.front();
  std::string name = first.label.empty() ? strategy_title(first.strategy) : first.label;
  if (!one_preset && first.label.empty()) name += ", " + first.preset;
  if (group.size() > 1) name += fmt::format(" ({} seeds)", group.size());
  return name;
}

}  // namespace

SeriesRole role_of_run(const Metrics& metrics) {
  return shaded(strategy_role(metrics.strategy), metrics.shade);
}

// The data and the runs; of runs that were evaluated on different numbers of sets, these too.
std::string footnote(const std::vector<Metrics>& metrics) {
  const bool alike = std::all_of(metrics.begin(), metrics.end(), [&](const Metrics& one) {
    return sets_text(one) == sets_text(metrics.front()) && one.rows.size() == metrics.front().rows.size();
  });
  std::string runs;
  for (const Metrics& one : metrics) {
    runs += (runs.empty() ? "" : ", ") + one.run;
    if (!alike) runs += fmt::format(" ({} sets, {} sizes)", sets_text(one), one.rows.size());
  }
  const bool extrapolated = std::any_of(metrics.begin(), metrics.end(), [](const Metrics& one) {
    return std::any_of(one.rows.begin(), one.rows.end(), [](const EvaluationRow& row) { return row.extrapolation; });
  });
  return metrics.front().data + "; " + runs + (extrapolated ? "; hollow: extrapolation to N not trained for" : "");
}

// One line a group: the mean over seeds at each N, the band from least to greatest (one seed: ± 2 standard errors).
std::vector<Line> metric_lines(const std::vector<Metrics>& metrics, const Score& score) {
  const bool one_preset =
      std::all_of(metrics.begin(), metrics.end(), [&](const Metrics& m) { return m.preset == metrics.front().preset; });
  std::vector<Line> lines;
  for (const Group& group : group_by_seed(metrics)) {
    Line line;
    line.name = group_name(group, one_preset);
    line.role = role_of_run(*group.front());
    line.markers = true;
    std::map<std::int64_t, std::vector<const EvaluationRow*>> by_n;
    for (const Metrics* one : group)
      for (const EvaluationRow& row : one->rows)
        if (!std::isnan(score.value(row))) by_n[row.n].push_back(&row);
    for (const auto& [n, rows] : by_n) {
      double sum = 0, low = INFINITY, high = -INFINITY;
      for (const EvaluationRow* row : rows) {
        const double value = score.value(*row), error = score.error(*row);
        const double margin = rows.size() == 1 && !std::isnan(error) ? 2 * error : 0;
        sum += value;
        low = std::min(low, value - margin);
        high = std::max(high, value + margin);
      }
      line.x.push_back(static_cast<double>(n));
      line.y.push_back(sum / static_cast<double>(rows.size()));
      line.lower.push_back(low);
      line.upper.push_back(high);
      line.hollow.push_back(
          std::any_of(rows.begin(), rows.end(), [](const EvaluationRow* row) { return row->extrapolation; }));
    }
    if (std::none_of(line.hollow.begin(), line.hollow.end(), [](bool hollow) { return hollow; })) line.hollow.clear();
    if (!line.x.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

Figure against_n(const std::vector<Metrics>& metrics, const std::string& title, const std::string& label) {
  PAIRS_CHECK(!metrics.empty(), "A figure of metrics needs at least one run");
  Figure figure;
  figure.title = title;
  figure.source = footnote(metrics);
  figure.plot_width = 420;
  figure.plot_height = 300;
  Plot plot;
  plot.x = {"set size N", AxisScale::log};
  plot.y = {label};
  figure.plots.push_back(std::move(plot));
  return figure;
}

void check_figure_suits(const std::vector<Metrics>& metrics, const std::string& figure) {
  for (const Metrics& one : metrics) scoring_of(one.rows).check_figure(figure, one.task);
}

void check_sampled(const std::vector<Metrics>& metrics) {
  for (const Metrics& one : metrics)
    for (const EvaluationRow& row : one.rows)
      PAIRS_CHECK(row.samples > 0, "{} was evaluated without samples; evaluate it again with --samples 499", one.run);
}

}  // namespace pairs
