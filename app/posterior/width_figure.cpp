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

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

bool has_width_figure(const Task& task) {
  const TaskInfo& info = task.info();
  return info.targets.size() == 1 && info.nuisances.size() == 1 && !task.references().empty();
}

Figure width_figure(const std::vector<LoadedRun>& runs, std::int64_t sets, const std::function<bool()>& keep_going) {
  PAIRS_CHECK(!runs.empty(), "The figure width needs at least one run");
  const Task& task = *runs.front().task;
  const TaskInfo& info = task.info();
  std::int64_t n = 100;
  std::string names;
  for (const LoadedRun& run : runs) {
    PAIRS_CHECK(has_width_figure(*run.task),
                "The figure width is of tasks with one target, one nuisance and references; {} is a run of {}",
                run.name, run.config.task);
    PAIRS_CHECK(run.config.task == info.name, "The runs {} and {} are of different tasks; draw one task at a time",
                runs.front().name, run.name);
    n = std::min(n, run.estimator->max_n());
    names += (names.empty() ? "" : ", ") + run.name;
  }
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  std::vector<SetRange> ranges;
  for (const std::int64_t index : indices) ranges.push_back({index, 0, n});

  const Target& target = info.targets.front();
  const Nuisance& nuisance = info.nuisances.front();
  const double theta = target.view_low + 0.2 * (target.view_high - target.view_low);
  Plot plot;
  plot.x = {nuisance.title()};
  plot.y = {"median posterior sd of " + target.label};
  std::map<std::string, Line> references;
  std::vector<Line> ours(runs.size());
  for (int place = 0; place <= kPlaces; ++place) {
    const double psi = nuisance.view_low + (nuisance.view_high - nuisance.view_low) * place / kPlaces;
    Latents latents;
    latents.theta = torch::full({sets, 1}, theta, torch::kFloat64);
    latents.psi = torch::full({sets, 1}, psi, torch::kFloat64);
    const Observations x = task.observe(latents, kFigureSeed, Purpose::explore, ranges, torch::kCPU);
    for (const std::string& name : task.references()) {
      std::vector<double> widths;
      for (std::int64_t s = 0; s < sets; ++s) {
        if (!keep_going()) throw Stopped();
        widths.push_back(reference_source(task, name, x.slice(s * n, (s + 1) * n)).sd[0].item<double>());
      }
      references[name].x.push_back(psi);
      references[name].y.push_back(median(widths));
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      StreamOptions options;
      options.keep_going = keep_going;
      const torch::Tensor aggregates =
          aggregate_sets(*runs[r].estimator, latents, kFigureSeed, Purpose::explore, indices, n, options);
      const torch::Tensor samples = runs[r].estimator->sample(aggregates, torch::full({sets}, n, torch::kInt64), 1000,
                                                              stream_key(kFigureSeed, Purpose::posterior));
      const torch::Tensor sd = samples.to(torch::kCPU, torch::kFloat64).std(1);
      ours[r].x.push_back(psi);
      ours[r].y.push_back(median(doubles(sd)));
    }
  }
  const std::vector<SeriesRole> roles = run_roles(runs);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    ours[r].name = runs.size() == 1 ? strategy_title(runs[r].config.strategy) : runs[r].name;
    ours[r].role = roles[r];
    ours[r].markers = true;
    plot.lines.push_back(std::move(ours[r]));
  }
  for (const std::string& name : task.references()) {
    Line& line = references[name];
    line.name = name;
    line.role = reference_role(name);
    line.style = posterior_style(line.role);
    plot.lines.push_back(std::move(line));
  }
  Figure figure;
  figure.title = fmt::format("{}: posterior width at N = {}, {} = {:.4g}, {} sets a point", info.title, n, target.label,
                             theta, sets);
  figure.source = task.info().data_source + "; " + names;
  figure.plot_width = 460;
  figure.plot_height = 320;
  figure.plots.push_back(std::move(plot));
  return figure;
}

}  // namespace pairs
