#include "core/nn/mlp.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "core/base/text/error.h"

namespace pairs {
namespace {

TEST(Mlp, CountsItsLayers) {
  const Mlp net(3, {128, 64}, 7, "silu", at::detail::createCPUGenerator(1));
  EXPECT_EQ(net.inputs(), 3);
  EXPECT_EQ(net.outputs(), 7);
  EXPECT_EQ(net.flops(), 2.0 * (3 * 128 + 128 * 64 + 64 * 7));
  EXPECT_EQ(net.describe(), "3 -> 128 -> 64 -> 7, silu");
  EXPECT_EQ(net.forward(torch::ones({5, 3})).sizes(), (std::vector<std::int64_t>{5, 7}));
  const auto residual = make_residual(128, 128, 2, 33, at::detail::createCPUGenerator(1));
  EXPECT_EQ(residual->parameters().size(), 12u);
  EXPECT_EQ(residual->flops(), 2.0 * (5 * 128 * 128 + 128 * 33));
}

TEST(Mlp, InitialWeightsAreUniformAndRepeatable) {
  const Mlp net(100, {200}, 300, "relu", at::detail::createCPUGenerator(5)),
      same(100, {200}, 300, "relu", at::detail::createCPUGenerator(5)),
      other(100, {200}, 300, "relu", at::detail::createCPUGenerator(6));
  const torch::Tensor w = net.first_weight();
  EXPECT_TRUE(torch::equal(w, same.first_weight()));
  EXPECT_FALSE(torch::equal(w, other.first_weight()));
  EXPECT_LE(w.abs().max().item<double>(), 0.1);
  EXPECT_GT(w.abs().max().item<double>(), 0.099);
  EXPECT_NEAR(w.std().item<double>(), 0.1 / std::sqrt(3.0), 0.001);  // of a uniform distribution
  EXPECT_NEAR(w.mean().item<double>(), 0.0, 4 * 0.058 / std::sqrt(20000.0));
}

TEST(Mlp, ResidualBlocksStartNearTheIdentity) {
  const auto with = make_residual(8, 64, 3, 4, at::detail::createCPUGenerator(5));
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({20, 8});
  const auto p = with->named_parameters();
  const torch::Tensor plain = torch::linear(torch::linear(x, p["weight0"], p["bias0"]), p["weight7"], p["bias7"]);
  const double change = (with->forward(x) - plain).abs().max().item<double>();
  EXPECT_GT(change, 0.0);
  EXPECT_LT(change, 0.05);
}

TEST(Mlp, SmallLastLayer) {
  const Mlp net(4, {16}, 3, "relu", at::detail::createCPUGenerator(2), true);
  EXPECT_LT(net.forward(torch::ones({2, 4})).abs().max().item<double>(), 0.02);
}

TEST(Mlp, GradientsReachEveryParameter) {
  const auto net = make_residual(8, 32, 2, 4, at::detail::createCPUGenerator(5), "silu");
  torch::manual_seed(1);
  net->forward(torch::randn({20, 8})).pow(2).sum().backward();
  for (const auto& p : net->parameters()) {
    ASSERT_TRUE(p.grad().defined());
    EXPECT_GT(p.grad().abs().max().item<double>(), 0.0);
  }
}

TEST(Mlp, RefusesWhatItCannotBe) {
  const auto generator = at::detail::createCPUGenerator(1);
  EXPECT_THROW(Mlp(3, {8}, 1, "none", generator), Error);
  EXPECT_THROW(Mlp(0, {8}, 1, "relu", generator), Error);
  EXPECT_THROW(make_residual(3, 8, -1, 1, generator), Error);
}

}  // namespace
}  // namespace pairs
