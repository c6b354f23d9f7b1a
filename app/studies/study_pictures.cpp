#include "app/studies/study_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "app/kinds/image/image_plot.h"
#include "app/kinds/samples_figure.h"
#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "app/posterior/source/posterior_source.h"
#include "app/runs/theorem_figure.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/sufficient_statistics.h"

namespace pairs {
namespace {

constexpr std::int64_t kColumns = 4;  // maximum number of N in a posterior figure
constexpr std::int64_t kPriorDraws = 20000;
constexpr std::int64_t kPriorBins = 40;

// One run per task, PAIRS if there is one.
std::vector<LoadedRun> run_of_each_task(const StudyResults& results) {
  std::vector<LoadedRun> runs;
  for (const std::string& task : results.task_names()) {
    const StudyResult* chosen = nullptr;
    for (const StudyResult& one : results.results)
      if (one.run.config.task == task && one.metrics &&
          (!chosen || (one.run.config.strategy == "pairs" && chosen->run.config.strategy != "pairs")))
        chosen = &one;
    if (chosen) runs.push_back(load_run(results.tasks, chosen->folder.string(), "", "cpu"));
  }
  return runs;
}

std::vector<LoadedRun> density_runs(const StudyResults& results, const char* figure) {
  std::vector<LoadedRun> runs = run_of_each_task(results);
  std::erase_if(runs, [](const LoadedRun& run) { return !not_drawn(*run.estimator).empty(); });
  if (runs.empty())
    fail_usage("The figure {} is of posterior densities; {} has no run of such a task that is done", figure,
               results.study.name);
  return runs;
}

// The prior of the first target as a histogram of draws, over the range that figures of it show.
Plot prior_plot(const Task& task) {
  const Target& target = task.info().targets.front();
  std::vector<std::int64_t> sets(static_cast<std::size_t>(kPriorDraws));
  std::iota(sets.begin(), sets.end(), std::int64_t{0});
  const torch::Tensor theta = task.latents(kFigureSeed, Purpose::explore, sets).theta.select(1, 0).contiguous();
  const double* value = theta.data_ptr<double>();
  Bars bars;
  bars.name = "prior";
  bars.role = SeriesRole::naive;
  const double width = (target.view_high - target.view_low) / static_cast<double>(kPriorBins);
  for (std::int64_t k = 0; k <= kPriorBins; ++k) bars.edges.push_back(target.view_low + static_cast<double>(k) * width);
  bars.heights.assign(static_cast<std::size_t>(kPriorBins), 0.0);
  for (std::int64_t k = 0; k < kPriorDraws; ++k) {
    const auto bin = static_cast<std::int64_t>((value[k] - target.view_low) / width);
    if (bin >= 0 && bin < kPriorBins)
      bars.heights[static_cast<std::size_t>(bin)] += 1 / (width * static_cast<double>(kPriorDraws));
  }
  Plot plot;
  plot.title = task.info().title + ": prior";
  plot.x = {target.title()};
  plot.y = {"density"};
  plot.bars.push_back(std::move(bars));
  plot.legend = false;
  return plot;
}

std::string source_of(const std::vector<LoadedRun>& runs) {
  std::string text;
  for (const LoadedRun& run : runs) text += (text.empty() ? "" : ", ") + run.name;
  return text;
}

Plot blank_plot() {
  Plot plot;
  plot.blank = true;
  return plot;
}

// The largest 1 − R² of the statistics at the last validation; NaN if the log has none.
double last_unexplained(const RunProgress& progress) {
  const auto losses = progress.losses(Stage::pretrain).find(0);
  if (losses == progress.losses(Stage::pretrain).end() || losses->second.empty()) return NAN;
  const std::vector<double>& left = losses->second.back().unexplained;
  return left.empty() ? NAN : *std::max_element(left.begin(), left.end());
}

}  // namespace

StudyDrawing draw_theorem(const StudyResults& results, const std::function<bool()>&) {
  StudyDrawing drawing{"theorem", {}};
  std::vector<TheoremCurve> curves;
  std::vector<std::string> statistics;
  std::map<std::string, int> shades;
  for (const SeedGroup& group : results.groups()) {
    const auto task = group.runs.front()->run.config.make_task();
    const auto* known = sufficient_statistics_of(*task);
    if (!known) continue;
    statistics = known->statistic_names();
    const int shade = shades[group.strategy]++;
    double sum = 0;
    int seeds = 0;
    for (const StudyResult* one : group.runs) {
      RunProgress progress = read_progress(one->folder / run_file::events);
      PAIRS_CHECK(!progress.damaged(), "The record of {} is damaged: lines of its {} were changed, cut or lost",
                  one->run.name, run_file::events);
      const double left = last_unexplained(progress);
      if (std::isnan(left)) continue;
      sum += left;
      ++seeds;
      curves.push_back({one->run.name, group.strategy, group.title(), shade, std::move(progress)});
    }
    if (seeds > 0)
      drawing.notes.push_back(fmt::format("{}: the statistic that is explained least has 1 − R² = {} (mean of {})",
                                          group.title(), number_text(sum / seeds, 4),
                                          counted(static_cast<std::size_t>(seeds), "seed")));
  }
  if (curves.empty())
    fail_usage(
        "The figure theorem is of tasks whose sufficient statistics are known; {} has no run of one that has begun",
        results.study.name);
  drawing.figure = theorem_figure(curves, statistics);
  return drawing;
}

StudyDrawing draw_posteriors(const StudyResults& results, const std::function<bool()>& keep_going) {
  const std::vector<LoadedRun> runs = density_runs(results, "posteriors");
  StudyDrawing drawing{"posteriors", {}};
  drawing.figure.title = "Posterior of one set as N grows";
  drawing.figure.source = source_of(runs);
  drawing.figure.columns = kColumns;
  for (const LoadedRun& run : runs) {
    Figure one = posterior_figure({run}, {.keep_going = keep_going});
    for (std::size_t k = 0; k < one.plots.size(); ++k) {
      if (k % static_cast<std::size_t>(one.columns) == 0 && k > 0)
        while (drawing.figure.plots.size() % kColumns != 0) drawing.figure.plots.push_back(blank_plot());
      if (k == 0) one.plots[k].title = fmt::format("{}: {}", run.task->info().title, one.plots[k].title);
      drawing.figure.plots.push_back(std::move(one.plots[k]));
    }
    while (drawing.figure.plots.size() % kColumns != 0) drawing.figure.plots.push_back(blank_plot());
  }
  return drawing;
}

StudyDrawing draw_tasks(const StudyResults& results, const std::function<bool()>& keep_going) {
  const std::vector<LoadedRun> runs = density_runs(results, "tasks");
  StudyDrawing drawing{"tasks", {}};
  drawing.figure.title = "Tasks: prior, sets of observations, and the posterior of one set as N grows";
  drawing.figure.source = source_of(runs);
  drawing.figure.plot_width = drawing.figure.plot_height = 220;
  constexpr std::size_t kSets = 3, kRow = 1 + kSets + kColumns;
  drawing.figure.columns = kRow;
  for (const LoadedRun& run : runs) {
    const std::size_t begin = drawing.figure.plots.size();
    drawing.figure.plots.push_back(prior_plot(*run.task));
    for (Plot& plot : samples_figure(*run.task, 0).plots) drawing.figure.plots.push_back(std::move(plot));
    Figure posterior = posterior_figure({run}, {.keep_going = keep_going});
    // The first row: of the first target.
    for (std::size_t k = 0; k < posterior.plots.size() && k < static_cast<std::size_t>(posterior.columns); ++k)
      drawing.figure.plots.push_back(std::move(posterior.plots[k]));
    while (drawing.figure.plots.size() < begin + kRow) drawing.figure.plots.push_back(blank_plot());
  }
  return drawing;
}

StudyDrawing draw_views(const StudyResults& results, const std::function<bool()>& keep_going) {
  std::vector<LoadedRun> runs = run_of_each_task(results);
  std::erase_if(runs, [](const LoadedRun& run) { return not_drawn(*run.estimator).empty(); });
  if (runs.empty())
    fail_usage("The figure views is of images; {} has no run of such a task that is done", results.study.name);
  const LoadedRun& run = runs.front();
  const ImageTarget& image = run.task->info().image;
  std::vector<std::int64_t> sizes;
  for (const std::int64_t n : run.config.evaluate.sizes)
    if (n <= run.estimator->max_n()) sizes.push_back(n);
  // Up to four N, including the largest.
  std::vector<std::int64_t> shown;
  for (std::size_t k = 0; k < std::min<std::size_t>(kColumns, sizes.size()); ++k)
    shown.push_back(sizes[sizes.size() <= kColumns ? k : k * (sizes.size() - 1) / (kColumns - 1)]);
  StudyDrawing drawing{"views", {}};
  drawing.figure.title = run.task->info().title + ": the truth, and a sample of the posterior as N grows";
  drawing.figure.source = source_of(runs);
  drawing.figure.plot_width = drawing.figure.plot_height = 160;
  drawing.figure.columns = static_cast<std::int64_t>(shown.size()) + 1;
  const auto sheet = [&](const torch::Tensor& pixels, const std::string& title) {
    Plot plot = image_sheet(pixels.view({1, image.channels, image.height, image.width}).to(torch::kFloat32));
    plot.title = title;
    drawing.figure.plots.push_back(std::move(plot));
  };
  for (std::int64_t scene = 0; scene < 3; ++scene) {
    SetPosterior posterior(std::make_shared<ObservedSet>(run.task, SetChoice{.index = scene}), {{run}});
    sheet(posterior.set().latents().theta, scene == 0 ? "truth" : "");
    for (const std::int64_t n : shown) {
      posterior.embed_until(n, keep_going);
      if (!keep_going()) throw Stopped();
      sheet(posterior.samples(posterior.answer(n), 1, kFigureSeed), scene == 0 ? "N = " + count_text(n) : "");
    }
  }
  return drawing;
}

}  // namespace pairs
