#include "app/batch/contour.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pairs::batch {
namespace {

// exp(-((x - cx)² + (y - cy)²) / 2) on [-4, 4]².
Grid bumps(std::initializer_list<std::pair<double, double>> centres, std::size_t cells) {
  Grid grid;
  for (std::size_t k = 0; k < cells; ++k)
    grid.x.push_back(-4 + 8 * static_cast<double>(k) / static_cast<double>(cells - 1));
  grid.y = grid.x;
  for (const double x : grid.x)
    for (const double y : grid.y) {
      double sum = 0;
      for (const auto& [cx, cy] : centres) sum += std::exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / 2);
      grid.values.push_back(sum);
    }
  return grid;
}

TEST(ContourLines, FollowACircle) {
  const auto lines = contour_lines(bumps({{0, 0}}, 81), std::exp(-2.0));  // radius 2
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].x.front(), lines[0].x.back());
  EXPECT_EQ(lines[0].y.front(), lines[0].y.back());
  EXPECT_GT(lines[0].x.size(), 80u);
  for (std::size_t k = 0; k < lines[0].x.size(); ++k) EXPECT_NEAR(std::hypot(lines[0].x[k], lines[0].y[k]), 2, 0.005);
}

TEST(ContourLines, SeparateTwoBumpsAndStayOpenAtTheEdge) {
  EXPECT_EQ(contour_lines(bumps({{-2, 0}, {2, 0}}, 61), 0.7).size(), 2u);
  const auto open = contour_lines(bumps({{-4, 0}}, 61), std::exp(-0.5));
  ASSERT_EQ(open.size(), 1u);
  EXPECT_NE(open[0].y.front(), open[0].y.back());
}

TEST(ContourLines, AreEmptyOutsideTheValues) {
  EXPECT_TRUE(contour_lines(bumps({{0, 0}}, 21), 2).empty());
}

TEST(HighestDensityLevel, HoldsTheMassOfANormal) {
  // Within radius r lies 1 - exp(-r²/2) of a standard normal in two dimensions, where the density is exp(-r²/2).
  const Grid grid = bumps({{0, 0}}, 161);
  for (const double mass : {0.5, 0.9}) EXPECT_NEAR(highest_density_level(grid, mass), 1 - mass, 0.01);
}

}  // namespace
}  // namespace pairs::batch
