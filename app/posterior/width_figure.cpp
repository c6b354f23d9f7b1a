#include "app/posterior/width_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "app/posterior/posterior_source.h"
#include "app/runs/run_shades.h"
#include "app/runs/strategy_look.h"
#include "core/aggregate.h"
#include "core/base/error.h"
#include "core/base/transfer.h"

namespace pairs {
namespace {

constexpr int kPlaces = 20;  // of ψ, and one more

// What is said of θ, at each ψ over many sets.
struct AgainstNuisance {
  std::string name;
  SeriesRole role = SeriesRole::other;
  LineStyle style = LineStyle::solid;
  bool markers = false;
  // The averages of posterior means and sd, and the median of the latter.
  std::vector<double> psi = {}, mean = {}, sd = {}, median_sd = {};
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void add_place(AgainstNuisance& series, double psi, const std::vector<double>& means, const std::vector<double>& sds) {
  series.psi.push_back(psi);
  series.mean.push_back(mean_of(means));
  series.sd.push_back(mean_of(sds));
  series.median_sd.push_back(median(sds));
}

// The size at which the runs are shown: the paper's, or the most that all of them know.
std::int64_t shown_size(const std::vector<LoadedRun>& runs, const char* figure) {
  PAIRS_CHECK(!runs.empty(), "The figure {} needs at least one run", figure);
  std::int64_t n = 100;
  for (const LoadedRun& run : runs) {
    PAIRS_CHECK(has_width_figure(*run.task),
                "The figure {} is of tasks with one target, one nuisance and references; {} is a run of {}", figure,
                run.name, run.config.task);
    PAIRS_CHECK(run.config.task == runs.front().config.task,
                "The runs {} and {} are of different tasks; draw one task at a time", runs.front().name, run.name);
    n = std::min(n, run.estimator->max_n());
  }
  return n;
}

std::string names_of(const std::vector<LoadedRun>& runs) {
  std::string names;
  for (const LoadedRun& run : runs) names += (names.empty() ? "" : ", ") + run.name;
  return names;
}

// The share of the way through the range that figures of the prior show.
double theta_at(const Target& target, double share) {
  return target.view_low + share * (target.view_high - target.view_low);
}

// Of the runs and of the task's references, on the same `sets` sets of n observations at each ψ.
std::vector<AgainstNuisance> against_nuisance(const std::vector<LoadedRun>& runs, double theta, std::int64_t n,
                                              std::int64_t sets, const std::function<bool()>& keep_going) {
  const Task& task = *runs.front().task;
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  std::vector<SetRange> ranges;
  for (const std::int64_t index : indices) ranges.push_back({index, 0, n});
  std::vector<AgainstNuisance> all(runs.size() + task.references().size());
  const std::vector<SeriesRole> roles = run_roles(runs);
  for (std::size_t r = 0; r < runs.size(); ++r)
    all[r] = {runs.size() == 1 ? strategy_title(runs[r].config.strategy) : runs[r].name, roles[r], LineStyle::solid,
              true};
  for (std::size_t k = 0; k < task.references().size(); ++k) {
    const SeriesRole role = reference_role(task.references()[k]);
    all[runs.size() + k] = {task.references()[k], role, posterior_style(role)};
  }
  const Nuisance& nuisance = task.info().nuisances.front();
  for (int place = 0; place <= kPlaces; ++place) {
    const double psi = nuisance.view_low + (nuisance.view_high - nuisance.view_low) * place / kPlaces;
    Latents latents;
    latents.theta = torch::full({sets, 1}, theta, torch::kFloat64);
    latents.psi = torch::full({sets, 1}, psi, torch::kFloat64);
    const Observations x = task.observe(latents, kFigureSeed, Purpose::explore, ranges, torch::kCPU);
    for (std::size_t k = 0; k < task.references().size(); ++k) {
      std::vector<double> means, sds;
      for (std::int64_t s = 0; s < sets; ++s) {
        if (!keep_going()) throw Stopped();
        const auto posterior = reference_source(task, task.references()[k], x.slice(s * n, (s + 1) * n));
        means.push_back(posterior.mean[0].item<double>());
        sds.push_back(posterior.sd[0].item<double>());
      }
      add_place(all[runs.size() + k], psi, means, sds);
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      StreamOptions options;
      options.keep_going = keep_going;
      const torch::Tensor aggregates =
          aggregate_sets(*runs[r].estimator, latents, kFigureSeed, Purpose::explore, indices, n, options);
      const torch::Tensor samples = runs[r]
                                        .estimator
                                        ->sample(aggregates, torch::full({sets}, n, torch::kInt64), 1000,
                                                 stream_key(kFigureSeed, Purpose::posterior))
                                        .to(torch::kCPU, torch::kFloat64);
      add_place(all[r], psi, doubles(samples.mean(1)), doubles(samples.std(1)));
    }
  }
  return all;
}

}  // namespace

bool has_width_figure(const Task& task) {
  const TaskInfo& info = task.info();
  return info.targets.size() == 1 && info.nuisances.size() == 1 && !task.references().empty();
}

Figure width_figure(const std::vector<LoadedRun>& runs, std::int64_t sets, const std::function<bool()>& keep_going) {
  const std::int64_t n = shown_size(runs, "width");
  const TaskInfo& info = runs.front().task->info();
  const Target& target = info.targets.front();
  const double theta = theta_at(target, 0.2);
  Plot plot;
  plot.x = {info.nuisances.front().title()};
  plot.y = {"median posterior sd of " + target.label};
  for (AgainstNuisance& series : against_nuisance(runs, theta, n, sets, keep_going)) {
    Line line;
    line.name = series.name;
    line.role = series.role;
    line.style = series.style;
    line.markers = series.markers;
    line.x = series.psi;
    line.y = series.median_sd;
    plot.lines.push_back(std::move(line));
  }
  Figure figure;
  figure.title = fmt::format("{}: posterior width at N = {}, {} = {:.4g}, {} sets a point", info.title, n, target.label,
                             theta, sets);
  figure.source = info.data_source + "; " + names_of(runs);
  figure.plot_width = 460;
  figure.plot_height = 320;
  figure.plots.push_back(std::move(plot));
  return figure;
}

Figure location_figure(const std::vector<LoadedRun>& runs, std::int64_t sets, const std::function<bool()>& keep_going) {
  const std::int64_t n = shown_size(runs, "location");
  const TaskInfo& info = runs.front().task->info();
  const Target& target = info.targets.front();
  Figure figure;
  figure.title = fmt::format("{}: average posterior mean ± sd at N = {}, {} sets a point", info.title, n, sets);
  figure.source = info.data_source + "; " + names_of(runs);
  figure.columns = 2;
  for (const double share : {0.2, 0.4}) {
    const double theta = theta_at(target, share);
    Plot plot;
    plot.title = fmt::format("{} = {:.4g}", target.label, theta);
    plot.x = {info.nuisances.front().title()};
    plot.y = {target.label};
    plot.legend = figure.plots.empty();
    for (const AgainstNuisance& series : against_nuisance(runs, theta, n, sets, keep_going)) {
      Line line;
      line.name = series.name;
      line.role = series.role;
      line.style = series.style;
      line.markers = series.markers;
      line.x = series.psi;
      line.y = series.mean;
      for (std::size_t k = 0; k < series.mean.size(); ++k) {
        line.lower.push_back(series.mean[k] - series.sd[k]);
        line.upper.push_back(series.mean[k] + series.sd[k]);
      }
      plot.lines.push_back(std::move(line));
    }
    Line truth;
    truth.name = "truth";
    truth.role = SeriesRole::truth;
    truth.x = {plot.lines.front().x.front(), plot.lines.front().x.back()};
    truth.y = {theta, theta};
    plot.lines.push_back(std::move(truth));
    figure.plots.push_back(std::move(plot));
  }
  return figure;
}

}  // namespace pairs
