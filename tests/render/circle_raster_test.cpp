#include "render/circle_raster.h"

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rot90.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "tests/on_device.h"
#include "tests/render/circle_raster_reference.h"

namespace pairs::render {
namespace {

torch::Tensor one_circle(float x, float y, float radius) {
  return at::tensor({x, y, radius}, torch::kFloat32).view({1, 1, 3});
}

// Circles as the task draws them, some with centers beyond the image and some smaller than a pixel.
torch::Tensor random_circles(std::int64_t images, std::int64_t count, double side) {
  Stream stream(stream_key(1, Purpose::check), 0);
  torch::Tensor circles = at::empty({images, count, 3}, torch::kFloat32);
  auto* c = circles.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < images * count; ++i, c += 3) {
    for (int d = 0; d < 2; ++d) c[d] = static_cast<float>(side * (1.5 * stream.uniform64() - 0.25));
    c[2] = static_cast<float>(i % 7 == 0 ? stream.uniform64() : side * 0.8 * stream.uniform64());
  }
  return circles;
}

double largest(const torch::Tensor& t) {
  return t.numel() == 0 ? 0 : t.abs().max().item<double>();
}

TEST(CircleRaster, MatchesTheFloat64Reference) {
  for (const double line : {0.4, 1.0, 2.0, 5.5})
    for (const auto& [height, width] : {std::pair(64, 64), std::pair(17, 40), std::pair(1, 1), std::pair(70, 3)}) {
      const torch::Tensor circles = random_circles(60, 4, std::max(height, width));
      const RasterOptions options{height, width, line};
      const torch::Tensor fast = draw_circles(circles, options).to(torch::kFloat64);
      const torch::Tensor slow = draw_circles_reference(circles, options);
      // Off edges a pixel is black or has the line's full value; float32 gives both exactly.
      const torch::Tensor full = slow == std::min(1.0, line), off = (slow == 0) | full;
      const torch::Tensor error = (fast - slow).abs();
      EXPECT_LT(largest(error.masked_select(off)), line < 1 ? 1e-7 : 1e-30) << line << ", " << height << " x " << width;
      EXPECT_LT(largest(error), 1e-5) << line << ", " << height << " x " << width;
      if (height == 64) {
        EXPECT_GT(error.masked_select(~off).numel(), 1000) << "edges were looked at";
      }
    }
}

TEST(CircleRaster, GivesTheShareOfAPixelThatTheLineCovers) {
  // Compares with the true area under the line, by 32 x 32 points a pixel. Both agree where the line runs along the
  // pixels; across them the pixel is wider along the normal of the line than its side.
  const float x = 31.3f, y = 33.9f, radius = 24.6f;
  const double line = 2;
  const torch::Tensor drawn = draw_circles(one_circle(x, y, radius), {64, 64, line})[0][0];
  double worst = 0, sum = 0;
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < 64; ++column) {
      int inside = 0;
      for (int a = 0; a < 32; ++a)
        for (int b = 0; b < 32; ++b) {
          const double d = std::hypot(column + (b + 0.5) / 32 - x, row + (a + 0.5) / 32 - y);
          inside += std::abs(d - radius) < line / 2;
        }
      const double error = drawn[row][column].item<double>() - inside / 1024.0;
      worst = std::max(worst, std::abs(error));
      sum += error;
    }
  EXPECT_LT(worst, 0.12);
  EXPECT_LT(std::abs(sum) / (2 * std::numbers::pi * radius * line), 0.002);
}

TEST(CircleRaster, InkIsTheLengthOfTheLineTimesItsWidth) {
  for (const double line : {0.5, 1.0, 2.0, 4.0}) {
    const double ink = draw_circles(one_circle(32.2f, 31.7f, 25.1f), {64, 64, line}).sum().item<double>();
    EXPECT_NEAR(ink / (2 * std::numbers::pi * 25.1 * line), 1, 0.005) << line;
  }
}

TEST(CircleRaster, QuarterTurnsAndMirrorsMoveTheCircleAlone) {
  const RasterOptions options;
  const torch::Tensor image = draw_circles(one_circle(20.0f, 41.5f, 30.25f), options)[0][0];
  // A quarter turn counter-clockwise as seen (y grows downwards) takes (x, y) to (y, 64 - x). Coordinates of few bits
  // turn without rounding, so the images are equal to the bit.
  EXPECT_TRUE(at::equal(at::rot90(image, 1), draw_circles(one_circle(41.5f, 44.0f, 30.25f), options)[0][0]));
  EXPECT_TRUE(at::equal(at::rot90(image, 2), draw_circles(one_circle(44.0f, 22.5f, 30.25f), options)[0][0]));
  EXPECT_TRUE(at::equal(image.flip(1), draw_circles(one_circle(44.0f, 41.5f, 30.25f), options)[0][0]));
  EXPECT_TRUE(at::equal(image.t(), draw_circles(one_circle(41.5f, 20.0f, 30.25f), options)[0][0]));
  const torch::Tensor middle = draw_circles(one_circle(32.0f, 32.0f, 20.0f), options)[0][0];
  EXPECT_TRUE(at::equal(middle, at::rot90(middle, 1)));
}

TEST(CircleRaster, WhereLinesCrossTheBrighterWins) {
  const torch::Tensor circles = random_circles(30, 4, 64);
  const torch::Tensor all = draw_circles(circles, {});
  torch::Tensor most = at::full({30, 1, 64, 64}, 0.0f);
  for (std::int64_t k = 0; k < 4; ++k) most = at::maximum(most, draw_circles(circles.slice(1, k, k + 1), {}));
  EXPECT_TRUE(at::equal(all, most));
  EXPECT_TRUE(at::equal(all, draw_circles(circles.flip(1), {}))) << "whatever their order";
}

TEST(CircleRaster, AnImageIsItsOwnWhateverStandsBesideItAndHoweverManyThreadsThereAre) {
  const torch::Tensor circles = random_circles(300, 4, 64);
  const torch::Tensor all = draw_circles(circles, {});
  EXPECT_TRUE(at::equal(draw_circles(circles.slice(0, 0, 100), {}), all.slice(0, 0, 100)));
  EXPECT_TRUE(at::equal(draw_circles(circles.slice(0, 177, 178), {})[0], all[177]));
  const int threads = at::get_num_threads();
  at::set_num_threads(threads == 1 ? 2 : 1);
  EXPECT_TRUE(at::equal(draw_circles(circles, {}), all));
  at::set_num_threads(threads);
}

TEST(CircleRaster, DrawsNothingOfWhatIsElsewhereOrNotANumber) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const torch::Tensor seen = one_circle(30, 30, 10), image = draw_circles(seen, {});
  for (const torch::Tensor& other :
       {one_circle(nan, 3, 10), one_circle(3, infinity, 10), one_circle(30, 30, -infinity), one_circle(1e30f, 0, 1),
        one_circle(32, 32, 47), one_circle(-1e9f, 1e9f, 3), one_circle(32, 32, 1e30f), one_circle(32, 32, -3)}) {
    EXPECT_TRUE(at::equal(draw_circles(at::cat({seen, other}, 1), {}), image));
    EXPECT_EQ(draw_circles(other, {}).sum().item<double>(), 0);
  }
  EXPECT_EQ(draw_circles(at::empty({2, 0, 3}), {}).sum().item<double>(), 0);
  EXPECT_EQ(draw_circles(at::empty({0, 4, 3}), {}).sizes(), (std::vector<std::int64_t>{0, 1, 64, 64}));
  const torch::Tensor many = draw_circles(random_circles(200, 4, 64), {});
  EXPECT_GE(many.min().item<double>(), 0);
  EXPECT_LE(many.max().item<double>(), 1);
}

TEST(CircleRaster, RefusesWhatDoesNotFit) {
  const torch::Tensor circles = random_circles(2, 4, 64);
  EXPECT_THROW(draw_circles(circles.to(torch::kFloat64), {}), Error);
  EXPECT_THROW(draw_circles(circles[0], {}), Error);
  EXPECT_THROW(draw_circles(circles.slice(2, 0, 2), {}), Error);
  EXPECT_THROW(draw_circles(at::empty({1, max_circles + 1, 3}), {}), Error);
  EXPECT_THROW(draw_circles(circles, {0, 64, 2}), Error);
  EXPECT_THROW(draw_circles(circles, {64, max_raster_side + 1, 2}), Error);
  EXPECT_THROW(draw_circles(circles, {64, 64, 0}), Error);
  EXPECT_THROW(draw_circles(circles, {64, 64, std::nan("")}), Error);
}

PAIRS_DEVICE_TEST(CircleRaster, MatchesTheFloat64ReferenceOnTheDevice) {
  const torch::Tensor circles = random_circles(200, 4, 64);
  const torch::Tensor fast = draw_circles(circles.to(device), {}).to(torch::kCPU);
  EXPECT_LT(largest(fast.to(torch::kFloat64) - draw_circles_reference(circles, {})), 1e-5);
}

}  // namespace
}  // namespace pairs::render
