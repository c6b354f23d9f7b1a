#include "core/eval/calibration/disagreement.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "core/base/numbers/random.h"
#include "core/ensemble.h"
#include "core/periodic.h"

namespace pairs {
namespace {

constexpr std::int64_t kDraws = 512;  // per member

}  // namespace

Disagreement disagreement(const Estimator& estimator, const torch::Tensor& aggregate, const torch::Tensor& n,
                          const torch::Tensor& given) {
  at::NoGradGuard no_grad;
  Disagreement out;
  const std::vector<std::shared_ptr<Estimator>> members = estimator.members();
  if (members.empty()) return out;
  const std::vector<torch::Tensor> parts = member_parts(members, aggregate);
  const auto count = static_cast<double>(members.size());
  out.members = static_cast<std::int64_t>(members.size());
  const std::vector<Target>& targets = estimator.task().info().targets;
  std::vector<torch::Tensor> means, squares;
  torch::Tensor center;
  double variance = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    // All use one key: equal members give equal samples, so that their means differ only because the members do.
    const torch::Tensor theta =
        members[k]->sample(parts[k], n, kDraws, stream_key(kFigureSeed, Purpose::posterior), given);
    // All members' values of a periodic target lie within half a period of one center.
    if (k == 0) center = unrolled(targets, theta, torch::zeros({1, theta.size(2)}, torch::kFloat64)).samples.mean(1);
    const torch::Tensor near = next_to(targets, theta[0], center);
    means.push_back(near.mean(0));
    squares.push_back(near.square().mean(0));
    std::vector<torch::Tensor> scores;
    for (std::size_t j = 0; j < members.size(); ++j)
      scores.push_back(members[j]->log_prob_grid(theta, parts[j], n, given)[0]);
    const torch::Tensor excess = scores[k] - at::stack(scores).logsumexp(0) + std::log(count);
    out.nat += excess.mean().item<double>() / count;
    variance += excess.var().item<double>() / (static_cast<double>(kDraws) * count * count);
  }
  out.nat_se = std::sqrt(variance);
  const torch::Tensor mean = at::stack(means), between = mean.var(0, false);
  const torch::Tensor total = at::stack(squares).mean(0) - mean.mean(0).square();
  const torch::Tensor spread = (between / total.clamp_min(1e-300)).clamp_max(1).sqrt().contiguous();
  out.spread.assign(spread.const_data_ptr<double>(), spread.const_data_ptr<double>() + spread.numel());
  return out;
}

}  // namespace pairs
