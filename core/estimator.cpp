#include "core/estimator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/aggregate_distance.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/ensemble.h"
#include "core/estimator_tensors.h"
#include "core/given.h"
#include "core/heads/mass.h"
#include "core/nn/encoding.h"
#include "core/nn/initial.h"
#include "core/sets/amounts.h"
#include "core/target_model.h"
#include "core/target_support.h"

namespace pairs {

Estimator::Estimator(std::shared_ptr<const Task> task, const EstimatorConfig& config, std::uint64_t seed)
    : PosteriorEstimator(task, config, task->info().data_source, 0) {
  at::Generator generator = at::detail::createCPUGenerator(stream_key(seed, Purpose::init));
  const TaskInfo& info = task_->info();
  const InputScale input = pairs::input_scale(*task_);
  const std::vector<std::int64_t> shape = input.empty() ? info.observation_shape : shape_seen(info);
  embedder_ = make_embedder(config_.embedder, ObservationShape{shape, info.rows}, generator);
  if (!input.empty()) {
    const auto standardized =
        std::make_shared<StandardizedEmbedder>(embedder_, column(input.location), column(input.scale), info.periods);
    if (!input.spread.empty()) standardized->curve(column(input.middle), column(input.spread));
    embedder_ = standardized;
  }
  scale_target();
  heads_.push_back({0, fresh_head(seed)});
}

std::shared_ptr<Head> Estimator::fresh_head(std::uint64_t seed) const {
  at::Generator generator = at::detail::createCPUGenerator(stream_key(seed + 0x68656164, Purpose::init));
  const TaskInfo& info = task_->info();
  const TargetModel& target = target_model(info);
  const HeadKind& kind = head_kind(config_.head.kind);
  PAIRS_CHECK(target.modeled_by(kind), "{} = \"{}\" does not model the target of task {}, which is {}", "head.kind"_key,
              config_.head.kind, info.name, target.refusal());
  const std::int64_t context =
      embedder_->size() + encoding_size(config_.encoding) + info.given_size() + (kind.sees_log_n ? 1 : 0);
  const std::optional<HeadImage> image = target.image(task_);
  auto head =
      make_head(config_.head, target.head_targets(info, config_.head), context, generator, image ? &*image : nullptr);
  if (!device_.is_cpu()) head->to(device_);
  return head;
}

Head& Estimator::head(std::int64_t n) {
  return *slot(n).head;
}

void Estimator::reset_heads(std::uint64_t seed) {
  check_trainable();
  heads_.clear();
  heads_.push_back({0, fresh_head(seed)});
}

void Estimator::reset_heads(std::uint64_t seed, const HeadConfig& head) {
  config_.head = head;
  scale_target();
  reset_heads(seed);
}

void Estimator::split_heads(const std::vector<std::int64_t>& sizes) {
  check_trainable();
  const std::shared_ptr<Head> first = heads_.front().head;
  std::map<std::string, torch::Tensor> values;
  collect_tensors(*first, "", true, values);
  const auto copy = [&] {
    at::NoGradGuard no_grad;
    auto head = fresh_head(0);
    std::map<std::string, torch::Tensor> target;
    collect_tensors(*head, "", true, target);
    for (auto& [name, tensor] : target) tensor.copy_(values.at(name));
    return head;
  };
  std::vector<HeadSlot> slots;
  const HeadSlot& from = heads_.front();
  if (sizes.empty()) slots.push_back({0, copy(), from.weight, from.bias});
  for (std::int64_t n : sizes) slots.push_back({n, copy(), from.weight, from.bias});
  heads_ = std::move(slots);
}

void Estimator::set_statistics(const AggregateStatistics& statistics, bool fold, std::int64_t fold_n) {
  check_trainable();
  at::NoGradGuard no_grad;
  const torch::Tensor old_mean = scaler_mean_, old_between = scaler_between_, old_within = scaler_within_;
  statistics_ = statistics;
  distance_ = std::make_shared<AggregateDistance>(statistics_, pool_);
  if (!config_.standardize) return;
  scaler_mean_ = statistics.mean.to(device_, torch::kFloat64);
  scaler_between_ = statistics.between.diagonal().to(device_, torch::kFloat64).clone();
  scaler_within_ = statistics.within.diagonal().to(device_, torch::kFloat64).clone();
  if (!fold) return;
  for (HeadSlot& slot : heads_) {
    const double n = static_cast<double>(slot.n > 0 ? slot.n : fold_n);
    const torch::Tensor scale = pool_->spread(scaler_between_, scaler_within_, n).sqrt();
    // The head's input was (T - old mean) / old scale, or T without a standardizer, and is now (T - mean) / scale.
    if (old_mean.defined())
      slot.head->absorb_context_affine(pool_->spread(old_between, old_within, n).sqrt() / scale,
                                       (old_mean - scaler_mean_) / scale);
    else
      slot.head->absorb_context_affine(1 / scale, -scaler_mean_ / scale);
  }
}

void Estimator::set_noise(std::uint64_t key) {
  embedder_->set_noise(key, 0);
  for (HeadSlot& slot : heads_) slot.head->set_noise(key);
}

void Estimator::set_location(std::int64_t head_n, const torch::Tensor& weight, const torch::Tensor& bias) {
  const std::int64_t l = embedder_->size(), d = task_->info().target_size();
  const std::string why = target_model(task_->info()).not_linear(task_->info());
  PAIRS_CHECK(why.empty(), "The target of task {} is {}, and has no linear location map", task_->info().name, why);
  PAIRS_CHECK(weight.dim() == 2 && weight.size(0) == d && weight.size(1) == l && bias.numel() == d,
              "The location map does not fit {} targets and an embedding of length {}", d, l);
  HeadSlot& s = slot(head_n);
  s.weight = weight.to(device_, torch::kFloat64);
  s.bias = bias.to(device_, torch::kFloat64);
}

torch::Tensor Estimator::target(std::int64_t head_n, const torch::Tensor& theta,
                                const torch::Tensor& aggregates) const {
  return less_location(slot(head_n), send(standardize(theta), device_), aggregates);
}

Estimator::SetColumns Estimator::send_sets(const torch::Tensor& theta, const torch::Tensor& n,
                                           const torch::Tensor& given) const {
  return {send(standardize(theta), device_), send(n, device_), extra_columns(n, given, device_)};
}

Loss Estimator::loss(std::int64_t head_n, const SetColumns& sets, const torch::Tensor& aggregates) {
  const HeadSlot& served = slot(head_n);
  Head& head = *served.head;
  const torch::Tensor z = less_location(served, sets.target, aggregates).to(torch::kFloat32),
                      c = context_of(aggregates, sets.n, sets.extra);
  return {head.loss(z, c), head.is_training() ? head.auxiliary_loss(z, c) : torch::Tensor()};
}

Loss Estimator::loss(std::int64_t head_n, const torch::Tensor& theta, const torch::Tensor& aggregates,
                     const torch::Tensor& n, const torch::Tensor& given) {
  return loss(head_n, send_sets(theta, n, given), aggregates);
}

// Samples outside are replaced by new ones, for each set separately, until all lie inside.
void Estimator::train(bool on) {
  embedder_->train(on);
  for (HeadSlot& slot : heads_) slot.head->train(on);
}

double Estimator::head_flops() const {
  return heads_.front().head->flops();
}

}  // namespace pairs
