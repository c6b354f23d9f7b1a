#include "app/kinds/body/body_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr double kRight = std::numbers::pi / 2;

// From the front: x towards the viewer, y to the right, z up.
constexpr BodyView kFront = {0, 0};

bool is_ground(const torch::Tensor& picture, std::int64_t row, std::int64_t column) {
  return (picture.select(1, row).select(1, column) - picture.select(1, 0).select(1, 0)).abs().max().item<double>() == 0;
}
double channel(const torch::Tensor& picture, std::int64_t c, std::int64_t row, std::int64_t column) {
  return picture[c][row][column].item<double>();
}

Body ball_at(float x, float y, float z, float radius, std::uint32_t color) {
  Body body;
  body.balls.push_back({{x, y, z}, radius, color});
  return body;
}

TEST(BodyPictures, ABallIsAsLargeAsItsRadius) {
  const std::int64_t side = 200;
  const torch::Tensor picture = body_pictures({ball_at(3, -2, 7, 2, 0xFF0000)}, side, kFront)[0];
  std::int64_t seen = 0;
  for (std::int64_t i = 0; i < side; ++i)
    for (std::int64_t j = 0; j < side; ++j) seen += !is_ground(picture, i, j);
  const double radius = side / 2.0 / 1.06;
  EXPECT_NEAR(static_cast<double>(seen), std::numbers::pi * radius * radius, 4 * radius);
  EXPECT_GT(channel(picture, 0, 100, 100), 3 * channel(picture, 1, 100, 100)) << "red";
  EXPECT_GT(channel(picture, 0, 60, 70), channel(picture, 0, 140, 130)) << "the light stands at the upper left";
}

TEST(BodyPictures, WhatIsNearerHidesWhatIsBehind) {
  Body body = ball_at(1, 0, 0, 1, 0x00FF00);
  body.balls.push_back({{-1, 0, 0}, 1, 0xFF0000});
  const std::int64_t middle = 50;
  const torch::Tensor front = body_pictures({body}, 100, kFront)[0],
                      back = body_pictures({body}, 100, {std::numbers::pi, 0})[0];
  EXPECT_GT(channel(front, 1, middle, middle), 3 * channel(front, 0, middle, middle)) << "green, nearer at x = 1";
  EXPECT_GT(channel(back, 0, middle, middle), 3 * channel(back, 1, middle, middle)) << "red from behind";
}

TEST(BodyPictures, TurnsAboutTheUprightAxisAndTips) {
  // A ball in the middle, another to the right of it as seen from the front, a third above.
  Body body = ball_at(0, 0, 0, 0.5f, 0x808080);
  body.balls.push_back({{0, 3, 0}, 0.5f, 0xFF0000});
  body.balls.push_back({{0, -3, 0}, 0.5f, 0x00FF00});
  const torch::Tensor front = body_pictures({body}, 140, kFront)[0];
  EXPECT_GT(channel(front, 0, 70, 128), 3 * channel(front, 1, 70, 128)) << "red at the right";
  EXPECT_GT(channel(front, 1, 70, 12), 3 * channel(front, 0, 70, 12)) << "green at the left";
  const torch::Tensor behind = body_pictures({body}, 140, {std::numbers::pi, 0})[0];
  EXPECT_GT(channel(behind, 1, 70, 128), 3 * channel(behind, 0, 70, 128));
  Body tall = ball_at(0, 0, -3, 0.5f, 0x00FF00);
  tall.balls.push_back({{0, 0, 3}, 0.5f, 0xFF0000});
  const torch::Tensor upright = body_pictures({tall}, 140, kFront)[0];
  EXPECT_GT(channel(upright, 0, 12, 70), 3 * channel(upright, 1, 12, 70)) << "z is up";
  const torch::Tensor above = body_pictures({tall}, 140, {0, kRight})[0];
  EXPECT_GT(channel(above, 0, 70, 70), 3 * channel(above, 1, 70, 70)) << "from above the upper one hides the lower";
}

TEST(BodyPictures, FacesAreSeenFromBothSides) {
  Body square;
  square.corners = {{0, -1, -1}, {0, 1, -1}, {0, 1, 1}, {0, -1, 1}};
  square.faces = {{0, 1, 2}, {0, 2, 3}};
  for (const double azimuth : {0.0, std::numbers::pi}) {
    const torch::Tensor picture = body_pictures({square}, 106, {azimuth, 0})[0];
    for (const std::int64_t at : {5, 53, 100}) EXPECT_FALSE(is_ground(picture, at, at)) << azimuth;
    EXPECT_TRUE(is_ground(picture, 1, 53));
    EXPECT_GT(channel(picture, 0, 53, 53), 0.3);
  }
}

TEST(BodyPictures, SticksJoinTheirEndsInTwoColors) {
  Body body;
  body.sticks.push_back({{0, -2, 0}, {0, 2, 0}, 0.3f, 0x00FF00, 0xFF0000});
  const torch::Tensor picture = body_pictures({body}, 120, kFront)[0];
  EXPECT_GT(channel(picture, 1, 60, 30), 3 * channel(picture, 0, 60, 30));
  EXPECT_GT(channel(picture, 0, 60, 90), 3 * channel(picture, 1, 60, 90));
  EXPECT_TRUE(is_ground(picture, 60 - 12, 60));
}

TEST(BodyPictures, ShareOneScaleAndSurviveOddBodies) {
  const torch::Tensor both =
      body_pictures({ball_at(0, 0, 0, 2, 0xFFFFFF), ball_at(9, 9, 9, 1, 0xFFFFFF), Body()}, 64, kFront);
  EXPECT_EQ(both.sizes(), (std::vector<std::int64_t>{3, 3, 64, 64}));
  EXPECT_FALSE(is_ground(both[0], 32, 8)) << "the larger fills its picture";
  EXPECT_TRUE(is_ground(both[1], 32, 8));
  EXPECT_FALSE(is_ground(both[1], 32, 32));
  EXPECT_EQ((both[2] - both[2][0][0][0]).abs().max().item<double>(), 0);
  EXPECT_EQ(body_pictures({}, 8).size(0), 0);
  Body wrong = ball_at(0, 0, 0, std::numeric_limits<float>::infinity(), 0);
  EXPECT_THROW(body_pictures({wrong}, 8), Error);
  Body missing;
  missing.corners = {{0, 0, 0}};
  missing.faces = {{0, 0, 1}};
  EXPECT_THROW(body_pictures({missing}, 8), Error);
}

TEST(PlanePictures, StrokesAndWordsAreWhereTheyBelong) {
  PlaneDrawing drawing;
  drawing.width = drawing.height = 4;
  drawing.letter = 0.5;
  drawing.lines.push_back({-1.5, 0, 1.5, 0, 0, 0, 0xFF0000, 0x0000FF});  // red, then blue
  drawing.lines.push_back({0, 0.5, 0, 1.5, 0, 1, 0x008000, 0x008000});   // wider at the top
  drawing.words.push_back({0, -1.4, "NH", PlaneDrawing::kInk});
  const std::int64_t side = 216;
  const torch::Tensor picture = plane_picture(drawing, side);
  ASSERT_EQ(picture.sizes(), (std::vector<std::int64_t>{3, side, side}));
  const double scale = static_cast<double>(side) / (1.08 * 4);
  const auto column = [&](double x) { return std::lround(side / 2.0 + scale * x); };
  const auto row = [&](double y) { return std::lround(side / 2.0 - scale * y); };
  EXPECT_GT(channel(picture, 0, row(0), column(-1)), channel(picture, 2, row(0), column(-1)) + 0.4);
  EXPECT_GT(channel(picture, 2, row(0), column(1)), channel(picture, 0, row(0), column(1)) + 0.4);
  const auto green = [&](double y) {
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < side; ++j)
      count += channel(picture, 1, row(y), j) > channel(picture, 0, row(y), j) + 0.2;
    return static_cast<double>(count) / scale;
  };
  EXPECT_NEAR(green(1.4), 0.9, 0.06);
  EXPECT_NEAR(green(0.7), 0.2, 0.06);
  // Dark letters, as high as they shall be.
  std::int64_t top = side, bottom = 0;
  for (std::int64_t i = row(-0.8); i < side; ++i)
    for (std::int64_t j = 0; j < side; ++j)
      if (channel(picture, 0, i, j) < 0.5) {
        top = std::min(top, i);
        bottom = std::max(bottom, i);
      }
  EXPECT_NEAR(static_cast<double>(bottom + 1 - top), 0.5 * scale, 3);
  EXPECT_NEAR(static_cast<double>(bottom + top) / 2, static_cast<double>(row(-1.4)), 2);
  EXPECT_TRUE(is_ground(picture, 2, 2));
  EXPECT_THROW(plane_picture(drawing, 0), Error);
}

}  // namespace
}  // namespace pairs
