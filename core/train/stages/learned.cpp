#include "core/train/stages/learned.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/train/stages/set_gradients.h"

namespace pairs {

ScoredSets held_out_sets(Estimator& estimator, const SetSource& source, std::int64_t most, const torch::Device& device,
                         const std::function<bool()>& stop) {
  at::NoGradGuard no_grad;
  constexpr std::int64_t kTogether = 256;
  std::vector<torch::Tensor> theta, aggregates, n, given;
  const std::int64_t count = std::min(source.validation_sets(), most);
  for (std::int64_t first = 0; first < count; first += kTogether) {
    const SetBatch batch =
        source.validation(first, std::min(kTogether, count - first), device, estimator.observations_at_once());
    theta.push_back(batch.theta);
    aggregates.push_back(set_aggregates(estimator, source, batch, estimator.observations_at_once(), stop));
    n.push_back(batch.n);
    if (batch.given.defined()) given.push_back(batch.given);
  }
  return {at::cat(theta), at::cat(aggregates), at::cat(n), given.empty() ? torch::Tensor() : at::cat(given)};
}

void report_gain(Stage stage, const PriorGain& gain, bool density, nlohmann::json& values, Monitor& monitor) {
  if (!gain.known()) return;
  values["prior_gain"] = gain.gain;
  values["prior_gain_se"] = gain.se;
  if (!gain.nothing()) return;
  values["learned_nothing"] = true;
  Event event;
  event.type = EventType::warning;
  event.stage = stage;
  event.values = {
      {"text",
       fmt::format("stage {} is no better than the prior: on held-out sets its answers do not improve on those without "
                   "observations ({:.3g} ± {:.2g}{} better); give it more steps or sets, or another {}.rate",
                   stage_name(stage), gain.gain, gain.se, density ? " nat" : "", stage_name(stage))}};
  monitor.event(event);
}

void report_invalid(Stage stage, const InvalidDraws& invalid, nlohmann::json& values, Monitor& monitor) {
  if (invalid.attempts == 0) return;
  values["invalid"] = to_json(invalid);
  if (invalid.share() <= kTellingInvalidShare) return;
  Event event;
  event.type = EventType::warning;
  event.stage = stage;
  event.values = {{"text", invalid_sentence(invalid.attempts, invalid.invalid)}};
  monitor.event(event);
}

}  // namespace pairs
