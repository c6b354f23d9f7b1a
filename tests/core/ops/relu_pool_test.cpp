#include "core/ops/relu_pool.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/text/error.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

// bfloat16 has few values, so blocks hold ties and, of both signs, zeros.
Tensor coarse(at::IntArrayRef shape, torch::ScalarType type) {
  at::manual_seed(3);
  return (at::randn(shape) * 2).round().div(2).to(type);
}

TEST(ReluPool, IsReluOfTheMaximaToTheBitWithItsGradients) {
  const auto last = at::MemoryFormat::ChannelsLast, planes = at::MemoryFormat::Contiguous;
  for (const auto& [type, format] : {std::pair(torch::kBFloat16, last), std::pair(torch::kFloat, last),
                                     std::pair(torch::kFloat, planes), std::pair(torch::kDouble, planes)})
    for (const auto& shape : {std::vector<std::int64_t>{5, 64, 16, 16},
                              {3, 7, 9, 12},
                              {2, 1, 2, 3},
                              {1, 33, 5, 2},
                              {2, 121, 4, 6},
                              {4, 3, 66, 39}}) {
      const Tensor x = coarse(shape, type).contiguous(format).requires_grad_(true),
                   y = x.detach().clone().requires_grad_(true);
      const Tensor mine = relu_pool(x), theirs = at::relu(at::max_pool2d(y, {2, 2}));
      ASSERT_EQ(mine.scalar_type(), type);
      ASSERT_TRUE(mine.is_contiguous(format));
      ASSERT_TRUE(at::equal(mine, theirs)) << x.sizes();
      const Tensor slope = at::randn(mine.sizes()).to(type);
      mine.backward(slope);
      theirs.backward(slope);
      EXPECT_TRUE(at::equal(x.grad(), y.grad())) << x.sizes();
      at::NoGradGuard no_grad;
      EXPECT_TRUE(at::equal(relu_pool(x), mine));
      EXPECT_TRUE(at::equal(relu_pool(x.contiguous()), mine)) << "whatever the order in memory";
    }
}

TEST(ReluPool, KeepsNanInSight) {
  for (const auto type : {torch::kBFloat16, torch::kFloat}) {
    Tensor x = coarse({1, 20, 4, 4}, type);
    for (int k = 0; k < 4; ++k) x[0][3 + k][2 + k / 2][k % 2] = std::copysign(std::nan(""), k % 2 == 0 ? 1 : -1);
    x[0][11][0][3] = -std::numeric_limits<double>::infinity();
    const Tensor bad = relu_pool(x).isnan();
    for (int k = 0; k < 4; ++k) EXPECT_TRUE(bad[0][3 + k][1][0].item<bool>()) << k;
    EXPECT_TRUE(bad[0][11][0][1].item<bool>());
    EXPECT_EQ(bad.sum().item<std::int64_t>(), 5);
  }
}

TEST(ReluPool, RefusesWhatCannotBeHalved) {
  EXPECT_THROW(relu_pool(at::zeros({1, 1, 1, 4})), Error);
  EXPECT_THROW(relu_pool(at::zeros({4, 4})), Error);
}

}  // namespace
}  // namespace pairs::ops
