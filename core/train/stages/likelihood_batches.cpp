#include "core/train/stages/likelihood_batches.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kValidationSets = 512;                // of new observations
constexpr double kHeldOut = 0.15;                            // share of observations that are simulated once
constexpr std::int64_t kMostPasses = 60;                     // of a fixed number of observations
constexpr std::int64_t kLeastBatches = 64;                   // of a pass
constexpr std::int64_t kLeastBatch = 64;                     // observations, unless there are fewer
constexpr double kCurvatureOf = 1e5;                         // observations that the weight of curvature is given for
constexpr std::int64_t kCurvedShare = 4, kLeastCurved = 32;  // observations of a step
constexpr std::int64_t kLeastPriors = 64;  // sets of a step whose parameters train the prior's network

}  // namespace

LikelihoodBatches::LikelihoodBatches(std::shared_ptr<const Task> task, const LikelihoodConfig& config,
                                     const torch::Device& device)
    : task_(std::move(task)),
      config_(config),
      device_(device),
      stored_(task_->stored() != nullptr),
      sets_(std::max<std::int64_t>(config.networks.members, config.batch / kObservationsOfASet)) {
  if (stored_ || config.simulations == 0) return;
  const std::int64_t all = config.simulations / kObservationsOfASet;
  held_out_ = std::max<std::int64_t>(1, std::llround(kHeldOut * static_cast<double>(all)));
  pool_sets_ = all - held_out_;
  if (pool_sets_ < sets_)
    fail_usage("A likelihood needs {} simulated observations at least, not {}: raise --simulations",
               (sets_ + 1) * kObservationsOfASet * 5 / 4, config.simulations);
}

void LikelihoodBatches::prepare(const std::function<bool()>& stop) {
  const auto check = [&] {
    if (stop()) throw Stopped();
  };
  if (stored_) {
    const auto seed = static_cast<std::uint64_t>(config_.seed);
    pool_ = stored_observations(*task_, seed, Purpose::pretrain, check);
    validation_ = stored_observations(*task_, seed, Purpose::pretrain_validation, check);
    return;
  }
  constexpr std::int64_t kPart = 1024;
  const auto simulated = [&](std::int64_t first, std::int64_t count) {
    std::vector<LikelihoodDraws> parts;
    for (std::int64_t at = 0; at < count; at += kPart) {
      check();
      parts.push_back(draw(first + at, std::min(kPart, count - at)));
    }
    return joined(parts);
  };
  if (fixed()) pool_ = simulated(likelihood_sets::kTraining, pool_sets_);
  validation_ = simulated(likelihood_sets::kValidation, fixed() ? held_out_ : kValidationSets);
}

void LikelihoodBatches::shuffle(std::int64_t pass) {
  if (pass == pass_) return;
  at::Generator generator = at::detail::createCPUGenerator(
      stream_key(static_cast<std::uint64_t>(config_.seed) + static_cast<std::uint64_t>(pass), Purpose::order));
  rows_ = at::randperm(pool_.x.size(0), generator, at::TensorOptions(at::kLong));
  order_ = at::randperm(pool_.prior_parameters.size(0), generator, at::TensorOptions(at::kLong));
  pass_ = pass;
}

std::int64_t LikelihoodBatches::fixed_batch(const LikelihoodConfig& config, std::int64_t rows) {
  return std::max<std::int64_t>(1, std::min({config.batch, std::max(kLeastBatch, rows / kLeastBatches), rows}));
}

std::int64_t LikelihoodBatches::fixed_steps(const LikelihoodConfig& config, std::int64_t rows) {
  return std::min(config.steps, kMostPasses * (rows / fixed_batch(config, rows)));
}

std::int64_t LikelihoodBatches::steps() const {
  return fixed() ? fixed_steps(config_, pool_.x.size(0)) : config_.steps;
}

double LikelihoodBatches::curvature() const {
  return fixed() ? config_.curvature * kCurvatureOf / static_cast<double>(pool_.x.size(0)) : 0;
}

std::int64_t LikelihoodBatches::curved(std::int64_t observations) {
  return std::min(observations, std::max(kLeastCurved, observations / kCurvedShare));
}

LikelihoodDraws LikelihoodBatches::training(std::int64_t step) {
  if (!fixed()) return draw(likelihood_sets::kTraining + step * sets_, sets_);
  const std::int64_t rows = pool_.x.size(0), all = pool_.prior_parameters.size(0);
  const std::int64_t batch = fixed_batch(config_, rows), steps = rows / batch;
  shuffle(step / steps);
  const std::int64_t at = step % steps, priors = std::min(all, std::max(kLeastPriors, all / steps));
  const std::int64_t from = std::min(at * priors, all - priors);
  return pool_.chosen(rows_.slice(0, at * batch, (at + 1) * batch), order_.slice(0, from, from + priors));
}

std::int64_t LikelihoodBatches::simulations(std::int64_t steps) const {
  if (stored_) return pool_.x.size(0) + validation_.x.size(0);
  return fixed() ? config_.simulations : steps * sets_ * kObservationsOfASet;
}

LikelihoodDraws LikelihoodBatches::draw(std::int64_t first, std::int64_t count) const {
  return draw_observations(*task_, static_cast<std::uint64_t>(config_.seed), first, count, device_);
}

}  // namespace pairs
