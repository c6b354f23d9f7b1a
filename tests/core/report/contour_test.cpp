#include "core/report/contour.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"

namespace pairs {
namespace {

std::vector<double> grid(int nx, int ny, double half, double (*f)(double, double)) {
  std::vector<double> v;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) v.push_back(f(-half + 2 * half * i / (nx - 1), -half + 2 * half * j / (ny - 1)));
  return v;
}

double radius_squared(double x, double y) {
  return x * x + y * y;
}
double standard_normal(double x, double y) {
  return std::exp(-0.5 * (x * x + y * y)) / (2 * M_PI);
}

double length(const Polyline& line) {
  double total = 0;
  for (std::size_t i = 0; i + 1 < line.x.size(); ++i)
    total += std::hypot(line.x[i + 1] - line.x[i], line.y[i + 1] - line.y[i]);
  return total;
}

TEST(ContourLines, TraceACircleAsOneClosedLine) {
  const auto lines = contour_lines(grid(161, 121, 2, radius_squared), 161, 121, -2, 2, -2, 2, 1.5 * 1.5);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].x.front(), lines[0].x.back());
  EXPECT_EQ(lines[0].y.front(), lines[0].y.back());
  for (std::size_t i = 0; i < lines[0].x.size(); ++i) EXPECT_NEAR(std::hypot(lines[0].x[i], lines[0].y[i]), 1.5, 1e-3);
  EXPECT_NEAR(length(lines[0]), 2 * M_PI * 1.5, 0.01);
}

TEST(ContourLines, LeaveAtTheBorderAsOpenLines) {
  const auto lines = contour_lines(grid(81, 81, 1, radius_squared), 81, 81, -1, 1, -1, 1, 1.44);
  ASSERT_EQ(lines.size(), 4u);  // one arc in each corner
  for (const Polyline& line : lines) {
    EXPECT_NEAR(std::max(std::fabs(line.x.front()), std::fabs(line.y.front())), 1, 1e-12);
    EXPECT_NEAR(length(line), 1.2 * (M_PI / 2 - 2 * std::acos(1 / 1.2)), 0.01);
  }
}

TEST(ContourLines, ResolveASaddleWithoutLosingEdges) {
  // Corners high on one diagonal; the mean 0.5 is above 0.4 and below 0.6.
  const std::vector<double> saddle = {1, 0, 0, 1};
  for (const double level : {0.4, 0.6}) {
    const auto lines = contour_lines(saddle, 2, 2, 0, 1, 0, 1, level);
    ASSERT_EQ(lines.size(), 2u);
    // Joined high corners: the lines cut off the low corners, else the high ones.
    const bool near_low_corner =
        std::fabs((lines[0].x[0] + lines[0].x[1]) / 2 - (lines[0].y[0] + lines[0].y[1]) / 2) > 0.4;
    EXPECT_EQ(near_low_corner, level < 0.5);
  }
}

TEST(ContourLines, MapGridsOntoTheirRectangle) {
  const auto lines = contour_lines({0, 0, 1, 1}, 2, 2, 10, 20, 100, 200, 0.25);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_DOUBLE_EQ(lines[0].y[0], 125);
  EXPECT_DOUBLE_EQ(std::fabs(lines[0].x[1] - lines[0].x[0]), 10);
}

TEST(ContourLines, LeaveOutNaNAndFlatGrids) {
  std::vector<double> v = grid(41, 41, 2, radius_squared);
  v[20 * 41 + 30] = NAN;  // on the circle of radius 1
  const auto lines = contour_lines(v, 41, 41, -2, 2, -2, 2, 1.0001);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_GT(std::hypot(lines[0].x.front() - lines[0].x.back(), lines[0].y.front() - lines[0].y.back()), 0.1);
  EXPECT_TRUE(contour_lines(std::vector<double>(9, 3.0), 3, 3, 0, 1, 0, 1, 3).empty());
  EXPECT_THROW(contour_lines(v, 41, 40, -2, 2, -2, 2, 1), Error);
  EXPECT_THROW(contour_lines({1, 2}, 2, 1, 0, 1, 0, 1, 1), Error);
}

TEST(DensityLevels, MatchTheHighestDensityRegionsOfAGaussian) {
  // Outside the region of mass m the density of a bivariate normal is below (1 - m) / 2π.
  const auto levels = density_levels(grid(601, 601, 6, standard_normal), {0.5, 0.9, 0.99});
  for (std::size_t i = 0; i < 3; ++i) {
    const double mass = std::vector<double>{0.5, 0.9, 0.99}[i];
    EXPECT_NEAR(levels[i] / ((1 - mass) / (2 * M_PI)), 1, 0.01) << mass;
  }
}

TEST(DensityLevels, RefuseWhatIsNoDensity) {
  EXPECT_THROW(density_levels({1, -1, 2}, {0.5}), Error);
  EXPECT_THROW(density_levels({0, 0}, {0.5}), Error);
  EXPECT_THROW(density_levels({1, NAN}, {0.5}), Error);
  EXPECT_THROW(density_levels({1, 2}, {1.0}), Error);
}

}  // namespace
}  // namespace pairs
