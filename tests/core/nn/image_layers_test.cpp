#include "core/nn/image_layers.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/base/text/error.h"
#include "core/base/threads/interruption.h"

namespace pairs {
namespace {

TEST(Convolution, EveryPassForwardAndBackCanBeBrokenOff) {
  at::Generator generator = at::detail::createCPUGenerator(1);
  const Convolution first(2, 4, 3, 1, generator), second(4, 1, 3, 1, generator);
  const torch::Tensor x = torch::rand({3, 2, 8, 8}, torch::requires_grad());
  const auto gradients = [&] {
    x.mutable_grad() = torch::Tensor();
    second.forward(first.forward(x)).square().sum().backward();
    return x.grad();
  };
  const torch::Tensor wanted = gradients().clone();
  // Asked after each convolution on the way forward and before each on the way back, at four points.
  for (int point = 0; point < 4; ++point) {
    int asked = 0;
    const Interruptible within([&] { return asked++ == point; });
    EXPECT_THROW(gradients(), Stopped) << "point " << point;
    EXPECT_EQ(asked, point + 1);
  }
  int asked = 0;
  const Interruptible within([&] { return asked++ == 4; });
  EXPECT_TRUE(torch::equal(gradients(), wanted));
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace pairs
