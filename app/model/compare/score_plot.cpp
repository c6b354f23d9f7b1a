#include "app/model/compare/score_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "app/model/compare/run_filter.h"
#include "app/runs/strategy_look.h"
#include "app/scores/score.h"
#include "core/base/text.h"
#include "core/eval/mean_error.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"

namespace pairs::model {
namespace {

constexpr const char* kFront = "best for its cost";

bool is_spent(const std::string& x) {
  return x == "cost" || x == "cost_with_cache" || x == "seconds";
}

double x_of(const RunFacts& facts, const std::string& x) {
  if (x == "cost") return facts.gflop;
  if (x == "cost_with_cache") return facts.gflop_with_cache;
  if (x == "seconds") return facts.seconds;
  const auto found = facts.settings.find(x);
  return found == facts.settings.end() ? NAN : number_in(found->second).value_or(NAN);
}

std::string x_label(const std::string& x) {
  if (x.empty()) return "N";
  if (x == "cost") return "training cost / GFLOP";
  if (x == "cost_with_cache") return "training cost with stage 2 / GFLOP";
  return x == "seconds" ? "time / s" : x;
}

// What runs of one line have in common: all but the seed, and but the setting that they are drawn against.
std::string line_key(const RunFacts& facts, const std::string& x) {
  if (x.empty() || is_spent(x)) return facts.alike;
  std::string key = facts.alike;
  const std::size_t at = key.starts_with(x + "=") ? 0 : key.find("\n" + x + "=");
  if (at == key.npos) return key;
  const std::size_t from = at == 0 ? 0 : at + 1;
  return key.erase(from, key.find('\n', from) + 1 - from);
}

struct Group {
  std::vector<const PlottedRun*> runs;
  std::map<double, std::vector<double>> points;  // scores by x
  std::vector<double> spent;                     // where x is what a run has cost, of each run with a score
  double error = NAN;                            // of its first score, a standard error
};

void collect(const PlottedRun& run, const Score& score, const PlotChoices& choices, Group& group) {
  group.runs.push_back(&run);
  if (!run.metrics) return;
  for (const EvaluationRow& row : run.metrics->rows) {
    const double y = score.value(row);
    if (!std::isfinite(y) || (!choices.x.empty() && row.n != choices.n)) continue;
    const double x = choices.x.empty() ? static_cast<double>(row.n) : x_of(*run.record->facts, choices.x);
    if (!std::isfinite(x)) continue;
    if (is_spent(choices.x)) {
      if (group.spent.empty()) group.error = score.error(row);
      group.spent.push_back(x);
      group.points[0].push_back(y);
    } else {
      group.points[x].push_back(y);
    }
  }
}

std::string group_name(const Group& group, bool alone) {
  const ListedRun& first = group.runs.front()->record->listed;
  if (group.runs.size() == 1) return first.name;
  std::string title = strategy_title(first.strategy);
  title = title.substr(0, title.find(" ("));
  return fmt::format("{}{} ({})", title, alone ? "" : " like " + first.name, counted(group.runs.size(), "run"));
}

Line group_line(const Group& group, std::string name, bool spent) {
  Line line;
  line.name = std::move(name);
  const SeriesRole role = group.runs.front()->record->listed.role;
  line.role = group.runs.size() > 1 ? shaded(role, 0) : role;
  line.markers = true;
  bool spread = false;
  for (const auto& [x, values] : group.points) {
    const MeanAndSpread one = mean_and_spread(values);
    const double sd = values.size() > 1 ? one.sd : 0;
    line.x.push_back(spent ? mean_and_spread(group.spent).mean : x);
    line.y.push_back(one.mean);
    line.lower.push_back(one.mean - sd);
    line.upper.push_back(one.mean + sd);
    spread = spread || sd > 0;
  }
  if (!spread || line.x.size() < 2) line.lower = line.upper = {};
  return line;
}

// The error of a single point, which no band shows: one standard deviation between seeds, of one run two standard
// errors. Nothing where it is not known.
std::optional<Line> bar_of(const Line& point, const Group& group) {
  const std::vector<double>& values = group.points.begin()->second;
  const double error = values.size() > 1 ? mean_and_spread(values).sd : 2 * group.error;
  if (!std::isfinite(error)) return {};
  Line bar = point;
  bar.markers = false;
  bar.x = {point.x[0], point.x[0]};
  bar.y = {point.y[0] - error, point.y[0] + error};
  return bar;
}

// The points to which none of the same or a lower cost is better, lower scores being better.
std::optional<Line> front_of(const std::vector<Line>& points) {
  std::map<double, double> by_cost;
  for (const Line& point : points) {
    const auto [at, added] = by_cost.try_emplace(point.x[0], point.y[0]);
    if (!added) at->second = std::min(at->second, point.y[0]);
  }
  Line front;
  front.name = kFront;
  front.role = SeriesRole::other;
  front.style = LineStyle::dashed;
  for (const auto& [cost, score] : by_cost) {
    if (!front.y.empty() && score >= front.y.back()) continue;
    front.x.push_back(cost);
    front.y.push_back(score);
  }
  if (front.x.size() < 2) return {};
  return front;
}

bool wants_log(const Plot& plot) {
  double low = INFINITY, high = 0;
  for (const Line& line : plot.lines)
    for (const double x : line.x) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
  return low > 0 && high >= 10 * low;
}

const Score* chosen_score(const std::vector<PlottedRun>& runs, const std::string& key) {
  if (!key.empty()) return &score_named(key);
  for (const PlottedRun& run : runs)
    if (run.metrics && !run.metrics->rows.empty()) return &score_of(run.metrics->rows);
  return nullptr;
}

}  // namespace

ScorePlot score_plot(const std::vector<PlottedRun>& runs, const PlotChoices& choices) {
  ScorePlot out;
  const Score* const score = chosen_score(runs, choices.y);
  if (!score) {
    out.note = "None of the listed runs has scores yet; choose some and evaluate them";
    return out;
  }
  std::map<std::string, Group> groups;
  std::vector<Group*> order;
  for (const PlottedRun& run : runs) {
    if (!run.record->facts || run.record->facts->alike.empty()) continue;
    Group& group = groups[line_key(*run.record->facts, choices.x)];
    if (group.runs.empty()) order.push_back(&group);
    collect(run, *score, choices, group);
  }
  std::erase_if(order, [](const Group* group) { return group->points.empty(); });
  if (order.empty()) {
    out.note = fmt::format("None of the listed runs has {} against {}", score->in_sentence(), x_label(choices.x));
    return out;
  }
  const std::size_t all = order.size();
  if (all > kMostLines) {
    order.resize(kMostLines);
    out.note = fmt::format("The first {} of {} lines are drawn; a filter chooses others", kMostLines, all);
  }
  Figure figure;
  Plot plot;
  const bool spent = is_spent(choices.x);
  std::set<std::string> taken = {kFront};
  std::vector<Line> points;
  for (const Group* group : order) {
    const std::string strategy = group->runs.front()->record->listed.strategy;
    const auto alike = std::count_if(order.begin(), order.end(), [&](const Group* other) {
      return other->runs.front()->record->listed.strategy == strategy;
    });
    const std::string plain = group_name(*group, alike == 1);
    std::string name = plain;
    for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{} ({})", plain, copy);
    for (const PlottedRun* run : group->runs) out.runs[name].push_back(run->record->listed.run);
    plot.lines.push_back(group_line(*group, name, spent));
    if (spent) points.push_back(plot.lines.back());
    if (group->points.size() == 1 && (spent || group->points.begin()->second.size() > 1))
      if (const auto bar = bar_of(plot.lines.back(), *group)) plot.lines.push_back(*bar);
  }
  if (const auto front = front_of(points)) plot.lines.push_back(*front);
  plot.x = {x_label(choices.x), wants_log(plot) ? AxisScale::log : AxisScale::linear};
  plot.y = {score->heading(), score->figure.scale};
  figure.title = choices.x.empty() ? fmt::format("{} against N", score->title)
                                   : fmt::format("{} at N = {}", score->title, count_text(choices.n));
  figure.source = counted(runs.size(), "run");
  figure.plots = {std::move(plot)};
  out.figure = std::make_shared<const Figure>(std::move(figure));
  return out;
}

}  // namespace pairs::model
