#include "tasks/objects/crops.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {
namespace {

TEST(Crops, ShowUniformSharesAtUniformPlaces) {
  const int draws = 20000;
  const std::int64_t side = 224;
  double share[2] = {}, square[2] = {}, product = 0, place[2] = {};
  for (int k = 0; k < draws; ++k) {
    const CropWindow w = draw_crop(1, Purpose::check, 3, static_cast<std::uint64_t>(k), side);
    const std::int64_t lengths[2] = {w.height, w.width}, starts[2] = {w.top, w.left};
    double unit[2];
    for (int d = 0; d < 2; ++d) {
      ASSERT_GE(lengths[d], 78);  // 0.35 * 224 = 78.4
      ASSERT_LE(lengths[d], 112);
      ASSERT_GE(starts[d], 0);
      ASSERT_LE(starts[d] + lengths[d], side);
      unit[d] = (static_cast<double>(lengths[d]) / 224 - 0.35) / 0.15;
      share[d] += unit[d];
      square[d] += unit[d] * unit[d];
      place[d] += static_cast<double>(starts[d]) / static_cast<double>(side - lengths[d]);
    }
    product += unit[0] * unit[1];
  }
  const double error = 5 * std::sqrt(1.0 / 12 / draws);
  for (int d = 0; d < 2; ++d) {
    EXPECT_NEAR(share[d] / draws, 0.5, error);
    EXPECT_NEAR(square[d] / draws, 1.0 / 3, 0.02);
    EXPECT_NEAR(place[d] / draws, 0.5, error);
  }
  EXPECT_NEAR(product / draws, 0.25, 0.01) << "the sides are independent";
  EXPECT_EQ(draw_crop(1, Purpose::check, 3, 7, side), draw_crop(1, Purpose::check, 3, 7, side));
  EXPECT_FALSE(draw_crop(1, Purpose::check, 3, 7, side) == draw_crop(1, Purpose::check, 4, 7, side));
  EXPECT_THROW(draw_crop(1, Purpose::check, 0, 0, 8, {0.5, 0.4}), Error);
  EXPECT_THROW(draw_crop(1, Purpose::check, 0, 0, 8, {0.5, 1.1}), Error);
}

TEST(Crops, KeepTheWindowAndFillTheRestWithGray) {
  const torch::Tensor images = at::randint(256, {9, 3, 37, 37}, torch::kUInt8);
  std::vector<CropWindow> windows;
  torch::Tensor expected = at::full(images.sizes(), 0.5, torch::kFloat32);
  for (std::int64_t m = 0; m < 9; ++m) {
    const CropWindow w = draw_crop(2, Purpose::check, 0, static_cast<std::uint64_t>(m), 37);
    windows.push_back(w);
    const auto part = [&](const torch::Tensor& all) {
      return all[m].slice(1, w.top, w.top + w.height).slice(2, w.left, w.left + w.width);
    };
    part(expected).copy_(part(images).to(torch::kFloat32) / 255);
  }
  const torch::Tensor crops = crop_images(images, windows);
  EXPECT_LE((crops - expected).abs().max().item<float>(), 1e-7f);
  const int threads = at::get_num_threads();
  at::set_num_threads(threads == 1 ? 3 : 1);
  EXPECT_TRUE(at::equal(crop_images(images, windows), crops));
  at::set_num_threads(threads);
  windows[4].left = 37;
  EXPECT_THROW(crop_images(images, windows), Error);
  windows.pop_back();
  EXPECT_THROW(crop_images(images, windows), Error);
}

}  // namespace
}  // namespace pairs
