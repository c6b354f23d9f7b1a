#include "app/posterior/figures/posterior_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>

#include "app/posterior/plots/corner_plots.h"
#include "app/posterior/set_posterior/usual_tests.h"
#include "app/posterior/source/refined_source.h"
#include "app/runs/run_shades.h"
#include "app/runs/task_words.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/report/shades.h"

namespace pairs {
namespace {

constexpr std::size_t kMostColumns = 4;
constexpr std::uint64_t kWarnedSeed = 1;  // of the sets that a set is compared with, as of infer

// For runs with heads for certain sizes only, picks sizes spread over those that all of them have.
std::vector<std::int64_t> shown_sizes(const std::vector<LoadedRun>& runs, std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (const std::int64_t n : {1, 10, 100, 1000, 100000})
    if (n < most) sizes.push_back(n);
  sizes.push_back(most);
  bool heads = false;
  for (const LoadedRun& run : runs) {
    const std::vector<std::int64_t> own = run.estimator->sizes();
    if (own.empty()) continue;
    if (!std::exchange(heads, true)) sizes = own;
    std::erase_if(sizes, [&](std::int64_t n) { return n > most || std::find(own.begin(), own.end(), n) == own.end(); });
  }
  PAIRS_CHECK(!sizes.empty(), "The runs have heads for different N and none in common; draw one run at a time");
  while (sizes.size() > kMostColumns) sizes.erase(sizes.end() - 2);
  return sizes;
}

void check_runs(const std::vector<LoadedRun>& runs) {
  PAIRS_CHECK(!runs.empty(), "The figure posterior needs at least one run");
  const std::string why = not_drawn(*runs.front().estimator);
  PAIRS_CHECK(why.empty(), "{}; draw the figure mse", why);
  for (const LoadedRun& run : runs) {
    const std::string other = other_question(asked_task(runs.front()), asked_task(run));
    PAIRS_CHECK(other.empty(), "{}", other);
  }
}

std::vector<AskedRun> asked_runs(const std::vector<LoadedRun>& runs, const std::vector<int>& shades) {
  PAIRS_CHECK(shades.empty() || shades.size() == runs.size(), "the figure takes a shade for each of {} runs, not {}",
              runs.size(), shades.size());
  std::vector<SeriesRole> roles = run_roles(runs);
  std::vector<AskedRun> out;
  for (std::size_t r = 0; r < runs.size(); ++r)
    out.push_back({runs[r], shades.empty() ? roles[r] : shaded(base_role(roles[r]), shades[r])});
  return out;
}

PosteriorAxes axes_of(const PosteriorAnswer& at, const std::vector<Target>& targets, const std::vector<double>& truth,
                      const PosteriorFigureOptions& options) {
  PosteriorAxes axes = chosen_axes(at.numbers, targets, truth);
  const auto replace = [&](auto& chosen, const auto& given, const char* what) {
    if (given.empty()) return;
    PAIRS_CHECK(given.size() == chosen.size(), "{} for {}; give one for each", counted(given.size(), what),
                counted(chosen.size(), "target"));
    chosen = given;
  };
  replace(axes.ranges, options.ranges, "range");
  replace(axes.heights, options.heights, "height");
  axes.interval = options.asked.interval;
  return axes;
}

Figure frame_at(const TaskInfo& info, const PosteriorAnswer& at, const std::string& source) {
  Figure figure;
  figure.title = fmt::format("{}: posterior at N = {}", info.title, count_text(at.n));
  figure.source = source;
  figure.plot_width = 360;
  figure.plot_height = 270;
  return figure;
}

}  // namespace

PosteriorAxes chosen_axes(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                          const std::vector<double>& truth) {
  return StableAxes(targets).update(series, truth);
}

Figure posterior_figure_at(const TaskInfo& info, const PosteriorAnswer& at, const std::vector<double>& truth,
                           const std::string& source, const PosteriorAxes& axes,
                           const std::vector<PosteriorNumbers>& ghosts) {
  Figure figure = frame_at(info, at, source);
  std::vector<PosteriorNumbers> series = at.numbers;
  series.insert(series.end(), at.members.begin(), at.members.end());
  series.insert(series.end(), ghosts.begin(), ghosts.end());
  if (info.targets.size() > 1)
    set_corner(figure, series, info.targets, truth, axes);
  else
    figure.plots = posterior_plots(series, info.targets, truth, axes);
  return figure;
}

Figure posterior_figure(const std::vector<LoadedRun>& runs, const PosteriorFigureOptions& options) {
  check_runs(runs);
  const TaskInfo& info = runs.front().task->info();
  const auto set = std::make_shared<ObservedSet>(runs.front().task, options.asked.set);
  if (options.asked.n > set->size())
    fail_usage("--n asks for the first {} observations, but {} holds {}; give at most {}", count_text(options.asked.n),
               set->name(), count_text(set->size()), set->size());
  SetPosterior posterior(set, asked_runs(runs, options.shades));
  posterior.ask_learned_product(options.asked.learned_product);
  const SourceWish source = options.asked.source;
  posterior.refine_by(refiner_of(posterior.runs().front().loaded, source), source, options.keep_going);
  std::int64_t most = set->size();
  for (const LoadedRun& run : runs) most = std::min(most, run.estimator->max_n());
  std::vector<Figure> columns;
  std::set<std::string> reported;
  const auto warn = [&](const PosteriorWarning& warning) {
    if (options.warn && reported.insert(warning.text).second) options.warn(warning);
  };
  for (const std::int64_t n : options.asked.n > 0 ? std::vector{options.asked.n} : shown_sizes(runs, most)) {
    posterior.embed_until(n, options.keep_going);
    const PosteriorAnswer at = posterior.answer(n);
    ModelVerdict verdict;
    if (options.warn && !set->simulated())
      verdict = usual_tests(
                    posterior, n, kWarnedSeed, [&] { return !options.keep_going || options.keep_going(); }, false)
                    .verdict(at.typicality);
    for (const PosteriorWarning& warning : posterior.all_warnings(at))
      if (!withdrawn(warning, verdict)) warn(warning);
    if (verdict.rejected()) warn({WarningKind::outside, verdict_warning(verdict)});
    for (const std::string& text : at.problems) warn({WarningKind::left_out, text});
    PAIRS_CHECK(!at.numbers.empty(), "There is no posterior at N = {}{}", count_text(n),
                !at.problems.empty()   ? ": " + at.problems.front()
                : !at.warnings.empty() ? ": " + at.warnings.back().text
                                       : "");
    const PosteriorAxes axes = axes_of(at, info.targets, set->truth(), options);
    if (options.asked.n > 0) {
      columns.push_back(posterior_figure_at(info, at, set->truth(), posterior.source_text(), axes));
    } else {
      columns.push_back(frame_at(info, at, posterior.source_text()));
      columns.back().plots = posterior_plots(at.numbers, info.targets, set->truth(), axes);
    }
    columns.back().plots.front().title = fmt::format("N = {}", count_text(n));
  }
  if (options.asked.n > 0) return columns.front();
  Figure figure = columns.front();
  figure.title = info.title + ": the posterior sharpens as the set grows";
  figure.plot_width = 230;
  figure.plot_height = 190;
  figure.columns = static_cast<std::int64_t>(columns.size());
  figure.plots.clear();
  for (std::size_t row = 0; row < columns.front().plots.size(); ++row)
    for (Figure& column : columns) {
      column.plots[row].legend &= &column == &columns.front();
      figure.plots.push_back(std::move(column.plots[row]));
    }
  return figure;
}

}  // namespace pairs
