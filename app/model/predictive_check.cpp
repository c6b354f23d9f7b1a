#include "app/model/predictive_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/transfer.h"

namespace pairs::model {
namespace {

// What is shown and simulated at most: points on a line, of the plane (a replicate), images.
constexpr std::int64_t kShownPoints = 3000, kReplicatePoints = 2000, kPlanePoints = 50, kShownImages = 40;
constexpr std::uint64_t kSeed = 0x70726564;

// `each` observations at every row of theta, ψ from its prior.
torch::Tensor replicates(const Task& task, const torch::Tensor& theta, std::int64_t each) {
  const TaskInfo& info = task.info();
  std::vector<std::int64_t> indices(static_cast<std::size_t>(theta.size(0)));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  Latents all = task.latents(kSeed, Purpose::explore, indices);
  std::vector<SetRange> draws;
  for (const std::int64_t k : indices) {
    Latents one{theta.narrow(0, k, 1).clone(), all.psi.narrow(0, k, 1).clone()};
    for (std::size_t t = 0; t < info.targets.size(); ++t) {
      const Target& target = info.targets[t];
      auto* value = one.theta.mutable_data_ptr<double>() + t;
      *value = std::clamp(*value, target.low, target.high);
      task.settle(one, {false, static_cast<std::int64_t>(t)});
    }
    all.theta.narrow(0, k, 1).copy_(one.theta);
    all.psi.narrow(0, k, 1).copy_(one.psi);
    draws.push_back({k, 0, each});
  }
  return task.observe(all, kSeed, Purpose::explore, draws, torch::kCPU);
}

// The observed histogram, and the band that histograms of the replicates fill.
Plot histogram_check(Plot plot, const torch::Tensor& made, std::int64_t each, std::int64_t observed, SeriesRole role) {
  plot.scatters.clear();
  Bars& bars = plot.bars.front();
  const std::size_t bins = bars.heights.size();
  const double low = bars.edges.front(), width = (bars.edges.back() - low) / static_cast<double>(bins);
  // Heights of each replicate as if it had as many observations as are shown.
  std::vector<std::vector<double>> heights_of(bins, std::vector<double>(kReplicates, 0));
  const std::vector<double> values = doubles(made);
  const double weight = static_cast<double>(observed) / static_cast<double>(each);
  for (std::int64_t k = 0; k < kReplicates; ++k)
    for (std::int64_t j = 0; j < each; ++j) {
      const double bin = std::floor((values[static_cast<std::size_t>(k * each + j)] - low) / width);
      if (bin >= 0 && bin < static_cast<double>(bins))
        heights_of[static_cast<std::size_t>(bin)][static_cast<std::size_t>(k)] += weight;
    }
  Line line;
  line.name = "simulated, 5 to 95 %";
  line.role = role;
  double most = *std::max_element(bars.heights.begin(), bars.heights.end());
  for (std::size_t b = 0; b < bins; ++b) {
    std::vector<double>& h = heights_of[b];
    std::sort(h.begin(), h.end());
    line.x.push_back(low + width * (static_cast<double>(b) + 0.5));
    line.y.push_back((h[kReplicates / 2 - 1] + h[kReplicates / 2]) / 2);
    line.lower.push_back(h[1]);
    line.upper.push_back(h[kReplicates - 2]);
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
    scatter.role = SeriesRole::naive;
  }
  plot.scatters.push_back({"simulated", role, doubles(made.select(1, 0)), doubles(made.select(1, 1))});
  return plot;
}

}  // namespace

PredictiveCheck predictive_check(const Task& task, const torch::Tensor& theta, const torch::Tensor& x,
                                 const SampleView& view, SeriesRole role) {
  const TaskInfo& info = task.info();
  const bool image = info.kind == ObservationKind::image, line = !image && info.observation_shape[0] == 1;
  const std::int64_t n = x.size(0),
                     each = image ? kShownImages / kReplicates : std::min(n, line ? kReplicatePoints : kPlanePoints),
                     shown = std::min(n, image  ? kShownImages
                                         : line ? kShownPoints
                                                : kReplicates * kPlanePoints);
  const torch::Tensor made = replicates(task, theta, each);
  Plot observed = sample_plot(task, Latents(), x.slice(0, 0, shown), view);
  auto figure = std::make_shared<Figure>();
  if (image) {
    Plot simulated = sample_plot(task, Latents(), made, view);
    observed.title = "observed";
    simulated.title = "simulated";
    figure->columns = 2;
    figure->plots = {std::move(observed), std::move(simulated)};
  } else if (line) {
    figure->plots = {histogram_check(std::move(observed), made, each, shown, role)};
  } else {
    figure->plots = {scatter_check(std::move(observed), made, role)};
  }
  return {figure, fmt::format("{} simulated at {} posterior draws of θ, ψ drawn from its prior.",
                              image ? fmt::format("{} images", kShownImages) : fmt::format("{} data sets", kReplicates),
                              kReplicates)};
}

}  // namespace pairs::model
