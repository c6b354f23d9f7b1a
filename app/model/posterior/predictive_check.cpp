#include "app/model/posterior/predictive_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "app/model/posterior/likelihood_check.h"
#include "app/text/number_text.h"
#include "core/base/error.h"
#include "core/base/transfer.h"

namespace pairs::model {
namespace {

// Points of a line that are shown and simulated, of the plane that are shown, and simulated at each draw.
constexpr std::int64_t kLinePoints = 2000, kPlanePoints = 400, kPlaneEach = 2, kFewPoints = 60;
constexpr std::uint64_t kSimulationSeed = 0x70726564;

Latents joint_draws(const Task& task, const NuisancePosterior& nuisance, const torch::Tensor& theta,
                    std::uint64_t seed) {
  Latents all{theta.to(torch::kFloat64).contiguous().clone(), {}};
  const std::vector<Target>& targets = task.info().targets;
  for (std::size_t t = 0; t < targets.size(); ++t)
    all.theta.select(1, static_cast<std::int64_t>(t)).clamp_(targets[t].low, targets[t].high);
  Stream stream(stream_key(kSimulationSeed, Purpose::posterior), seed);
  all.psi = nuisance.sample(all.theta, stream);
  return all;
}

// `each` observations at every draw, stacked.
torch::Tensor simulated(const Task& task, const Latents& draws, std::int64_t each) {
  std::vector<SetRange> ranges;
  for (std::int64_t k = 0; k < draws.theta.size(0); ++k) ranges.push_back({k, 0, each});
  return task.observe(draws, kSimulationSeed, Purpose::explore, ranges, torch::kCPU);
}

// The observed histogram, and the band that 90 % of the histograms of sets of the same size fill in each bin.
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
    // Few would be lost among the simulated ones.
    scatter.role = static_cast<std::int64_t>(scatter.x.size()) > kFewPoints ? SeriesRole::naive : SeriesRole::truth;
  }
  plot.scatters.insert(plot.scatters.begin(),
                       {"simulated", role, doubles(made.select(1, 0)), doubles(made.select(1, 1))});
  return plot;
}

}  // namespace

PredictiveCheck predictive_check(const Task& task, const NuisancePosterior& nuisance, const torch::Tensor& theta,
                                 const torch::Tensor& x, const SampleView& view, SeriesRole role, std::uint64_t seed) {
  PAIRS_CHECK(task.info().kind == ObservationKind::points, "There is no predictive check of images");
  const bool line = task.info().observation_shape[0] == 1;
  const std::int64_t n = x.size(0), shown = std::min(n, line ? kLinePoints : kPlanePoints);
  const Latents draws = joint_draws(task, nuisance, theta, seed);
  const torch::Tensor made = simulated(task, draws, line ? shown : kPlaneEach);
  Plot observed = sample_plot(task, Latents(), x.slice(0, 0, shown), view);
  auto figure = std::make_shared<Figure>();
  figure->plots = {line ? histogram_check(std::move(observed), made, shown, role)
                        : scatter_check(std::move(observed), made, role)};

  PredictiveCheck out;
  out.figure = figure;
  Stream stream(stream_key(kSimulationSeed, Purpose::check), seed);
  const auto picked = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(draws.theta.size(0))));
  const Latents one{draws.theta.narrow(0, picked, 1).contiguous(), draws.psi.narrow(0, picked, 1).contiguous()};
  const std::optional<double> point = likelihood_point(task, one, x, stream.bits64());
  if (point) {
    out.point = *point;
    out.extreme = out.point < kUnlikely || out.point > kTooLikely;
    out.line = out.point < kUnlikely    ? "Unlike the model: likelihood below 99.5 %"
               : out.point > kTooLikely ? "Unlike the model: likelihood above 99.5 %"
                                        : fmt::format("Likelihood above {:.0f} % of simulated sets", 100 * out.point);
  }
  out.note = fmt::format(
      "{} at {} draws of θ and ψ from their posterior: observed and simulated data should look alike.{}",
      line ? fmt::format("Data sets of {} simulated",
                         shown == 1 ? "one observation" : count_text(shown) + " observations")
           : fmt::format("{} points simulated", count_text(made.size(0))),
      kReplicates,
      point
          ? fmt::format("\nOf sets simulated at one draw, {:.1f} % have a lower log likelihood than the observed one. "
                        "Where the model holds every percentage is equally likely; below 0.5 or above 99.5 the model "
                        "and these data hardly go together.",
                        100 * out.point)
          : "");
  return out;
}

}  // namespace pairs::model
