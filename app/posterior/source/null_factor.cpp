#include "app/posterior/source/null_factor.h"

#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/fields/face.h"

namespace pairs {
namespace {

constexpr double kFarOff = 1.6;  // of the logarithms of two factors: a factor of five

double factor_of(const PosteriorSource& source, const NullValue& null) {
  const torch::Tensor theta = at::full({1, 1}, null.theta, torch::kFloat64);
  return std::exp(source.log_density(theta)[0].item<double>()) / null.prior_density;
}

// The favored hypothesis first, with the factor.
std::string factor_text(double factor) {
  return factor >= 1e4 || factor < 1e-3 ? fmt::format("{:.1e}", factor) : fmt::format("{:.3g}", factor);
}

// Whether a run's factor lies far from the exact one.
bool far_off(const std::vector<NullFactor>& factors) {
  const auto exact =
      std::find_if(factors.begin(), factors.end(), [](const NullFactor& one) { return one.role == SeriesRole::exact; });
  return exact != factors.end() && std::any_of(factors.begin(), factors.end(), [&](const NullFactor& one) {
           return std::fabs(std::log(one.factor / exact->factor)) > kFarOff;
         });
}

}  // namespace

std::vector<NullFactor> null_factors(const Task& task, const std::vector<PosteriorSource>& sources) {
  const HasNullValue* has = face<HasNullValue>(task);
  const bool exact = std::any_of(sources.begin(), sources.end(),
                                 [](const PosteriorSource& one) { return one.role == SeriesRole::exact; });
  if (!has || !exact) return {};
  std::vector<NullFactor> out;
  for (const PosteriorSource& source : sources) {
    // Few draws of a refined posterior lie near the null value, where its density is rough.
    if ((!source.ours && source.role != SeriesRole::exact) || source.name == kRefined) continue;
    const double factor = factor_of(source, has->null_value());
    if (std::isfinite(factor)) out.push_back({source.name, source.role, source.ours, factor});
  }
  return out;
}

std::string null_text(const Task& task, const std::vector<NullFactor>& factors) {
  const HasNullValue* has = face<HasNullValue>(task);
  if (!has || factors.empty()) return "";
  const NullValue null = has->null_value();
  const std::string& label = task.info().targets.front().label;
  std::string exact, ours;
  for (const NullFactor& one : factors)
    if (one.role == SeriesRole::exact)
      exact = factor_text(one.factor);
    else
      ours += fmt::format(", {} by {}'s density there", factor_text(one.factor), one.name);
  return fmt::format("{} = {:g} ({}) against {} from its prior: Bayes factor {}{}{}", label, null.theta, null.words,
                     label, exact.empty() ? ours.substr(std::min<std::size_t>(2, ours.size())) : exact + " exactly",
                     exact.empty() ? "" : ours, far_off(factors) ? ", unreliable this far into the tail" : "");
}

}  // namespace pairs
