#include "core/train/stages/refined_density.h"

#include <bit>
#include <cmath>
#include <limits>

#include "core/periodic.h"

namespace pairs {
namespace {

constexpr std::int64_t kFinalDraws = 2000;
constexpr std::int64_t kRankSamples = 199;

}  // namespace

RefinedPosterior refined_by(const LearnedLikelihood& likelihood, const Task& task, const Observations& x,
                            const torch::Tensor& given, const torch::Tensor& start, std::uint64_t seed,
                            const std::function<bool()>& keep_going,
                            const std::function<torch::Tensor(const torch::Tensor& theta)>& log_ratio,
                            double sequential_pairs) {
  RefineOptions options;
  options.log_ratio = log_ratio;
  options.draws = kFinalDraws;
  options.seed = seed;
  options.start = start;
  options.keep_going = keep_going;
  options.sequential_pairs = sequential_pairs;
  return refine(likelihood, static_cast<std::int64_t>(task.info().targets.size()), x.block().to(torch::kCPU), given,
                options);
}

MadeDensity refined_density(const RunLikelihood& known, const std::shared_ptr<const Task>& task, std::int64_t sets,
                            const std::function<bool()>& keep_going) {
  MadeDensity out;
  out.name = kRefined;
  out.sets = sets;
  out.samples = kRankSamples;
  out.score = [likelihood = known.likelihood, task, keep_going](const Observations& x,
                                                                const Latents& own) -> std::optional<MadeScore> {
    const RefinedPosterior posterior = refined_by(*likelihood, *task, x, own.given, {}, kFigureSeed, keep_going);
    if (!posterior.refused.empty()) return std::nullopt;
    const double value = RefinedDensity(posterior).log_density(own.theta).item<double>();
    // Whether a set is left out must not depend on its θ, which the range of the parameters may not hold.
    MadeScore out{std::isnan(value) ? -std::numeric_limits<double>::infinity() : value};
    // The cut of periodic targets is drawn by a number that depends on the observations alone.
    const auto key = std::bit_cast<std::uint64_t>(posterior.mean[0].item<double>());
    const Unrolled cut = cut_open(task->info().targets, resampled(posterior, kRankSamples, kFigureSeed).unsqueeze(0),
                                  own.theta.to(torch::kFloat64), key);
    const torch::Tensor below = (cut.samples.squeeze(0) < cut.theta).to(torch::kFloat64).mean(0);
    for (std::int64_t t = 0; t < below.numel(); ++t) out.ranks.push_back(below[t].item<double>());
    return out;
  };
  return out;
}

}  // namespace pairs
