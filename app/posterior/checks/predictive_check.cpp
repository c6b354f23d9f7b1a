#include "app/posterior/checks/predictive_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "app/posterior/checks/likelihood_check.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs {
namespace {

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

}  // namespace

PredictiveCheck predictive_check(const Task& task, const NuisancePosterior& nuisance, const torch::Tensor& theta,
                                 const Observations& x, const SampleView& view, SeriesRole role, std::uint64_t seed,
                                 const torch::Tensor& asked) {
  const Latents draws = joint_draws(task, nuisance, theta, seed);
  std::optional<SimulatedPlot> extra = room_of(task.info()).simulated_plot(task, draws, x, view, role);
  PAIRS_CHECK(extra, "There is no predictive check of observations that are {}", room_of(task.info()).name());
  auto figure = std::make_shared<Figure>();
  figure->plots = {std::move(extra->plot)};

  PredictiveCheck out;
  out.figure = figure;
  Stream stream(stream_key(kSimulationSeed, Purpose::check), seed);
  const auto picked = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(draws.theta.size(0))));
  const Latents one = asked.defined() ? joint_draws(task, nuisance, asked.to(torch::kCPU).view({1, -1}), seed)
                                      : Latents{draws.theta.narrow(0, picked, 1).contiguous(),
                                                draws.psi.narrow(0, picked, 1).contiguous()};
  const std::optional<double> point = likelihood_point(task, one, x, stream.bits64());
  if (point) {
    out.point = *point;
    out.extreme = out.point < kUnlikely || out.point > kTooLikely;
    out.line = out.point < kUnlikely    ? "Likelihood below 99.5 % of simulated sets"
               : out.point > kTooLikely ? "Likelihood above 99.5 % of simulated sets"
                                        : fmt::format("Likelihood above {:.0f} % of simulated sets", 100 * out.point);
  }
  out.note =
      fmt::format("{} at {} draws of θ and ψ from their posterior: observed and simulated data should look alike.{}",
                  extra->simulated, kReplicates,
                  point ? fmt::format("\nOf sets simulated at one draw, {:.1f} % have a lower log likelihood than the "
                                      "observed one. Where the model holds every percentage is equally likely; below "
                                      "0.5 or above 99.5 the model does not fit these data.",
                                      100 * out.point)
                        : "");
  return out;
}

}  // namespace pairs
