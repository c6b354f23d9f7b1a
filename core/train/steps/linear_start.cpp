#include "core/train/steps/linear_start.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/sets/index_map.h"
#include "core/target_model.h"

namespace pairs {
namespace {

constexpr std::int64_t kDraws = 65536, kBatch = 4096;
constexpr int kOctaves = 40;

}  // namespace

void linear_start(Estimator& estimator, const RunConfig& config, const AggregateCache& cache) {
  const TaskInfo& task = estimator.task().info();
  const std::string why = target_model(task).not_linear(task);
  PAIRS_CHECK(why.empty(),
              "The target of task {} is {}, which a linear start cannot fit; set {} to \"pretrained\" or \"fresh\"",
              task.name, why, "finetune.start"_key);
  at::NoGradGuard no_grad;
  std::vector<std::int64_t> heads = estimator.sizes();
  if (heads.empty()) heads.push_back(0);
  for (std::int64_t head_n : heads) {
    const AggregateSampler sampler(cache.groups(), size_distribution(config.finetune.size_distribution), head_n,
                                   static_cast<std::uint64_t>(config.seed), estimator.pool_pointer());
    std::vector<torch::Tensor> theta, aggregates, sizes;
    for (std::int64_t k = 0; k < kDraws / kBatch; ++k) {
      AggregateBatch batch =
          sampler.draw(cache, false, index_map::kLinearStartPosition + static_cast<std::uint64_t>(k), kBatch);
      cache.recall(batch);
      theta.push_back(estimator.standardize(batch.theta));
      aggregates.push_back(batch.aggregates.to(torch::kFloat64));
      sizes.push_back(batch.n);
    }
    const torch::Tensor y = at::cat(theta), n = at::cat(sizes), raw = at::cat(aggregates);
    // Solve in standardized columns for conditioning, then transform back.
    const torch::Tensor mean = raw.mean(0), scale = raw.std(0).clamp_min(1e-30);
    const torch::Tensor x = at::cat({(raw - mean) / scale, torch::ones({raw.size(0), 1}, torch::kFloat64)}, 1);
    const torch::Tensor octave = n.to(torch::kFloat64).log2().floor().to(torch::kInt64).clamp(0, kOctaves - 1);
    torch::Tensor weight = n.to(torch::kFloat64) / n.to(torch::kFloat64).mean();
    torch::Tensor solution;
    for (int round = 0; round < 4; ++round) {
      const torch::Tensor xw = x * weight.unsqueeze(1);
      torch::Tensor normal = x.t().mm(xw);
      normal += at::diag(normal.diagonal() * 1e-10 + 1e-12);
      solution = at::linalg_solve(normal, xw.t().mm(y));
      const torch::Tensor residual = (y - x.mm(solution)).square().mean(1);
      const torch::Tensor total = torch::zeros({kOctaves}, torch::kFloat64).index_add_(0, octave, residual);
      const torch::Tensor count =
          torch::zeros({kOctaves}, torch::kFloat64).index_add_(0, octave, at::ones_like(residual));
      const torch::Tensor variance = total / count.clamp_min(1);
      weight = 1.0 / variance.index_select(0, octave).clamp_min(1e-14);
      weight /= weight.mean();
    }
    const torch::Tensor slope = solution.slice(0, 0, raw.size(1)).t() / scale;  // [d, l]
    const torch::Tensor bias = solution.select(0, raw.size(1)) - slope.mv(mean);
    estimator.set_location(head_n, slope.contiguous(), bias);
  }
}

}  // namespace pairs
