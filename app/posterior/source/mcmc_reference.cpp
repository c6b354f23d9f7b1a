#include "app/posterior/source/mcmc_reference.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/eval/references/mcmc_diagnostics.h"
#include "core/eval/references/nuts.h"
#include "core/joint_posterior.h"
#include "core/report/number_text.h"

namespace pairs {

bool has_mcmc(const Task& task) {
  return face<HasJointPosterior>(task) != nullptr;
}

McmcAnswer mcmc_answer(const Task& task, const Observations& x, const McmcOptions& options,
                       const std::function<bool()>& keep_going) {
  const Stopwatch watch;
  const auto* known = face<HasJointPosterior>(task);
  PAIRS_CHECK(known, "MCMC needs the joint density of targets and nuisances, which task {} has in no closed form",
              task.info().name);
  const std::unique_ptr<JointPosterior> joint = known->joint_posterior(x);
  const LogDensity density = [&](auto at, auto gradient) { return joint->log_density(at, gradient); };
  const NutsSettings settings = {.chains = options.chains, .tuning = options.tuning, .draws = options.draws};
  const NutsChains chains = sample_nuts(density, joint->center(), settings, keep_going);
  const torch::Tensor parameters = joint->parameters(chains.draws);
  McmcAnswer out;
  out.r_hat = 0;
  out.effective = INFINITY;
  for (std::int64_t k = 0; k < parameters.size(-1); ++k) {
    const McmcDiagnostics reported = mcmc_diagnostics(parameters.select(-1, k));
    out.r_hat = std::max(out.r_hat, std::isnan(reported.r_hat) ? INFINITY : reported.r_hat);  // chains that do not move
    for (const double size : {reported.bulk_size, reported.tail_size})
      out.effective = std::min(out.effective, std::isnan(size) ? 1.0 : size);
  }
  const auto targets = static_cast<std::int64_t>(task.info().targets.size());
  const torch::Tensor of_targets = parameters.slice(-1, 0, targets).reshape({-1, targets});
  out.mean = of_targets.mean(0);
  out.sd = of_targets.std(0);
  out.divergences = chains.divergences;
  out.seconds = watch.seconds();
  return out;
}

void McmcReport::add(const McmcAnswer& answer, const torch::Tensor& mean, const torch::Tensor& sd,
                     double exact_seconds) {
  const double miss = ((answer.mean - mean) / sd).abs().max().item<double>();
  const bool settled = answer.r_hat <= kSettled;
  ++sets_;
  unsettled_ += settled ? 0 : 1;
  divergences_ += answer.divergences;
  worst_r_hat_ = std::max(worst_r_hat_, answer.r_hat);
  least_effective_ = std::min(least_effective_, answer.effective);
  seconds_ += answer.seconds;
  exact_seconds_ += exact_seconds;
  double& worst = settled ? settled_miss_ : unsettled_miss_;
  worst = std::max(worst, miss);
}

std::vector<std::string> McmcReport::lines() const {
  if (sets_ == 0) return {};
  const std::string settled =
      unsettled_ == 0
          ? fmt::format("R-hat is at most {} on all of them, and", kSettled)
          : fmt::format(
                "R-hat is above {} on {} of them, where chains do not agree and their mean misses the exact "
                "one by up to {} sd; elsewhere",
                kSettled, count_text(unsettled_), number_text(unsettled_miss_, 2));
  return {fmt::format("MCMC (NUTS, {} chains of {} draws after {} of tuning) on {} data sets: worst R-hat {}, least "
                      "effective sample size {}, {} divergences",
                      options_.chains, count_text(options_.draws), count_text(options_.tuning), count_text(sets_),
                      number_text(worst_r_hat_, 2), number_text(least_effective_, 0), count_text(divergences_)),
          fmt::format("{} the mean misses the exact one by at most {} sd", settled, number_text(settled_miss_, 2)),
          fmt::format("seconds a data set, on one core: MCMC {:.3g}, the exact posterior {:.3g} ({:.3g} times less)",
                      seconds(), exact_seconds(), seconds() / exact_seconds())};
}

}  // namespace pairs
