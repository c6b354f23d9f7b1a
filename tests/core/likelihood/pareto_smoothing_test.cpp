#include "core/likelihood/pareto_smoothing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/numbers/random.h"

namespace pairs {
namespace {

// Excesses of a generalized Pareto distribution have its shape and scale.
TEST(ParetoFit, FindsShapeAndScale) {
  for (const double shape : {-0.3, 0.1, 0.5, 0.9}) {
    std::vector<double> excess;
    Stream stream(5, 0);
    for (int i = 0; i < 4000; ++i)
      excess.push_back(2 * std::expm1(-shape * std::log(1 - stream.uniform64())) / shape + 1e-12);
    const ParetoFit fit = fit_pareto(excess);
    EXPECT_NEAR(fit.shape, shape, 0.08);
    EXPECT_NEAR(fit.scale, 2, 0.2);
  }
}

// Weights U^-k have a tail of shape k.
TEST(ParetoSmoothing, MeasuresTheTail) {
  for (const double shape : {0.2, 0.5, 0.9, 1.3}) {
    std::vector<double> log_weight;
    Stream stream(6, 0);
    for (int i = 0; i < 4000; ++i) log_weight.push_back(-shape * std::log(1 - stream.uniform64()));
    const SmoothedWeights smoothed = pareto_smoothed(log_weight);
    EXPECT_NEAR(smoothed.shape, shape, 0.2) << shape;
    EXPECT_NEAR(std::accumulate(smoothed.weight.begin(), smoothed.weight.end(), 0.0), 1, 1e-12);
  }
}

// A normal proposal that is narrower than its normal target has weights of shape 1 - s², and the mean of the weights is
// improved by smoothing them.
TEST(ParetoSmoothing, OfANarrowProposal) {
  const double s = 0.8;
  std::vector<double> log_weight;
  Stream stream(7, 0);
  for (int i = 0; i < 20000; ++i) {
    const double x = s * stream.normal64();
    log_weight.push_back(-0.5 * x * x + 0.5 * x * x / (s * s) + std::log(s));
  }
  const SmoothedWeights smoothed = pareto_smoothed(log_weight);
  EXPECT_GT(smoothed.shape, 0.1);
  EXPECT_LT(smoothed.shape, 0.6);
}

TEST(ParetoSmoothing, EdgesHaveAnAnswer) {
  const double nowhere = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isinf(pareto_smoothed(std::vector<double>(100, nowhere)).shape));
  const SmoothedWeights equal = pareto_smoothed(std::vector<double>(100, -3.0));
  EXPECT_LT(equal.shape, 0.7) << "an exact proposal";
  EXPECT_NEAR(effective_samples(equal.weight), 100, 1e-6);
  std::vector<double> one(100, nowhere);
  one[17] = 2;
  const SmoothedWeights single = pareto_smoothed(one);
  EXPECT_NEAR(effective_samples(single.weight), 1, 1e-9);
  EXPECT_FALSE(single.shape <= 0.7) << "a single sample is not a posterior";
}

}  // namespace
}  // namespace pairs
