#include "core/nn/encoding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

TEST(Encoding, Values) {
  const torch::Tensor n = torch::tensor({std::int64_t{1}, std::int64_t{10}, std::int64_t{1000}});
  EXPECT_EQ(encoding_size("none"), 0);
  EXPECT_EQ(encode_n("none", n, 1000).sizes(), (std::vector<std::int64_t>{3, 0}));
  const torch::Tensor linear = encode_n("linear", n, 1000), log = encode_n("log", n, 1000);
  EXPECT_EQ(linear.sizes(), (std::vector<std::int64_t>{3, 1}));
  EXPECT_FLOAT_EQ(linear[1][0].item<float>(), 0.01f);
  EXPECT_EQ(log[0][0].item<float>(), 0.0f);
  EXPECT_FLOAT_EQ(log[1][0].item<float>(), 1.0f / 3.0f);
  EXPECT_EQ(log[2][0].item<float>(), 1.0f);
  EXPECT_EQ(encode_n("log", torch::ones({2}, torch::kLong), 1).abs().max().item<float>(), 0.0f);
}

TEST(Encoding, RefusesSizesOutsideOfTheRange) {
  EXPECT_THROW(encode_n("linear", torch::zeros({1}, torch::kLong), 10), Error);
  EXPECT_THROW(encode_n("log", torch::full({1}, 11, torch::kLong), 10), Error);
  EXPECT_THROW(encode_n("none", torch::full({1}, 11, torch::kLong), 10), Error);
  EXPECT_THROW(encode_n("square", torch::ones({1}, torch::kLong), 10), Error);
}

PAIRS_DEVICE_TEST(Encoding, AgreesWithTheCpu) {
  const torch::Tensor n = torch::arange(1, 1001);
  for (const std::string kind : {"linear", "log"})
    EXPECT_LT(apart(encode_n(kind, n.to(device), 1000), encode_n(kind, n, 1000)), 1e-6);
}

}  // namespace
}  // namespace pairs
