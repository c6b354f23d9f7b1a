#include "core/ops/group_norm_relu.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "core/base/text/error.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

// By LibTorch's own operations in float64.
Tensor plainly(const Tensor& x, const std::optional<Tensor>& residual, const Tensor& scale, const Tensor& shift,
               std::int64_t groups) {
  const Tensor y = at::group_norm(x, groups, scale, shift);
  return at::relu(residual ? y + *residual : y);
}

double largest(const Tensor& ours, const Tensor& reference) {
  return ((ours.to(torch::kDouble) - reference).abs().max() / (1e-3 + reference.abs().max())).item<double>();
}

// Values and all gradients against float64 on the same (rounded) numbers.
void expect_as_plainly(torch::ScalarType type, bool residual, std::vector<std::int64_t> shape, std::int64_t groups,
                       double bound) {
  torch::manual_seed(7);
  const auto wide = type == torch::kDouble ? torch::kDouble : torch::kFloat;
  const Tensor x = (torch::randn(shape) * 2 + 0.5).to(type).contiguous(at::MemoryFormat::ChannelsLast),
               r = torch::randn(shape).to(type).contiguous(at::MemoryFormat::ChannelsLast),
               scale = (torch::rand({shape[1]}) + 0.5).to(wide), shift = torch::randn({shape[1]}).to(wide),
               grad = torch::randn(shape).to(type);
  std::vector<Tensor> ours, reference;
  for (const Tensor& t : {x, r, scale, shift}) {
    ours.push_back(t.clone().requires_grad_());
    reference.push_back(t.to(torch::kDouble).requires_grad_());
  }
  const auto added = [&](const std::vector<Tensor>& of) { return residual ? std::optional(of[1]) : std::nullopt; };
  const Tensor y = group_norm_relu(ours[0], added(ours), ours[2], ours[3], groups);
  const Tensor expected = plainly(reference[0], added(reference), reference[2], reference[3], groups);
  EXPECT_EQ(y.scalar_type(), type);
  EXPECT_LT(largest(y, expected), bound);
  y.backward(grad);
  // A rounded sum that lies on the other side of zero has another gradient, as large as the one it lacks; where the
  // signs agree all do.
  expected.backward(grad.to(torch::kDouble) * (y > 0).eq(expected > 0));
  ASSERT_GT((y > 0).eq(expected > 0).to(torch::kDouble).mean().item<double>(), 0.999);
  for (const std::size_t i : {0, 1, 2, 3}) {
    if (i == 1 && !residual) continue;
    const Tensor difference = ours[i].grad().to(torch::kDouble) - reference[i].grad();
    EXPECT_LT((difference.norm() / reference[i].grad().norm()).item<double>(), bound) << "gradient " << i;
  }
}

TEST(GroupNormRelu, GivesValuesAndGradientsOfPlainFloat64) {
  for (const bool residual : {false, true}) {
    expect_as_plainly(torch::kFloat, residual, {3, 8, 5, 7}, 4, 2e-6);
    expect_as_plainly(torch::kFloat, residual, {2, 64, 24, 24}, 32, 2e-6);
    expect_as_plainly(torch::kFloat, residual, {2, 600, 3, 3}, 30, 2e-6);
    expect_as_plainly(torch::kDouble, residual, {3, 8, 5, 7}, 4, 1e-12);
    expect_as_plainly(torch::kBFloat16, residual, {2, 64, 24, 24}, 32, 1e-2);
  }
}

TEST(GroupNormRelu, WithoutGradientsAndForEveryImageAloneTheSameBits) {
  torch::manual_seed(3);
  for (const auto type : {torch::kFloat, torch::kBFloat16}) {
    const Tensor x = torch::randn({5, 16, 9, 9}).to(type), r = torch::randn_like(x), scale = torch::rand({16}),
                 shift = torch::randn({16});
    const Tensor all = group_norm_relu(x.clone().requires_grad_(), r, scale, shift, 8).detach();
    EXPECT_TRUE(group_norm_relu(x, r, scale, shift, 8).equal(all));
    EXPECT_TRUE(group_norm_relu(x.contiguous(at::MemoryFormat::ChannelsLast), r, scale, shift, 8).equal(all));
    for (int i = 0; i < 5; ++i)
      EXPECT_TRUE(group_norm_relu(x.narrow(0, i, 1), r.narrow(0, i, 1), scale, shift, 8)[0].equal(all[i]));
  }
}

TEST(GroupNormRelu, LetsNoNumberThatIsNoneVanish) {
  for (const auto type : {torch::kFloat, torch::kBFloat16}) {
    Tensor x = torch::randn({2, 8, 4, 4}).to(type);
    x[1][3][2][2] = std::numeric_limits<float>::quiet_NaN();
    const Tensor y = group_norm_relu(x, std::nullopt, torch::ones({8}), torch::zeros({8}), 4);
    EXPECT_TRUE(y[0].isfinite().all().item<bool>());
    EXPECT_TRUE(y[1].narrow(0, 2, 2).isnan().all().item<bool>());
  }
}

TEST(GroupNormRelu, RefusesWhatDoesNotFit) {
  const Tensor x = torch::randn({2, 8, 4, 4}), one = torch::ones({8});
  EXPECT_THROW(group_norm_relu(x, std::nullopt, one, one, 3), Error);
  EXPECT_THROW(group_norm_relu(x, x.narrow(0, 0, 1), one, one, 4), Error);
  EXPECT_THROW(group_norm_relu(x, x.to(torch::kBFloat16), one, one, 4), Error);
  EXPECT_THROW(group_norm_relu(x, std::nullopt, torch::ones({7}), one, 4), Error);
  EXPECT_THROW(group_norm_relu(x[0], std::nullopt, one, one, 4), Error);
}

}  // namespace
}  // namespace pairs::ops
