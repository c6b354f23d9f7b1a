#include "app/kinds/points/points_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/kinds/sample_plot.h"
#include "core/base/gpu/transfer.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

// The numbers of points: on a line, shown and simulated; in the plane, shown, and simulated per draw.
constexpr std::int64_t kLinePoints = 2000, kPlanePoints = 400, kPlaneEach = 2, kFewPoints = 60;
constexpr std::uint64_t kSimulationSeed = 0x70726564;

// `each` observations at every draw, one after another.
Observations simulated(const Task& task, const Latents& draws, std::int64_t each) {
  std::vector<SetRange> ranges;
  for (std::int64_t k = 0; k < draws.theta.size(0); ++k) ranges.push_back({k, 0, each});
  return task.observe(draws, kSimulationSeed, Purpose::explore, ranges, torch::kCPU);
}

// The observed histogram, and the band of 90 % of the histograms of sets of the same size in each bin.
Plot histogram_check(Plot plot, const torch::Tensor& made, std::int64_t each, SeriesRole role) {
  plot.scatters.clear();
  Bars& bars = plot.bars.front();
  const std::size_t bins = bars.heights.size(), sets = static_cast<std::size_t>(made.size(0) / each);
  const double low = bars.edges.front(), width = (bars.edges.back() - low) / static_cast<double>(bins);
  std::vector<std::vector<double>> heights_of(bins, std::vector<double>(sets, 0));
  const std::vector<double> values = doubles(made);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double bin = std::floor((values[i] - low) / width);
    if (bin >= 0 && bin < static_cast<double>(bins))
      heights_of[static_cast<std::size_t>(bin)][i / static_cast<std::size_t>(each)] += 1;
  }
  Line line;
  line.name = "simulated, 5 to 95 %";
  line.role = role;
  double most = *std::max_element(bars.heights.begin(), bars.heights.end());
  for (std::size_t b = 0; b < bins; ++b) {
    std::vector<double>& h = heights_of[b];
    std::sort(h.begin(), h.end());
    line.x.push_back(low + width * (static_cast<double>(b) + 0.5));
    line.y.push_back((h[(sets - 1) / 2] + h[sets / 2]) / 2);
    line.lower.push_back(h[sets / 20]);
    line.upper.push_back(h[sets - 1 - sets / 20]);
    most = std::max(most, line.upper.back());
  }
  plot.y.low = 0;
  plot.y.high = 1.7 * most;
  bars.name = "observed";
  bars.role = SeriesRole::truth;
  plot.lines = {std::move(line)};
  return plot;
}

Plot scatter_check(Plot plot, const torch::Tensor& made, SeriesRole role) {
  for (Scatter& scatter : plot.scatters) {
    scatter.name = "observed";
    // A few would be invisible among the simulated ones.
    scatter.role = static_cast<std::int64_t>(scatter.x.size()) > kFewPoints ? SeriesRole::naive : SeriesRole::truth;
  }
  plot.scatters.insert(plot.scatters.begin(),
                       {"simulated", role, doubles(made.select(1, 0)), doubles(made.select(1, 1))});
  return plot;
}

}  // namespace

SimulatedPlot points_check(const Task& task, const Latents& draws, const Observations& x, const SampleView& view,
                           SeriesRole role) {
  const bool line = task.info().observation_shape[0] == 1;
  const std::int64_t shown = std::min(x.count(), line ? kLinePoints : kPlanePoints);
  const torch::Tensor made = simulated(task, draws, line ? shown : kPlaneEach);
  Plot observed = sample_plot(task, Latents(), x.slice(0, shown), view);
  if (line)
    return {
        histogram_check(std::move(observed), made, shown, role),
        fmt::format("Data sets of {} simulated", shown == 1 ? "one observation" : count_text(shown) + " observations")};
  return {scatter_check(std::move(observed), made, role), fmt::format("{} points simulated", count_text(made.size(0)))};
}

}  // namespace pairs
