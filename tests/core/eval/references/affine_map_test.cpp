#include "core/eval/references/affine_map.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "tests/core/eval/normals.h"

namespace pairs {
namespace {

// Independent standard normals [rows, columns], float64.
torch::Tensor normals(std::int64_t rows, std::int64_t columns, std::uint64_t index) {
  return seeded_normals({rows, columns}, 1, index);
}

double first(const torch::Tensor& reported) {
  return reported[0].item<double>();
}

TEST(AffineMap, ExplainsWhatIsAnAffineMap) {
  const torch::Tensor y = normals(400, 5, 1) * 30 + 1000;
  const torch::Tensor t = y.mm(normals(5, 3, 2)) - 7;
  EXPECT_LT(unexplained(y, t).max().item<double>(), 1e-20);
  EXPECT_LT(unexplained_in_all(y, t), 1e-20);
  EXPECT_LT(cauchy_residual(y, t).max().item<double>(), 1e-20);
  // In float32 its rounding is left: 1000 is a multiple of 6e-5 there, which a spread of 30 sees as 2e-6.
  const double rounded = unexplained(y.to(torch::kFloat32), t).max().item<double>();
  EXPECT_LT(rounded, 1e-10);
  EXPECT_GT(rounded, 1e-16);
}

TEST(AffineMap, ExplainsNothingOfWhatIsUnrelated) {
  const torch::Tensor reported = unexplained(normals(20000, 6, 3), normals(20000, 2, 4));
  // Fitted to noise, each of 6 numbers costs 1 / 10,000 on the other half.
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(reported[k].item<double>(), 1 + 6e-4, 3e-3);
  EXPECT_NEAR(unexplained_in_all(normals(20000, 6, 3), normals(20000, 2, 4)), 1, 3e-3);
}

// What is judged was not fitted: 150 numbers explain three quarters of the noise of 200 rows, and nothing of others.
TEST(AffineMap, IsJudgedOnOtherRowsThanFitted) {
  EXPECT_GT(first(unexplained(normals(400, 150, 5), normals(400, 1, 6))), 1.5);
}

TEST(AffineMap, LeavesTheShareOfNoise) {
  const torch::Tensor t = normals(40000, 1, 7);
  for (const double sigma : {0.03, 0.3, 1.0}) {
    const double left = first(unexplained(t + sigma * normals(40000, 1, 8), t));
    EXPECT_NEAR(left / (sigma * sigma / (1 + sigma * sigma)), 1, 0.05) << sigma;
  }
}

// y = z, t = z²: no affine map knows anything of it. Of the sum s of two, E[z₁² + z₂² | s] = s² / 2 + 1, of the
// variance 2 out of 4.
TEST(AffineMap, CauchyResidualOfASquareIsOneHalf) {
  const torch::Tensor z = normals(80000, 1, 9);
  EXPECT_NEAR(first(unexplained(z, z.square())), 1, 0.02);
  EXPECT_NEAR(first(cauchy_residual(z, z.square())), 0.5, 0.03);
  EXPECT_LT(first(cauchy_residual(at::cat({z, z.square()}, 1), z.square())), 1e-20);
}

// y = z³, t = z: the correlation is 3 / √15. Of the sums an odd function is asked for, to which squares add nothing.
TEST(AffineMap, LeavesWhatACubeHides) {
  const torch::Tensor z = normals(80000, 1, 10);
  EXPECT_NEAR(first(unexplained(z.pow(3), z)), 0.4, 0.02);
  EXPECT_NEAR(first(cauchy_residual(z.pow(3), z)), 0.4, 0.02);
}

// y = z², t = z: signs are lost.
TEST(AffineMap, CauchyResidualIsOneWhereSumsTellNothing) {
  const torch::Tensor z = normals(80000, 1, 11);
  EXPECT_NEAR(first(cauchy_residual(z.square(), z)), 1, 0.01);
}

TEST(AffineMap, TwoEmbeddersAreComparedBothWays) {
  const torch::Tensor y = normals(20000, 2, 11) * torch::tensor({2.0, 1.0}, torch::kFloat64);
  const torch::Tensor turned = y.mm(torch::tensor({{1.0, 2.0}, {-1.0, 3.0}}, torch::kFloat64)) + 4;
  EXPECT_LT(unexplained_in_all(y, turned), 1e-20);
  EXPECT_LT(unexplained_in_all(turned, y), 1e-20);
  const torch::Tensor poorer = y.slice(1, 0, 1);
  EXPECT_LT(unexplained_in_all(y, poorer), 1e-20);
  EXPECT_NEAR(unexplained_in_all(poorer, y), 1.0 / 5, 0.01);
}

TEST(AffineMap, NumbersThatDoNotVaryCountForNothing) {
  const torch::Tensor y = normals(400, 2, 12), constant = torch::full({400, 1}, 3.0, torch::kFloat64);
  EXPECT_TRUE(std::isnan(first(unexplained(y, constant))));
  EXPECT_LT(unexplained_in_all(y, at::cat({y, constant}, 1)), 1e-20);
  EXPECT_LT(unexplained(at::cat({constant, y, y}, 1), y).max().item<double>(), 1e-20);
}

TEST(AffineMap, RefusesWhatCannotBeFitted) {
  const torch::Tensor y = normals(40, 30, 13);
  EXPECT_THROW(unexplained(y, normals(40, 1, 14)), Error);
  EXPECT_THROW(unexplained(normals(40, 2, 14), normals(41, 1, 14)), Error);
  EXPECT_THROW(unexplained(normals(40, 2, 14) / 0.0, normals(40, 1, 14)), Error);
  EXPECT_THROW(cauchy_residual(normals(41, 2, 14), normals(41, 1, 14)), Error);
}

}  // namespace
}  // namespace pairs
