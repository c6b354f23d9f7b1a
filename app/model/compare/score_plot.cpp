#include "app/model/compare/score_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "app/model/compare/group_names.h"
#include "app/model/compare/run_filter.h"
#include "app/scores/over_seeds.h"
#include "app/scores/score.h"
#include "core/base/text/text.h"
#include "core/eval/metrics/mean_error.h"
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

// The common settings of a line's runs: all except the seed and the setting of the horizontal axis.
std::string line_key(const RunFacts& facts, const std::string& x) {
  if (x.empty() || is_spent(x)) return facts.alike;
  std::string key = facts.alike;
  const std::size_t at = key.starts_with(x + "=") ? 0 : key.find("\n" + x + "=");
  if (at == key.npos) return key;
  const std::size_t from = at == 0 ? 0 : at + 1;
  return key.erase(from, key.find('\n', from) + 1 - from);
}

// Scores of runs at one point, and their standard errors.
struct PlacedScores {
  std::vector<double> values, errors;
};

struct Group {
  std::vector<const PlottedRun*> runs;
  std::map<double, PlacedScores> points;  // by x
  std::vector<double> spent;              // if x is the cost: that of each run with a score
  bool learned_nothing = true;            // all its runs are no better than the prior
};

void collect(const PlottedRun& run, const Score& score, const PlotChoices& choices, Group& group) {
  group.runs.push_back(&run);
  group.learned_nothing = group.learned_nothing && run.record->facts->learned_nothing;
  if (!run.metrics) return;
  for (const EvaluationRow& row : run.metrics->rows) {
    const double y = score.value(row);
    if (!std::isfinite(y) || (!choices.x.empty() && row.n != choices.n)) continue;
    const double x = choices.x.empty() ? static_cast<double>(row.n) : x_of(*run.record->facts, choices.x);
    if (!std::isfinite(x)) continue;
    if (is_spent(choices.x)) group.spent.push_back(x);
    PlacedScores& place = group.points[is_spent(choices.x) ? 0 : x];
    place.values.push_back(y);
    place.errors.push_back(score.error(row));
  }
}

// Runs drawn as one line: their name, and the number of them with a score.
std::string group_name(const Group& group, const std::string& title) {
  if (group.runs.size() == 1) return group.runs.front()->record->listed.name;
  std::size_t scored = 0;
  for (const auto& [x, place] : group.points) scored = std::max(scored, place.values.size());
  return fmt::format("{} ({})", title,
                     group.points.size() > 1 || scored == group.runs.size()
                         ? counted(group.runs.size(), "run")
                         : fmt::format("{} of {}", scored, counted(group.runs.size(), "run")));
}

// Two standard errors of the mean at a point.
double twice_error(const PlacedScores& place) {
  return 2 * mean_over_seeds(place.values, place.errors).se;
}

Line group_line(const Group& group, std::string name, bool spent) {
  Line line;
  line.name = std::move(name);
  const SeriesRole role = group.runs.front()->record->listed.role;
  line.role = group.runs.size() > 1 ? shaded(role, 0) : role;
  line.markers = true;
  for (const auto& [x, place] : group.points) {
    const double mean = mean_and_spread(place.values).mean, error = twice_error(place);
    line.x.push_back(spent ? mean_and_spread(group.spent).mean : x);
    line.y.push_back(mean);
    line.lower.push_back(mean - error);
    line.upper.push_back(mean + error);
  }
  const bool known = std::all_of(line.lower.begin(), line.lower.end(), [](double y) { return std::isfinite(y); });
  if (group.runs.size() == 1 || !known || line.x.size() < 2) line.lower = line.upper = {};
  return line;
}

// The error of a single point, which has no band; none if unknown.
std::optional<Line> bar_of(const Line& point, const Group& group) {
  const double error = twice_error(group.points.begin()->second);
  if (!std::isfinite(error)) return {};
  Line bar = point;
  bar.markers = false;
  bar.x = {point.x[0], point.x[0]};
  bar.y = {point.y[0] - error, point.y[0] + error};
  return bar;
}

// The Pareto front: points that no point of the same or lower cost beats (lower scores are better).
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
  return low > 0 && high >= 8 * low;
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
    out.note = "None of the listed runs has scores yet; select some and evaluate them";
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
    out.note = fmt::format("The first {} of {} lines are drawn; use a filter to select others", kMostLines, all);
  }
  Figure figure;
  Plot plot;
  const bool spent = is_spent(choices.x);
  std::set<std::string> taken = {kFront};
  std::vector<Line> points;
  std::vector<const RunRecord*> firsts;
  for (const Group* group : order) firsts.push_back(group->runs.front()->record);
  const std::vector<std::string> titles = group_names(firsts, choices.x);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Group* const group = order[i];
    const std::string plain =
        group_name(*group, titles[i]) + (group->learned_nothing ? ", no better than the prior" : "");
    std::string name = plain;
    for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{} ({})", plain, copy);
    for (const PlottedRun* run : group->runs) out.runs[name].push_back(run->record->listed.run);
    plot.lines.push_back(group_line(*group, name, spent));
    if (spent && !group->learned_nothing) points.push_back(plot.lines.back());
    if (group->points.size() == 1 && (spent || group->points.begin()->second.values.size() > 1))
      if (const auto bar = bar_of(plot.lines.back(), *group)) plot.lines.push_back(*bar);
  }
  if (const auto front = front_of(points)) plot.lines.push_back(*front);
  plot.x = {x_label(choices.x), wants_log(plot) ? AxisScale::log : AxisScale::linear};
  plot.y = {score->heading(), score->figure.scale};
  figure.title = choices.x.empty() ? fmt::format("{} against N", score->title)
                                   : fmt::format("{} at N = {}", score->title, count_text(choices.n));
  figure.source = counted(runs.size(), "run") + "; bands and bars: ± 2 standard errors over test sets and seeds";
  figure.plots = {std::move(plot)};
  out.figure = std::make_shared<const Figure>(std::move(figure));
  return out;
}

}  // namespace pairs::model
