#include "app/scores/learned.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/number_text.h"

namespace pairs {
namespace {

constexpr const char* kBrief = "no better than the prior";

// The gain over the prior, and its error; NaN if unknown.
struct Gain {
  double mean = NAN, se = NAN;
};

Gain gain_of(const EvaluationRow& row) {
  if (row.extrapolation) return {};
  if (!std::isnan(row.mse_prior)) return {row.mse_prior - row.mse_posterior, row.mse_posterior_se};
  return {row.prior_gain, row.prior_gain_se};
}

bool known(const Gain& gain) {
  return std::isfinite(gain.mean) && std::isfinite(gain.se);
}

}  // namespace

bool learned_nothing(const std::vector<EvaluationRow>& rows) {
  bool any = false;
  for (const EvaluationRow& row : rows) {
    const Gain gain = gain_of(row);
    if (!known(gain)) continue;
    any = true;
    if (gain.mean > 2 * gain.se) return false;
  }
  return any;
}

std::vector<std::int64_t> worse_than_prior(const std::vector<EvaluationRow>& rows) {
  std::vector<std::int64_t> sizes;
  for (const EvaluationRow& row : rows) {
    const Gain gain = std::isnan(row.mse_prior) ? gain_of(row) : Gain();
    if (known(gain) && gain.mean < -4 * gain.se) sizes.push_back(row.n);
  }
  return sizes;
}

EvaluationVerdict learned_nothing_verdict(const std::vector<EvaluationRow>& rows) {
  const EvaluationRow* most = nullptr;
  for (const EvaluationRow& row : rows)
    if (known(gain_of(row)) && (!most || row.n > most->n)) most = &row;
  EvaluationVerdict verdict = learned_nothing_verdict();
  if (most) {
    const Gain gain = gain_of(*most);
    const bool image = !std::isnan(most->mse_prior);
    verdict.text +=
        fmt::format(" (at N = {} {} by {}{}{})", count_text(most->n),
                    image ? "its squared error is below the mean image's" : "its NLL is below theirs",
                    with_error_text(gain.mean, gain.se, image ? 5 : 3), image ? "" : " nat",
                    gain.mean > gain.se ? ", within two standard errors; more test sets may show a difference" : "");
  }
  return verdict;
}

EvaluationVerdict learned_nothing_verdict() {
  EvaluationVerdict verdict;
  verdict.bad = true;
  verdict.text = "No better than the prior: its answers do not improve on those without observations";
  verdict.brief = kBrief;
  return verdict;
}

}  // namespace pairs
