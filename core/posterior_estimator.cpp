#include "core/posterior_estimator.h"

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
#include "core/estimator.h"
#include "core/estimator_tensors.h"
#include "core/given.h"
#include "core/heads/mass.h"
#include "core/nn/encoding.h"
#include "core/nn/initial.h"
#include "core/sets/amounts.h"
#include "core/target_model.h"
#include "core/target_support.h"

namespace pairs {
namespace {

// The largest number of values in an embedder's graph: 1 GiB of float32, and 8 GiB on a GPU.
constexpr std::int64_t kGraph = std::int64_t{1} << 28, kGraphOnGpu = std::int64_t{1} << 31;

}  // namespace

void PosteriorEstimator::check_trainable() const {
  PAIRS_CHECK(!heads_.empty(), "An ensemble has no networks of its own: train the runs that it is made of");
}

void PosteriorEstimator::scale_target() {
  const TaskInfo& info = task_->info();
  const TargetScale target = target_model(info).scale(info, config_.head);
  target_shift_ = column(target.shift);
  target_scale_ = column(target.scale);
  log_scale_ = target.log_scale;
}

std::vector<std::int64_t> PosteriorEstimator::sizes() const {
  std::vector<std::int64_t> sizes;
  for (const HeadSlot& slot : heads_)
    if (slot.n > 0) sizes.push_back(slot.n);
  return sizes;
}

const PosteriorEstimator::HeadSlot& PosteriorEstimator::slot(std::int64_t n) const {
  check_trainable();
  if (heads_.front().n == 0) return heads_.front();
  for (const HeadSlot& s : heads_)
    if (s.n == n) return s;
  fail(
      "This estimator has one head for each of N = {} and none for N = {}; choose one of these sizes or train with "
      "{}=\"amortized\"",
      fmt::join(sizes(), ", "), n, "finetune.heads"_key);
}

PosteriorEstimator::HeadSlot& PosteriorEstimator::slot(std::int64_t n) {
  return const_cast<HeadSlot&>(static_cast<const PosteriorEstimator*>(this)->slot(n));
}

void PosteriorEstimator::set_pool(std::shared_ptr<const Pool> pool) {
  pool_ = std::move(pool);
  if (distance_) distance_ = std::make_shared<AggregateDistance>(statistics_, pool_);
}

torch::Tensor PosteriorEstimator::embed(const Observations& x, std::int64_t at_once) {
  at::NoGradGuard no_grad;
  if (at_once <= 0) at_once = observations_at_once();
  const double numbers = static_cast<double>(at_once) * task_->info().observation_numbers();
  const std::int64_t all = x.count();
  const bool standardizes = dynamic_cast<const StandardizedEmbedder*>(embedder_.get()) != nullptr;
  const auto embedded = [&](const Observations& part) {
    return embedder_->forward(standardizes || part.type() == torch::kFloat32 ? part
                                                                             : part.to(part.device(), torch::kFloat32));
  };
  torch::Tensor out;
  for (std::int64_t first = 0, last = 0; first < all || !out.defined(); first = last) {
    last = all > 0 ? x.part_end(first, at_once, numbers) : 0;
    if (first == 0 && last == all) return embedded(x);
    const torch::Tensor part = embedded(x.slice(first, last));
    if (!out.defined()) out = at::empty({all, part.size(1)}, part.options());
    out.narrow(0, first, last - first).copy_(part);
  }
  return out;
}

std::int64_t PosteriorEstimator::observations_in_graph() const {
  const double numbers = static_cast<double>(device_.is_cuda() ? kGraphOnGpu : kGraph);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(numbers / embedder_->activations()));
}

std::int64_t PosteriorEstimator::observations_at_once() const {
  return std::min(observations_in_graph(), pairs::observations_at_once(task_->info().observation_numbers()));
}

torch::Tensor PosteriorEstimator::extra_columns(const torch::Tensor& n, const torch::Tensor& given,
                                                const torch::Device& device) const {
  const std::int64_t known = task_->info().given_size();
  PAIRS_CHECK(known == 0 ? !given.defined() : given.defined() && given.dim() == 2,
              "Sets of task {} come with {} given quantities, and {} were given", task_->info().name, known,
              given.defined() ? "others" : "none");
  if (known > 0)
    PAIRS_CHECK(given.size(0) == n.size(0) && given.size(1) == known,
                "{} sets of task {} come with {} given quantities each, not [{}]", n.size(0), task_->info().name, known,
                fmt::join(given.sizes(), ", "));
  std::vector<torch::Tensor> columns;
  if (encoding_size(config_.encoding) > 0)
    columns.push_back(send(encode_n(config_.encoding, n, task_->info().max_n), device));
  if (known > 0) columns.push_back(send(standardized_given(*task_, given), device));
  if (head_kind(config_.head.kind).sees_log_n)
    columns.push_back(send(n.to(torch::kFloat32).log().unsqueeze(1), device));
  if (columns.empty()) return {};
  return columns.size() == 1 ? columns[0] : at::cat(columns, 1);
}

torch::Tensor PosteriorEstimator::context_of(const torch::Tensor& aggregates, const torch::Tensor& n,
                                             const torch::Tensor& extra) const {
  torch::Tensor own = aggregates;
  if (scaler_mean_.defined()) {
    const torch::Tensor scale =
        pool_->spread(scaler_between_, scaler_within_, n.to(torch::kFloat64).unsqueeze(1)).sqrt();
    own = (aggregates.to(torch::kFloat64) - scaler_mean_) / scale;
  }
  own = own.to(torch::kFloat32);
  return extra.defined() ? at::cat({own, extra}, 1) : own;
}

torch::Tensor PosteriorEstimator::context(const torch::Tensor& aggregates, const torch::Tensor& n,
                                          const torch::Tensor& given) const {
  const torch::Device device = aggregates.device();
  return context_of(aggregates, scaler_mean_.defined() ? send(n, device) : n, extra_columns(n, given, device));
}

torch::Tensor PosteriorEstimator::standardize(const torch::Tensor& theta) const {
  return (theta.to(torch::kFloat64) - target_shift_.to(theta.device())) / target_scale_.to(theta.device());
}

torch::Tensor PosteriorEstimator::restore(const torch::Tensor& z) const {
  return z.to(torch::kFloat64) * target_scale_.to(z.device()) + target_shift_.to(z.device());
}

torch::Tensor PosteriorEstimator::location(const HeadSlot& slot, const torch::Tensor& aggregates) const {
  if (!slot.weight.defined()) return {};
  return at::addmm(slot.bias, aggregates.to(torch::kFloat64), slot.weight.t());
}

torch::Tensor PosteriorEstimator::less_location(const HeadSlot& slot, const torch::Tensor& z,
                                                const torch::Tensor& aggregates) const {
  const torch::Tensor shift = location(slot, aggregates);
  return shift.defined() ? z - shift : z;
}

template <class F>
void PosteriorEstimator::for_each_head(const torch::Tensor& n, F&& f) const {
  if (heads_.front().n == 0) return f(heads_.front(), torch::Tensor());
  const torch::Tensor host = n.to(torch::kCPU);
  std::vector<std::int64_t> wanted(host.data_ptr<std::int64_t>(), host.data_ptr<std::int64_t>() + host.numel());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  for (std::int64_t size : wanted) f(slot(size), (n == size).nonzero().squeeze(1));
}

torch::Tensor PosteriorEstimator::log_prob(const torch::Tensor& theta, const torch::Tensor& aggregates,
                                           const torch::Tensor& n, const torch::Tensor& given) {
  return log_prob_grid(theta.unsqueeze(1), aggregates, n, given).squeeze(1);
}

torch::Tensor PosteriorEstimator::log_prob_grid(const torch::Tensor& theta, const torch::Tensor& aggregates,
                                                const torch::Tensor& n, const torch::Tensor& given) {
  PAIRS_CHECK(has_density(), "A head of kind \"{}\" draws samples but has no density, so log q cannot be computed",
              config_.head.kind);
  at::NoGradGuard no_grad;
  const torch::Tensor z = standardize(theta).to(device_), all = aggregates.to(device_), size = n.to(device_);
  const torch::Tensor c = context(all, size, given);
  const torch::Tensor host = theta.to(torch::kCPU, torch::kFloat64);
  const bool cut = restricted();
  torch::Tensor out = torch::empty({theta.size(0), theta.size(1)}, torch::kFloat64);
  for_each_head(size, [&](const HeadSlot& s, const torch::Tensor& rows) {
    const auto pick = [&](const torch::Tensor& t) { return rows.defined() ? t.index_select(0, rows) : t; };
    torch::Tensor zz = pick(z);
    if (const torch::Tensor shift = location(s, pick(all)); shift.defined()) zz = zz - shift.unsqueeze(1);
    zz = zz.to(torch::kFloat32);
    const torch::Tensor score = zz.size(1) == 1 ? s.head->log_prob(zz.squeeze(1).contiguous(), pick(c)).unsqueeze(1)
                                                : s.head->log_prob_grid(zz, pick(c));
    torch::Tensor own = score.to(torch::kCPU, torch::kFloat64);
    if (cut)
      own = restricted_density(s, pick(c), pick(all), rows.defined() ? host.index_select(0, rows.cpu()) : host, own);
    if (rows.defined())
      out.index_put_({rows.cpu()}, own);
    else
      out.copy_(own);
  });
  return out - log_scale_;
}

torch::Tensor PosteriorEstimator::sample(const torch::Tensor& aggregates, const torch::Tensor& n, std::int64_t count,
                                         std::uint64_t key, const torch::Tensor& given) {
  at::NoGradGuard no_grad;
  const torch::Tensor all = aggregates.to(device_), size = n.to(device_);
  const torch::Tensor c = context(all, size, given);
  const TaskInfo& info = task_->info();
  const bool cut = restricted();
  torch::Tensor out = torch::empty({c.size(0), count, info.target_size()}, torch::kFloat64);
  for_each_head(size, [&](const HeadSlot& s, const torch::Tensor& rows) {
    const auto pick = [&](const torch::Tensor& t) { return rows.defined() ? t.index_select(0, rows) : t; };
    torch::Tensor z = s.head->sample(pick(c), count, key).to(torch::kFloat64);
    if (const torch::Tensor shift = location(s, pick(all)); shift.defined()) z = z + shift.unsqueeze(1);
    torch::Tensor theta = restore(z.to(torch::kCPU));
    if (cut) restrict_samples(s, pick(c), pick(all), key, theta);
    if (rows.defined())
      out.index_put_({rows.cpu()}, theta);
    else
      out.copy_(theta);
  });
  return target_model(info).within_range(info, out);
}

bool PosteriorEstimator::restricted() const {
  return restricts(config_.head) && TargetSupport(task_->info().targets).bounded();
}

bool PosteriorEstimator::confined() const {
  return confines(config_.head) || restricts(config_.head);
}

torch::Tensor PosteriorEstimator::log_mass(const HeadSlot& slot, const torch::Tensor& context,
                                           const torch::Tensor& aggregates) const {
  const TargetSupport support(task_->info().targets);
  const std::int64_t sets = context.size(0);
  const auto bounds = [&](const torch::Tensor& end) {
    torch::Tensor z = standardize(end).unsqueeze(0).expand({sets, end.size(0)});
    if (const torch::Tensor shift = location(slot, aggregates); shift.defined()) z = z - shift.to(torch::kCPU);
    return z.contiguous().to(device_);
  };
  return slot.head->log_mass(context, bounds(support.low()), bounds(support.high()));
}

torch::Tensor PosteriorEstimator::restricted_density(const HeadSlot& slot, const torch::Tensor& context,
                                                     const torch::Tensor& aggregates, const torch::Tensor& theta,
                                                     const torch::Tensor& score) const {
  const TargetSupport support(task_->info().targets);
  const torch::Tensor mass = log_mass(slot, context, aggregates).unsqueeze(1);
  const torch::Tensor lost = mass < std::log(1 - kOutOfRange);
  torch::Tensor own = score - mass;
  if (lost.any().item<bool>()) own = torch::where(lost, support.broad_log_density(theta) + log_scale_, own);
  return torch::where(support.excludes(theta), -std::numeric_limits<double>::infinity(), own);
}

void PosteriorEstimator::restrict_samples(const HeadSlot& slot, const torch::Tensor& context,
                                          const torch::Tensor& aggregates, std::uint64_t key,
                                          torch::Tensor& theta) const {
  constexpr std::int64_t kLeast = 64, kRounds = 100000;
  const TargetSupport support(task_->info().targets);
  // Values that are not finite are returned to the caller.
  const torch::Tensor finite = theta.isfinite().flatten(1).all(1);
  const torch::Tensor sets = (support.excludes(theta).any(1) & finite).nonzero().flatten();
  if (sets.numel() == 0) return;
  const torch::Tensor rows = sets.to(context.device());
  const torch::Tensor contexts = context.index_select(0, rows), means = aggregates.index_select(0, rows);
  const torch::Tensor masses = log_mass(slot, contexts, means).exp();
  for (std::int64_t k = 0; k < sets.numel(); ++k) {
    const auto set = sets[k].item<std::int64_t>();
    const double mass = masses[k].item<double>();
    const std::uint64_t own = stream_key(key + static_cast<std::uint64_t>(set) + 1, Purpose::posterior);
    torch::Tensor draws = theta[set];
    if (mass < 1 - kOutOfRange) {
      Stream stream(own, 0);
      draws.copy_(support.broad_samples(draws.size(0), stream));
      continue;
    }
    torch::Tensor wanted = support.excludes(draws).nonzero().flatten();
    const torch::Tensor one = contexts.slice(0, k, k + 1), shift = location(slot, means.slice(0, k, k + 1));
    for (std::int64_t round = 0; wanted.numel() > 0; ++round) {
      PAIRS_CHECK(round < kRounds, "The posterior has no samples within the targets' supports");
      const double enough = 1.1 * static_cast<double>(wanted.numel()) / mass;
      const auto count = std::min(kRowsAtOnce, kLeast + static_cast<std::int64_t>(enough));
      torch::Tensor z = slot.head->sample(one, count, own + static_cast<std::uint64_t>(round)).to(torch::kFloat64)[0];
      if (shift.defined()) z = z + shift;
      const torch::Tensor more = restore(z.to(torch::kCPU));
      const torch::Tensor kept = (~support.excludes(more) & more.isfinite().all(1)).nonzero().flatten();
      const std::int64_t filled = std::min(kept.numel(), wanted.numel());
      draws.index_copy_(0, wanted.slice(0, 0, filled), more.index_select(0, kept.slice(0, 0, filled)));
      wanted = wanted.slice(0, filled);
    }
  }
}

torch::Tensor PosteriorEstimator::share_outside(const torch::Tensor& aggregates, const torch::Tensor& n,
                                                const torch::Tensor& given) const {
  at::NoGradGuard no_grad;
  const TargetSupport support(task_->info().targets);
  torch::Tensor out = torch::zeros({aggregates.size(0)}, torch::kFloat64);
  if (!support.bounded()) return out;
  if (const std::vector<std::shared_ptr<Estimator>> own = members(); !own.empty()) {
    const std::vector<torch::Tensor> parts = member_parts(own, aggregates);
    for (std::size_t k = 0; k < own.size(); ++k)
      out += own[k]->share_outside(parts[k], n, given) / static_cast<double>(own.size());
    return out;
  }
  if (confines(config_.head)) return out;
  const torch::Tensor all = aggregates.to(device_), size = n.to(device_), c = context(all, size, given);
  for_each_head(size, [&](const HeadSlot& s, const torch::Tensor& rows) {
    const auto pick = [&](const torch::Tensor& t) { return rows.defined() ? t.index_select(0, rows) : t; };
    const torch::Tensor share = -log_mass(s, pick(c), pick(all)).expm1();
    if (rows.defined())
      out.index_put_({rows.cpu()}, share);
    else
      out.copy_(share);
  });
  return out;
}

PosteriorEstimator::Typicality PosteriorEstimator::typicality(const torch::Tensor& aggregates,
                                                              const torch::Tensor& n) const {
  PAIRS_CHECK(
      distance_,
      "This estimator has no record of its training aggregates; finetune it before asking how typical a set is");
  return distance_->of(aggregates, n);
}

void PosteriorEstimator::to(const torch::Device& device) {
  device_ = device;
  embedder_->to(device);
  for (HeadSlot& slot : heads_) {
    slot.head->to(device);
    if (slot.weight.defined()) {
      slot.weight = slot.weight.to(device);
      slot.bias = slot.bias.to(device);
    }
  }
  if (scaler_mean_.defined()) {
    scaler_mean_ = scaler_mean_.to(device);
    scaler_between_ = scaler_between_.to(device);
    scaler_within_ = scaler_within_.to(device);
  }
}

}  // namespace pairs
