#include "core/eval/references/affine_map.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kQuadratic = 8;    // principal components with quadratic terms
constexpr double kSingular = 1e-12;       // relative to the largest singular value: smaller ones are only rounding
constexpr double kConstantSpread = 1e-9;  // sd of a column relative to its largest value, below which it is constant

torch::Tensor checked(const torch::Tensor& rows) {
  PAIRS_CHECK(rows.dim() == 2 && rows.is_floating_point(), "A fit of statistics takes rows of floating-point numbers");
  const torch::Tensor out = rows.detach().to(torch::kCPU, torch::kFloat64);
  PAIRS_CHECK(out.isfinite().all().item<bool>(), "A fit of statistics was given a number that is not finite");
  return out;
}

// Columns with mean 0 and unit variance; constant ones become 0.
torch::Tensor standardized(const torch::Tensor& rows) {
  const torch::Tensor centered = rows - rows.mean(0);
  const torch::Tensor sd = centered.square().mean(0).sqrt();
  const torch::Tensor varies = sd > kConstantSpread * rows.abs().amax(0);
  return at::where(varies, centered / sd.clamp_min(1e-300), at::zeros_like(centered));
}

// [M, l] and products of its leading principal components.
torch::Tensor with_quadratic_terms(const torch::Tensor& rows) {
  const torch::Tensor centered = standardized(rows);
  const torch::Tensor axes = std::get<1>(at::linalg_eigh(centered.t().mm(centered)));  // ascending
  const std::int64_t kept = std::min(kQuadratic, centered.size(1));
  const torch::Tensor leading = standardized(centered.mm(axes.slice(1, centered.size(1) - kept)));
  std::vector<torch::Tensor> columns = {centered};
  for (std::int64_t i = 0; i < kept; ++i) columns.push_back(leading.slice(1, i, i + 1) * leading.slice(1, i));
  return at::cat(columns, 1);
}

// Sums of squares of the held-out half of `to`: the residual, and around the mean.
struct HeldOut {
  torch::Tensor left, all;  // [d]
};
HeldOut held_out(const torch::Tensor& from, const torch::Tensor& to) {
  const torch::Tensor x = checked(from), y = checked(to);
  PAIRS_CHECK(x.size(0) == y.size(0), "{} rows cannot be fitted to {}", x.size(0), y.size(0));
  const std::int64_t rows = x.size(0), half = rows / 2;
  PAIRS_CHECK(half >= x.size(1) + 2, "{} observations are too few to fit {} numbers to; give at least {}", rows,
              x.size(1), 2 * (x.size(1) + 2));
  const torch::Tensor design = at::cat({standardized(x), at::ones({rows, 1}, torch::kFloat64)}, 1);
  const torch::Tensor target = standardized(y);
  const torch::Tensor solution =
      std::get<0>(at::linalg_lstsq(design.slice(0, 0, half), target.slice(0, 0, half), kSingular, "gelsd"));
  const torch::Tensor reported = target.slice(0, half);
  const torch::Tensor residual = reported - design.slice(0, half).mm(solution);
  return {residual.square().sum(0), (reported - reported.mean(0)).square().sum(0)};
}

}  // namespace

torch::Tensor unexplained(const torch::Tensor& from, const torch::Tensor& to) {
  const at::NoGradGuard no_grad;
  const HeldOut out = held_out(from, to);
  return out.left / out.all;  // 0 / 0 for constant columns
}

double unexplained_in_all(const torch::Tensor& from, const torch::Tensor& to) {
  const at::NoGradGuard no_grad;
  const HeldOut out = held_out(from, to);
  const torch::Tensor variance = checked(to).var(0, false);
  const torch::Tensor left = at::where(out.all > 0, variance * out.left, variance * 0);
  return (left.sum() / (variance * out.all).sum()).item<double>();
}

torch::Tensor cauchy_residual(const torch::Tensor& embeddings, const torch::Tensor& statistics) {
  const at::NoGradGuard no_grad;
  const torch::Tensor y = checked(embeddings), t = checked(statistics);
  PAIRS_CHECK(y.size(0) == t.size(0) && y.size(0) % 2 == 0,
              "Pairs of observations cannot be made of {} embeddings and {} statistics", y.size(0), t.size(0));
  const auto sums = [](const torch::Tensor& rows) { return rows.view({rows.size(0) / 2, 2, -1}).sum(1); };
  return unexplained(with_quadratic_terms(sums(y.contiguous())), sums(t.contiguous()));
}

}  // namespace pairs
