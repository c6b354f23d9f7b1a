#include "render/digit_warp.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rot90.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <numbers>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "tests/on_device.h"
#include "tests/render/digit_warp_reference.h"

namespace pairs::render {
namespace {

constexpr std::uint64_t key = 0xfedcba9876543210ull;

struct Batch {
  torch::Tensor images, pick, angle, sigma, set, item;
};

// Random bytes as images: the hardest case for an interpolation.
Batch random_batch(std::int64_t kinds, std::int64_t height, std::int64_t width, std::int64_t count) {
  Stream stream(stream_key(1, Purpose::check), 0);
  Batch b{at::zeros({kinds, height, width}, torch::kUInt8),
          at::zeros({count}, torch::kInt64),
          at::zeros({count}, torch::kFloat32),
          at::zeros({count}, torch::kFloat32),
          at::zeros({count}, torch::kInt64),
          at::zeros({count}, torch::kInt64)};
  auto* pixel = b.images.mutable_data_ptr<std::uint8_t>();
  for (std::int64_t i = 0; i < b.images.numel(); ++i) pixel[i] = static_cast<std::uint8_t>(stream.below(256));
  for (std::int64_t m = 0; m < count; ++m) {
    b.pick.mutable_data_ptr<std::int64_t>()[m] =
        static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(kinds)));
    b.angle.mutable_data_ptr<float>()[m] = 20.0f * (stream.uniform() - 0.5f);
    b.sigma.mutable_data_ptr<float>()[m] = 0.3f * stream.uniform();
    b.set.mutable_data_ptr<std::int64_t>()[m] = static_cast<std::int64_t>(stream.below(1ull << 48));
    b.item.mutable_data_ptr<std::int64_t>()[m] = static_cast<std::int64_t>(stream.below(1ull << 46));
  }
  return b;
}

torch::Tensor warp(const Batch& b) {
  return warp_digits(b.images, b.pick, b.angle, b.sigma, b.set, b.item, key);
}

TEST(DigitWarp, MatchesTheFloat64Reference) {
  for (const auto& [height, width] : {std::pair(28, 28), std::pair(5, 9), std::pair(1, 1), std::pair(31, 30)}) {
    const Batch b = random_batch(7, height, width, 40);
    const torch::Tensor fast = warp(b).to(torch::kFloat64);
    const torch::Tensor slow = warp_digits_reference(b.images, b.pick, b.angle, b.sigma, b.set, b.item, key);
    EXPECT_LT((fast - slow).abs().max().item<double>(), 1e-6) << height << " x " << width;
  }
}

TEST(DigitWarp, QuarterTurnsAreCounterClockwise) {
  Batch b = random_batch(4, 28, 28, 4);
  b.pick = at::arange(4, torch::kInt64);
  b.sigma.zero_();
  for (int quarter = 0; quarter < 4; ++quarter) {
    b.angle.fill_(quarter * std::numbers::pi / 2);
    // rot90 with positive k turns from the first axis named to the second: from columns to rows is counter-clockwise.
    const torch::Tensor expected = at::rot90(b.images, quarter, {1, 2}).to(torch::kFloat32) / 255.0f;
    EXPECT_LT((warp(b).squeeze(1) - expected).abs().max().item<double>(), 2e-5) << quarter;
  }
}

TEST(DigitWarp, NoiseIsKeyedBySetAndItemAlone) {
  Batch b = random_batch(3, 28, 28, 6);
  const torch::Tensor all = warp(b);
  Batch one{b.images,
            b.pick.slice(0, 4, 5),
            b.angle.slice(0, 4, 5),
            b.sigma.slice(0, 4, 5),
            b.set.slice(0, 4, 5),
            b.item.slice(0, 4, 5)};
  EXPECT_TRUE(at::equal(warp(one)[0], all[4]));
  b.sigma.fill_(1.0f);
  const torch::Tensor loud = warp(b);
  b.sigma.zero_();
  const torch::Tensor noise = (loud - warp(b)).flatten(1);
  EXPECT_NEAR(noise.mean().item<double>(), 0.0, 0.06);
  EXPECT_NEAR(noise.std().item<double>(), 1.0, 0.05);
  EXPECT_LT((noise[0] * noise[1]).mean().abs().item<double>(), 0.15);
  b.item += 1;
  b.sigma.fill_(1.0f);
  EXPECT_GT((warp(b) - loud).abs().mean().item<double>(), 0.5);
}

TEST(DigitWarp, PixelsOutsideAreZero) {
  Batch b = random_batch(1, 28, 28, 1);
  b.images.fill_(255);
  b.sigma.zero_();
  b.angle.fill_(std::numbers::pi / 4);
  const torch::Tensor out = warp(b)[0][0];
  for (const int r : {0, 27})
    for (const int c : {0, 27}) EXPECT_EQ(out[r][c].item<float>(), 0.0f);
  EXPECT_EQ(out[14][14].item<float>(), 1.0f);
}

TEST(DigitWarp, RefusesWhatDoesNotFit) {
  Batch b = random_batch(2, 28, 28, 3);
  b.pick[1] = 2;
  EXPECT_THROW(warp(b), Error);
  b.pick[1] = -1;
  EXPECT_THROW(warp(b), Error);
  b.pick[1] = 0;
  b.angle = b.angle.to(torch::kFloat64);
  EXPECT_THROW(warp(b), Error);
  b = random_batch(2, 28, 28, 3);
  b.item = b.item.slice(0, 0, 2);
  EXPECT_THROW(warp(b), Error);
}

TEST(DigitWarp, EmptyBatchGivesNothing) {
  EXPECT_EQ(warp(random_batch(2, 28, 28, 0)).sizes(), (std::vector<std::int64_t>{0, 1, 28, 28}));
}

PAIRS_DEVICE_TEST(DigitWarp, MatchesTheFloat64ReferenceOnTheDevice) {
  const Batch b = random_batch(7, 28, 28, 200);
  const Batch g{b.images.to(device), b.pick.to(device), b.angle.to(device),
                b.sigma.to(device),  b.set.to(device),  b.item.to(device)};
  const torch::Tensor slow = warp_digits_reference(b.images, b.pick, b.angle, b.sigma, b.set, b.item, key);
  EXPECT_LT((warp(g).to(torch::kCPU).to(torch::kFloat64) - slow).abs().max().item<double>(), 1e-6);
}

}  // namespace
}  // namespace pairs::render
