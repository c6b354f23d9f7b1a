#include "core/train/steps/regression_sigma.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "core/base/fields/face.h"

namespace pairs {

namespace {
// A head's table holds 64 sizes: these, and one per octave for the rest (40 reach N = 10^12).
constexpr std::size_t kOwnSizes = 24;
}  // namespace

double fit_regression_sigma(Estimator& estimator, std::int64_t head_n, const ScoredSets& held_out) {
  ResidualSpread* head = face<ResidualSpread>(estimator.head(head_n));
  if (head == nullptr) return std::nan("");
  at::NoGradGuard no_grad;
  const torch::Tensor aggregates = held_out.aggregates.to(estimator.device());
  const torch::Tensor target = estimator.target(head_n, held_out.theta, aggregates).to(torch::kCPU);
  const torch::Tensor context = estimator.context(aggregates, held_out.n, held_out.given);
  const torch::Tensor residual = target - head->predict(context).to(torch::kCPU, torch::kFloat64);
  const torch::Tensor sizes = held_out.n.to(torch::kCPU).contiguous();
  const std::int64_t* size = sizes.data_ptr<std::int64_t>();
  std::map<std::int64_t, std::int64_t> counts;
  for (std::int64_t i = 0; i < sizes.numel(); ++i) ++counts[size[i]];
  // The most common sizes have their own entry (negative key); octave k has the other sizes in [2^k, 2^(k+1)).
  std::vector<std::pair<std::int64_t, std::int64_t>> common;
  for (const auto& [n_value, count] : counts)
    if (count >= 100) common.emplace_back(count, n_value);
  std::sort(common.rbegin(), common.rend());
  if (common.size() > kOwnSizes) common.resize(kOwnSizes);
  std::set<std::int64_t> own;
  for (const auto& [count, n_value] : common) own.insert(n_value);
  std::map<std::int64_t, std::vector<std::int64_t>> bins;
  for (std::int64_t i = 0; i < sizes.numel(); ++i)
    bins[own.contains(size[i]) ? -size[i] : static_cast<std::int64_t>(std::log2(static_cast<double>(size[i])))]
        .push_back(i);
  std::map<std::int64_t, torch::Tensor> table;
  for (const auto& [key, rows] : bins) {
    if (key >= 0 && rows.size() < 30) continue;
    double log_size = 0;
    for (std::int64_t r : rows) log_size += std::log(static_cast<double>(size[r]));
    const auto center = static_cast<std::int64_t>(std::lround(std::exp(log_size / static_cast<double>(rows.size()))));
    if (key >= 0 && own.contains(center)) continue;
    table[center] = residual.index_select(0, torch::tensor(rows, torch::kInt64)).square().mean(0).sqrt();
  }
  if (table.empty()) table[size[0]] = residual.square().mean(0).sqrt();
  std::vector<std::int64_t> at;
  std::vector<torch::Tensor> sigma;
  for (const auto& [center, value] : table) {
    at.push_back(center);
    sigma.push_back(value);
  }
  head->set_sigma(torch::tensor(at, torch::kInt64), at::stack(sigma));
  return residual.square().mean().item<double>();
}

}  // namespace pairs
