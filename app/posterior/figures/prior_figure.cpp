#include "app/posterior/figures/prior_figure.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/posterior/figures/posterior_figure.h"
#include "app/posterior/plots/posterior_curves.h"
#include "app/posterior/source/derived.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/periodic.h"

namespace pairs {

namespace {

// So many of the samples [S, d], evenly spaced through the cumulated weights [S]: each occurs in proportion to its
// weight, rounded up or down.
torch::Tensor evenly_resampled(const torch::Tensor& all, const torch::Tensor& weights, std::int64_t draws) {
  const torch::Tensor ends = weights.cumsum(0) / weights.sum();
  const torch::Tensor at = (torch::arange(draws, torch::kFloat64) + 0.5) / static_cast<double>(draws);
  return all.index_select(0, torch::searchsorted(ends, at).clamp_max(all.size(0) - 1));
}

}  // namespace

PosteriorSource source_under(std::shared_ptr<const OtherPrior> prior, const PosteriorSource& source,
                             const ReweighedPosterior& under) {
  PosteriorSource out;
  out.name = "other prior";
  out.role = SeriesRole::other;
  if (under.made) {
    out.log_density = under.made->log_density;
    out.sample = [made = under.made, targets = prior->task().info().targets](std::int64_t draws, std::uint64_t seed) {
      at::Generator generator = at::detail::createCPUGenerator(seed);
      const torch::Tensor order = torch::randperm(draws, generator, torch::kLong);
      return wrapped(targets, evenly_resampled(made->draws, made->weights, draws).index_select(0, order));
    };
    return out;
  }
  out.log_density = [prior, log_density = source.log_density, evidence = under.evidence](const torch::Tensor& theta) {
    return log_density(theta).to(torch::kCPU, torch::kFloat64) +
           prior->log_ratio(theta.to(torch::kCPU, torch::kFloat64)) - std::log(evidence);
  };
  out.sample = [prior, sample = source.sample](std::int64_t draws, std::uint64_t seed) {
    const torch::Tensor all = sample(std::max(draws, kDerivedDraws), seed).to(torch::kCPU);
    const torch::Tensor weights = prior_weights(*prior, all);
    PAIRS_CHECK(weights.sum().item<double>() > 0, "No draw of the posterior has any density under {}", prior->text());
    return evenly_resampled(all, weights, draws);
  };
  return out;
}

std::optional<PosteriorNumbers> numbers_under(const std::vector<Target>& targets,
                                              const std::shared_ptr<const OtherPrior>& prior,
                                              const PosteriorSource& source, const ReweighedPosterior& answer) {
  const PosteriorSource under = source_under(prior, source, answer);
  // Confined to the supports for any head: the training prior, a factor of the density, is zero beyond them.
  std::vector<PosteriorNumbers> numbers = posterior_numbers(targets, true, {under});
  if (numbers.empty()) return {};
  add_curve(under, numbers.front());
  return std::move(numbers.front());
}

std::optional<Figure> prior_figure(const SetPosterior& posterior, const PosteriorAnswer& answer,
                                   const std::shared_ptr<const OtherPrior>& prior, const ReweighedPosterior& under) {
  const TaskInfo& info = posterior.task().info();
  if (answer.numbers.empty() || !(under.evidence > 0)) return {};
  std::optional<PosteriorNumbers> numbers = numbers_under(info.targets, prior, answer.sources.front(), under);
  if (!numbers) return {};
  PosteriorAnswer both;
  both.n = answer.n;
  both.numbers = {answer.numbers.front(), std::move(*numbers)};
  Figure figure =
      posterior_figure_at(info, both, {}, posterior.source_text(), chosen_axes(both.numbers, info.targets, {}));
  figure.title.clear();  // the window and the report have their own
  return figure;
}

}  // namespace pairs
