#include "core/ensemble.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::uint32_t kChoice = 0x656e73;  // stream that selects members
constexpr std::int64_t kCenterDraws = 128;   // per member: the mean of four is off by less than 0.05 sd

std::int64_t least_max_n(const std::vector<std::shared_ptr<Estimator>>& members) {
  std::int64_t least = members.front()->max_n();
  for (const auto& one : members) least = std::min(least, one->max_n());
  return least;
}

const std::vector<std::shared_ptr<Estimator>>& checked(const std::vector<std::shared_ptr<Estimator>>& members) {
  if (members.size() < 2) fail_usage("An ensemble is made of two runs or more, not {}", members.size());
  const Estimator& first = *members.front();
  for (const auto& one : members) {
    if (one->task().info().name != first.task().info().name || one->data_source() != first.data_source())
      fail_usage("An ensemble is of one task and one source of data; {} on {} and {} on {} cannot be averaged",
                 first.task().info().name, first.data_source(), one->task().info().name, one->data_source());
    if (!one->has_density())
      fail_usage("The posterior of task {} is drawn, not a density, and an ensemble averages densities",
                 one->task().info().name);
    if (!one->members().empty()) fail_usage("An ensemble is made of runs, not of other ensembles; name their runs");
  }
  return members;
}

// The member for each sample: [sets, count] int64 below `members`.
torch::Tensor choices(std::int64_t sets, std::int64_t count, std::size_t members, std::uint64_t key) {
  torch::Tensor out = torch::empty({sets, count}, torch::kInt64);
  auto* to = out.mutable_data_ptr<std::int64_t>();
  for (std::int64_t set = 0; set < sets; ++set) {
    Stream stream(key, static_cast<std::uint64_t>(set), kChoice);
    for (std::int64_t i = 0; i < count; ++i)
      *to++ = std::min(static_cast<std::int64_t>(stream.uniform() * static_cast<double>(members)),
                       static_cast<std::int64_t>(members) - 1);
  }
  return out;
}

}  // namespace

const Estimator& one_of_ensemble(const std::shared_ptr<Estimator>& estimator) {
  const std::vector<std::shared_ptr<Estimator>> members = estimator->members();
  return members.empty() ? *estimator : *members.front();
}

std::vector<torch::Tensor> member_parts(const std::vector<std::shared_ptr<Estimator>>& members,
                                        const torch::Tensor& aggregates) {
  std::vector<std::int64_t> lengths;
  for (const auto& one : members) lengths.push_back(one->embedding_size());
  return at::split_with_sizes(aggregates, lengths, 1);
}

Ensemble::Ensemble(std::vector<std::shared_ptr<Estimator>> members, double width)
    : Estimator(checked(members).front()->task_pointer(), members.front()->config(), members.front()->data_source(),
                least_max_n(members)),
      members_(std::move(members)),
      width_(width) {
  PAIRS_CHECK(width >= kLeastWidth && width <= kMostWidth, "An ensemble's width is {} to {}, not {}", kLeastWidth,
              kMostWidth, width);
  for (const Target& target : task().info().targets)
    if (width != 1 && (std::isfinite(target.low) || std::isfinite(target.high)))
      fail_usage(
          "{} is bounded: made wider about its mean, the ensemble's posterior would leave the support, and made "
          "narrower it would exclude what lies at the bound; average the runs without --calibrate",
          target.label);
  bool per_n = false;
  for (const auto& one : members_) per_n |= !one->sizes().empty();
  if (per_n && sizes().empty())
    fail_usage("The runs have heads for different N and none in common, so that they cannot be averaged");
  set_device(members_.front()->device());
}

std::vector<std::int64_t> Ensemble::sizes() const {
  std::vector<std::int64_t> common;
  bool first = true;
  for (const auto& one : members_) {
    const std::vector<std::int64_t> own = one->sizes();
    if (own.empty()) continue;
    if (std::exchange(first, false)) common = own;
    std::erase_if(common, [&](std::int64_t n) { return std::find(own.begin(), own.end(), n) == own.end(); });
  }
  return common;
}

std::int64_t Ensemble::embedding_size() const {
  std::int64_t all = 0;
  for (const auto& one : members_) all += one->embedding_size();
  return all;
}

torch::Tensor Ensemble::mean_aggregate() const {
  std::vector<torch::Tensor> means;
  for (const auto& one : members_) {
    means.push_back(one->mean_aggregate());
    if (!means.back().defined()) return {};
  }
  return at::cat(means);
}

torch::Tensor Ensemble::embed(const Observations& x, std::int64_t at_once) {
  std::vector<torch::Tensor> parts;
  for (const auto& one : members_) parts.push_back(one->embed(x, at_once));
  return at::cat(parts, 1);
}

std::int64_t Ensemble::observations_at_once() const {
  std::int64_t least = members_.front()->observations_at_once();
  for (const auto& one : members_) least = std::min(least, one->observations_at_once());
  return least;
}

torch::Tensor Ensemble::center(const torch::Tensor& aggregates, const torch::Tensor& n,
                               const torch::Tensor& given) const {
  at::NoGradGuard no_grad;
  const std::uint64_t key = stream_key(kFigureSeed, Purpose::posterior);
  const std::vector<torch::Tensor> parts = member_parts(members_, aggregates);
  std::vector<torch::Tensor> rows;
  for (std::int64_t b = 0; b < n.size(0); ++b) {  // one by one: samples depend on the place in a batch
    const auto of = [&](const torch::Tensor& all) { return all.defined() ? all.slice(0, b, b + 1) : all; };
    std::vector<torch::Tensor> means;
    for (std::size_t k = 0; k < members_.size(); ++k)
      means.push_back(members_[k]->sample(of(parts[k]), of(n), kCenterDraws, key, of(given)).mean(1, true));
    rows.push_back(at::stack(means).mean(0));
  }
  return at::cat(rows);
}

torch::Tensor Ensemble::log_prob_grid(const torch::Tensor& theta, const torch::Tensor& aggregates,
                                      const torch::Tensor& n, const torch::Tensor& given) {
  torch::Tensor at = theta;
  if (width_ != 1) {
    const torch::Tensor middle = center(aggregates, n, given).to(theta.device(), theta.scalar_type());
    at = middle + (theta - middle) / width_;
  }
  const std::vector<torch::Tensor> parts = member_parts(members_, aggregates);
  std::vector<torch::Tensor> scores;
  for (std::size_t k = 0; k < members_.size(); ++k)
    scores.push_back(members_[k]->log_prob_grid(at, parts[k], n, given));
  return at::stack(scores).logsumexp(0) - std::log(static_cast<double>(members_.size())) -
         static_cast<double>(theta.size(-1)) * std::log(width_);
}

bool Ensemble::confined() const {
  return std::all_of(members_.begin(), members_.end(), [](const auto& one) { return one->confined(); });
}

torch::Tensor Ensemble::sample(const torch::Tensor& aggregates, const torch::Tensor& n, std::int64_t count,
                               std::uint64_t key, const torch::Tensor& given) {
  const std::vector<torch::Tensor> parts = member_parts(members_, aggregates);
  std::vector<torch::Tensor> draws;
  for (std::size_t k = 0; k < members_.size(); ++k)
    draws.push_back(members_[k]->sample(parts[k], n, count, key, given));
  const torch::Tensor all = at::stack(draws);  // [K, B, S, d]
  const torch::Tensor who = choices(all.size(1), count, members_.size(), key);
  const torch::Tensor drawn =
      all.gather(0, who.unsqueeze(0).unsqueeze(3).expand({1, all.size(1), count, all.size(3)}))[0];
  if (width_ == 1) return drawn;
  const torch::Tensor middle = center(aggregates, n, given).to(drawn.device(), drawn.scalar_type());
  return middle + width_ * (drawn - middle);
}

Estimator::Typicality Ensemble::typicality(const torch::Tensor& aggregates, const torch::Tensor& n) const {
  const std::vector<torch::Tensor> parts = member_parts(members_, aggregates);
  std::vector<torch::Tensor> distances, percentiles;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const Typicality one = members_[k]->typicality(parts[k], n);
    distances.push_back(one.distance);
    percentiles.push_back(one.percentile);
  }
  const torch::Tensor distance = at::stack(distances), percentile = at::stack(percentiles);
  const torch::Tensor least = percentile.argmax(0, true);
  return {distance.gather(0, least)[0], percentile.gather(0, least)[0]};
}

bool Ensemble::knows_typicality() const {
  return std::all_of(members_.begin(), members_.end(), [](const auto& one) { return one->knows_typicality(); });
}

void Ensemble::to(const torch::Device& device) {
  for (const auto& one : members_) one->to(device);
  set_device(device);
}

void Ensemble::train(bool on) {
  for (const auto& one : members_) one->train(on);
}

std::map<std::string, torch::Tensor> Ensemble::embedder_parameters() const {
  std::map<std::string, torch::Tensor> all;
  for (std::size_t k = 0; k < members_.size(); ++k)
    for (const auto& [name, tensor] : members_[k]->embedder_parameters()) all[member_prefix(k) + name] = tensor;
  return all;
}

double Ensemble::embedder_flops() const {
  double sum = 0;
  for (const auto& one : members_) sum += one->embedder_flops();
  return sum;
}

double Ensemble::head_flops() const {
  double sum = 0;
  for (const auto& one : members_) sum += one->head_flops();
  return sum;
}

}  // namespace pairs
