#include "core/eval/references/marginal_likelihood.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/aggregate.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/threads/interruption.h"
#include "core/given.h"
#include "core/prior_density.h"
#include "core/sets/amounts.h"
#include "core/sets/index_map.h"
#include "core/stored_sets.h"

namespace pairs {
namespace {

constexpr std::int64_t kPriorDraws = 4096;
// Kolmogorov's critical value at p = 0.001: the largest distance between two distribution functions times the root of
// the number of draws.
constexpr double kKolmogorov = 1.95;
constexpr std::int64_t kSetsAtOnce = 256;

// The distance of samples from uniform between the target's bounds, in units of 1 / √draws.
double distance_from_uniform(const Task& task, std::uint64_t seed) {
  std::vector<std::int64_t> indices(kPriorDraws);
  std::iota(indices.begin(), indices.end(), index_map::kToySets);
  const Target& target = task.info().targets.front();
  std::vector<double> draws = doubles(task.latents(seed, Purpose::check, indices).theta);
  std::sort(draws.begin(), draws.end());
  double distance = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double wanted = (draws[i] - target.low) / (target.high - target.low);
    const double below = static_cast<double>(i) / kPriorDraws, to = static_cast<double>(i + 1) / kPriorDraws;
    distance = std::max({distance, std::abs(wanted - below), std::abs(wanted - to)});
  }
  return distance * std::sqrt(static_cast<double>(kPriorDraws));
}

// Collects the observations that arrive, set by set.
class GatheredSets {
 public:
  explicit GatheredSets(std::size_t sets) : parts_(sets) {}
  void add(const Observations& x, const std::vector<ChunkPart>& parts) {
    const Observations host = x.to(torch::kCPU);
    for (const ChunkPart& part : parts)
      parts_[static_cast<std::size_t>(part.set)].push_back(host.slice(part.begin, part.end));
  }
  std::vector<Observations> sets() const {
    std::vector<Observations> out;
    for (const std::vector<Observations>& parts : parts_)
      out.push_back(parts.size() == 1 ? parts.front() : Observations::concatenate(parts));
    return out;
  }

 private:
  std::vector<std::vector<Observations>> parts_;
};

class EstimatedLikelihood final : public MarginalLikelihood {
 public:
  EstimatedLikelihood(std::shared_ptr<Estimator> estimator, std::int64_t n, torch::Tensor grid, torch::Tensor prior)
      : estimator_(std::move(estimator)), n_(n), grid_(std::move(grid)), prior_(std::move(prior)) {
    estimator_->train(false);
  }

  torch::Tensor of_sets(const Latents& latents, std::uint64_t seed, std::span<const std::int64_t> indices,
                        std::vector<Observations>* sets, const std::function<bool()>& keep_going) override {
    GatheredSets gathered(indices.size());
    StreamOptions stream;
    stream.keep_going = keep_going;
    if (sets)
      stream.visit = [&](const Observations& x, const std::vector<ChunkPart>& parts) { gathered.add(x, parts); };
    const torch::Tensor aggregates = aggregate_sets(*estimator_, latents, seed, Purpose::check, indices, n_, stream);
    const auto count = static_cast<std::int64_t>(indices.size());
    const torch::Tensor n = at::full({count}, n_, torch::kInt64);
    const torch::Tensor theta = grid_.view({1, -1, 1}).expand({count, grid_.size(0), 1});
    if (sets) *sets = gathered.sets();
    return estimator_->log_prob_grid(theta, aggregates, n, latents.given).to(torch::kCPU, torch::kFloat64) - prior_;
  }
  std::int64_t at_once() const override {
    return std::clamp<std::int64_t>(estimator_->observations_at_once() / n_, 1, kSetsAtOnce);
  }

 private:
  std::shared_ptr<Estimator> estimator_;
  std::int64_t n_;
  torch::Tensor grid_, prior_;
};

class ExactLikelihood final : public MarginalLikelihood {
 public:
  ExactLikelihood(std::shared_ptr<const Task> task, std::int64_t n, torch::Tensor grid, torch::Tensor prior)
      : task_(std::move(task)), n_(n), grid_(std::move(grid)), prior_(std::move(prior)) {}

  torch::Tensor of_sets(const Latents& latents, std::uint64_t seed, std::span<const std::int64_t> indices,
                        std::vector<Observations>* sets, const std::function<bool()>& keep_going) override {
    if (keep_going && !keep_going()) throw Stopped();
    std::vector<SetRange> ranges;
    for (const std::int64_t index : indices) ranges.push_back({index, 0, n_});
    const Observations x = task_->observe(latents, seed, Purpose::check, ranges, torch::kCPU);
    const auto count = static_cast<std::int64_t>(indices.size());
    torch::Tensor out = at::empty({count, grid_.size(0)}, torch::kFloat64);
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        const auto posterior = task_->reference("exact");
        if (latents.given.defined()) report_given(*posterior, latents.given[k]);
        posterior->add(x.slice(k * n_, (k + 1) * n_));
        out[k].copy_(posterior->log_density(grid_.unsqueeze(1)) - prior_);
      }
    });
    if (sets) {
      sets->clear();
      for (std::int64_t k = 0; k < count; ++k) sets->push_back(x.slice(k * n_, (k + 1) * n_));
    }
    return out;
  }
  std::int64_t at_once() const override {
    const double numbers = task_->info().observation_numbers();
    return std::clamp<std::int64_t>(observations_at_once(numbers) / n_, 1, kSetsAtOnce);
  }

 private:
  std::shared_ptr<const Task> task_;
  std::int64_t n_;
  torch::Tensor grid_, prior_;
};

}  // namespace

std::string no_frequentist_answers(const Task& task) {
  const TaskInfo& info = task.info();
  if (info.target_size() != 1) return fmt::format("its target has {} numbers, and they are of one", info.target_size());
  const Target& target = info.targets.front();
  if (!std::isfinite(target.low) || !std::isfinite(target.high))
    return fmt::format("its target {} has no bounds, between which every value could be tested", target.label);
  if (task.stored() != nullptr)
    return "its sets are read from files, and none can be simulated at a value of the target that is to be tested";
  return "";
}

torch::Tensor prior_on_grid(const Task& task, const torch::Tensor& grid, std::uint64_t seed) {
  const torch::Tensor known = log_prior(task, grid.unsqueeze(1));
  if (known.defined()) return known;
  const TaskInfo& info = task.info();
  if (distance_from_uniform(task, seed) > kKolmogorov)
    fail(
        "Task {} does not state the density of its prior, and its draws of {} are not uniform between {:g} and {:g}, "
        "so that a posterior cannot be turned into a likelihood; state its prior in the task file, or draw {} "
        "uniformly between its bounds",
        info.name, info.targets.front().label, info.targets.front().low, info.targets.front().high,
        info.targets.front().label);
  return uniform_log_prior(info, grid.unsqueeze(1));
}

std::unique_ptr<MarginalLikelihood> estimated_likelihood(std::shared_ptr<Estimator> estimator, std::int64_t n,
                                                         torch::Tensor grid, torch::Tensor log_prior) {
  return std::make_unique<EstimatedLikelihood>(std::move(estimator), n, std::move(grid), std::move(log_prior));
}

std::unique_ptr<MarginalLikelihood> exact_likelihood(std::shared_ptr<const Task> task, std::int64_t n,
                                                     torch::Tensor grid, torch::Tensor log_prior) {
  return std::make_unique<ExactLikelihood>(std::move(task), n, std::move(grid), std::move(log_prior));
}

}  // namespace pairs
