#include "core/eval/calibration/neyman.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

std::vector<double> even(double low, double high, std::size_t steps) {
  std::vector<double> out;
  for (std::size_t k = 0; k <= steps; ++k)
    out.push_back(low + (high - low) * static_cast<double>(k) / static_cast<double>(steps));
  return out;
}

std::vector<OrderedToys> in_order(const std::vector<NodeToys>& toys, TestOrder order) {
  std::vector<OrderedToys> out;
  for (const NodeToys& node : toys) out.emplace_back(node, order, statistic_order(node, order));
  return out;
}
OrderedOf ordered_of(const std::vector<OrderedToys>& toys) {
  return [&toys](std::size_t node, TestOrder) -> const OrderedToys& { return toys[node]; };
}

// x ~ N(μ, 1) with μ >= 0: the example of Feldman and Cousins (1998).
class BoundedMean {
 public:
  LikelihoodCurve curve(double x) const {
    std::vector<double> log;
    for (const double mu : grid_) log.push_back(-0.5 * (x - mu) * (x - mu));
    return {grid_, std::move(log)};
  }
  // Toys are the quantiles of x, so that no chance is left in them.
  std::vector<NodeToys> toys(std::size_t count) const {
    std::vector<NodeToys> out;
    for (const double mu : nodes_) {
      NodeToys node{mu, {}, std::vector<double>(count, 0)};
      for (std::size_t i = 0; i < count; ++i)
        node.ratio.push_back(
            curve(mu + sigmas(1 - (static_cast<double>(i) + 0.5) / static_cast<double>(count))).signed_ratio(mu));
      out.push_back(std::move(node));
    }
    return out;
  }
  Interval interval(double x, double level, const std::vector<NodeToys>& toys, TestOrder order) const {
    const LikelihoodCurve seen = curve(x);
    const std::vector<OrderedToys> ordered = in_order(toys, order);
    std::vector<double> p;
    for (const double mu : grid_) p.push_back(p_value(nodes_, ordered_of(ordered), order, mu, seen.signed_ratio(mu)));
    const std::vector<Interval> parts = accepted(grid_, p, 1 - level);
    return parts.empty() ? Interval{} : Interval{parts.front().low, parts.back().high};
  }
  // The upper limit by CL_s: toys at μ = 0 are seen at every node.
  double cls_limit(double x, double level, const std::vector<NodeToys>& toys) const {
    const LikelihoodCurve seen = curve(x);
    std::vector<NodeToys> nothing;
    for (const double mu : nodes_) {
      NodeToys node{mu, {}, toys.front().psi};
      const std::size_t count = toys.front().ratio.size();
      for (std::size_t i = 0; i < count; ++i)
        node.ratio.push_back(
            curve(sigmas(1 - (static_cast<double>(i) + 0.5) / static_cast<double>(count))).signed_ratio(mu));
      nothing.push_back(std::move(node));
    }
    const auto order = TestOrder::upper_limit;
    const std::vector<OrderedToys> tested = in_order(toys, order), null = in_order(nothing, order);
    std::vector<double> values;
    for (const double mu : grid_)
      values.push_back(cls(p_value(nodes_, ordered_of(tested), order, mu, seen.signed_ratio(mu)),
                           p_value(nodes_, ordered_of(null), order, mu, seen.signed_ratio(mu))));
    return accepted(grid_, values, 1 - level).back().high;
  }

 private:
  std::vector<double> nodes_ = even(0, 6, 60), grid_ = even(0, 6, 300);
};

// Their Table X; where its two decimals are not at hand, the same by bisection on the normal distribution function.
TEST(Neyman, IntervalsOfABoundedMeanAreFeldmanAndCousins) {
  const BoundedMean mean;
  const std::vector<NodeToys> toys = mean.toys(2001);
  struct Row {
    double x, level, low, high;
  };
  for (const Row& row : std::vector<Row>{{-1, 0.6827, 0, 0.27},
                                         {0, 0.6827, 0, 1.00},
                                         {1, 0.6827, 0.24, 2.00},
                                         {2, 0.6827, 1.00, 3.00},
                                         {-1, 0.9, 0, 0.81},
                                         {0, 0.9, 0, 1.64},
                                         {1, 0.9, 0, 2.64},
                                         {2, 0.9, 0.58, 3.64},
                                         {3, 0.9, 1.37, 4.64},
                                         {0, 0.95, 0, 1.96},
                                         {2, 0.95, 0.35, 3.96}}) {
    const Interval found = mean.interval(row.x, row.level, toys, TestOrder::likelihood_ratio);
    EXPECT_NEAR(found.low, row.low, 0.02) << row.x << " at " << row.level;
    EXPECT_NEAR(found.high, row.high, 0.02) << row.x << " at " << row.level;
  }
}

// One-sided: x + 1.2816 at 90 %, but no value at or below the estimate is excluded.
TEST(Neyman, UpperLimitsOfAMeanAreOneSided) {
  const BoundedMean mean;
  const std::vector<NodeToys> toys = mean.toys(2001);
  for (const double x : {0.0, 1.0, 2.5}) {
    const Interval found = mean.interval(x, 0.9, toys, TestOrder::upper_limit);
    EXPECT_EQ(found.low, 0);
    EXPECT_NEAR(found.high, x + 1.28155, 0.02);
  }
  EXPECT_NEAR(mean.interval(-2, 0.9, toys, TestOrder::upper_limit).high, 0, 0.02);
}

// CL_s = Φ(x − μ) / Φ(x), so that the limit is x + Φ⁻¹(1 − α Φ(x)): 1.96 where nothing is seen at all, and never zero.
TEST(Neyman, LimitsByClsOfABoundedMeanAreTheClosedForm) {
  const BoundedMean mean;
  const std::vector<NodeToys> toys = mean.toys(4001);
  for (const double level : {0.9, 0.95})
    for (const double x : {-1.5, -1.0, 0.0, 0.7, 2.0})
      EXPECT_NEAR(mean.cls_limit(x, level, toys), x + sigmas((1 - level) * p_of_sigmas(-x)), 0.03)
          << x << " at " << level;
}

TEST(Neyman, ClsIsARatioOfShares) {
  EXPECT_EQ(cls(0.02, 0.5), 0.04);
  EXPECT_EQ(cls(0, 0.5), 0);
  EXPECT_EQ(cls(0.6, 0.5), 1) << "chance of toys";
  EXPECT_EQ(cls(0, 0), 1) << "toys cannot tell";
}

// At the end of the range the statistic is zero in half of the sets, else a χ² of one degree of freedom.
TEST(Neyman, ExcessAtTheEndOfTheRangeIsHalfAChiSquare) {
  const NodeToys none = BoundedMean().toys(4001).front();
  EXPECT_EQ(tail(none, TestOrder::excess, 0), 1);
  for (const double z : {0.5, 1.0, 2.0, 3.0}) EXPECT_NEAR(tail(none, TestOrder::excess, z * z), p_of_sigmas(z), 4e-4);
}

TEST(Neyman, ThePeakLiesBetweenTheGridsValues) {
  const std::vector<double> grid = {0, 0.1, 0.3, 0.7, 1};
  const auto at = [&](double center) {
    std::vector<double> log;
    for (const double x : grid) log.push_back(3 - 8 * (x - center) * (x - center));
    return LikelihoodCurve(grid, log);
  };
  for (const double center : {0.02, 0.1, 0.44, 0.97}) {
    EXPECT_NEAR(at(center).estimate(), center, 1e-12);
    EXPECT_NEAR(at(center).highest(), 3, 1e-12);
    EXPECT_NEAR(at(center).log_at(0.62), 3 - 8 * std::pow(0.62 - center, 2), 1e-12);
  }
  EXPECT_EQ(at(-0.5).estimate(), 0);
  EXPECT_NEAR(at(-0.5).signed_ratio(0.3), -2 * 8 * (0.64 - 0.25), 1e-12);
  EXPECT_GT(at(0.44).signed_ratio(0.1), 0);
  EXPECT_LT(at(0.44).signed_ratio(0.7), 0);
  EXPECT_TRUE(at(0.44).resolved(2));
  EXPECT_FALSE(at(0.44).resolved(0.1));
}

TEST(Neyman, ImpossibleValuesAreFarAndNumbersMustBeNumbers) {
  const std::vector<double> grid = {0, 0.5, 1};
  const LikelihoodCurve curve(grid, {-INFINITY, 0, -1});
  EXPECT_EQ(curve.estimate(), 0.5);
  EXPECT_EQ(curve.signed_ratio(0), INFINITY);
  EXPECT_EQ(curve.signed_ratio(0.5), 0);
  EXPECT_THROW(LikelihoodCurve(grid, {0, NAN, 0}), Error);
  EXPECT_THROW(LikelihoodCurve(grid, {-INFINITY, -INFINITY, -INFINITY}), Error);
  EXPECT_THROW(LikelihoodCurve(grid, {0, 0}), Error);
}

TEST(Neyman, AcceptedValuesMayLieApart) {
  const std::vector<double> grid = {0, 1, 2, 3, 4}, p = {0.3, 0.1, 0.5, 0.05, 0.2};
  const std::vector<Interval> parts = accepted(grid, p, 0.2);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_NEAR(parts[0].high, 0.5, 1e-12);
  EXPECT_NEAR(parts[1].low, 1.25, 1e-12);
  EXPECT_NEAR(parts[1].high, 2 + 0.3 / 0.45, 1e-12);
  EXPECT_EQ(parts[2].high, 4);
  EXPECT_TRUE(accepted(grid, p, 0.6).empty());
}

// The statistic of a toy is normal about its nuisance: near weights must find the tail that belongs to a nuisance, and
// the worst stretch the highest of them.
TEST(Neyman, ToysCountByHowNearTheirNuisanceIs) {
  constexpr std::size_t kToys = 40000;
  NodeToys toys;
  std::vector<std::pair<double, double>> drawn;
  Stream stream(7, 1);
  for (std::size_t i = 0; i < kToys; ++i) {
    const double psi = stream.normal64();
    drawn.emplace_back(psi, 3 + psi + stream.normal64());
  }
  std::sort(drawn.begin(), drawn.end());
  for (const auto& [psi, value] : drawn) {
    toys.psi.push_back(psi);
    toys.ratio.push_back(value);
  }
  for (const double psi : {-1.0, 0.0, 1.2}) {
    const std::vector<double> weights = near_weights(toys, {psi - 0.01, psi + 0.01, {1, 1}}, 1000);
    double sum = 0;
    for (const double w : weights) sum += w;
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_NEAR(tail(toys, TestOrder::excess, 4, weights), p_of_sigmas(1 - psi), 4 * std::sqrt(0.25 / 1000));
  }
  // Over the nuisance's own distribution it is the tail of all toys: N(3, 2).
  CellDensity prior{-5, 5, {}};
  for (int k = 0; k < 400; ++k) prior.density.push_back(std::exp(-0.5 * std::pow(-5 + 0.025 * (k + 0.5), 2)));
  const std::vector<double> all = near_weights(toys, prior, 1000);
  EXPECT_NEAR(tail(toys, TestOrder::excess, 4, all), p_of_sigmas(1 / std::numbers::sqrt2), 0.01);
  EXPECT_NEAR(tail(toys, TestOrder::excess, 4), p_of_sigmas(1 / std::numbers::sqrt2), 0.01);
  // The last 1,000 of 40,000 have nuisances above 1.96, of mean 2.34.
  EXPECT_NEAR(worst_tail(toys, TestOrder::excess, 4, 1000), p_of_sigmas(1 - 2.34), 0.04);
  EXPECT_NEAR(least_tail(toys, TestOrder::excess, 4, 1000), p_of_sigmas(1 + 2.34), 0.01);
  EXPECT_GE(worst_tail(toys, TestOrder::excess, 4, 1000), tail(toys, TestOrder::excess, 4));
}

// Confidence sets have their stated coverage of the true mean, at means that are no nodes.
TEST(Neyman, IntervalsCover) {
  const BoundedMean mean;
  const std::vector<NodeToys> toys = mean.toys(1001);
  const std::vector<double> nodes = even(0, 6, 60);
  const std::vector<OrderedToys> ordered = in_order(toys, TestOrder::likelihood_ratio);
  for (const double mu : {0.0, 0.33, 1.27, 3.01}) {
    Stream stream(11, static_cast<std::uint64_t>(100 * mu));
    std::map<double, int> covered;
    constexpr int kSets = 4000;
    for (int s = 0; s < kSets; ++s) {
      const double p = p_value(nodes, ordered_of(ordered), TestOrder::likelihood_ratio, mu,
                               mean.curve(mu + stream.normal64()).signed_ratio(mu));
      for (const double level : {0.6827, 0.9, 0.95}) covered[level] += p >= 1 - level ? 1 : 0;
    }
    for (const auto& [level, count] : covered)
      EXPECT_NEAR(count / static_cast<double>(kSets), level, 3.5 * binomial_error(level, kSets) + 1e-3) << mu;
  }
}

// Toys whose statistic is near 4 θ: between the nodes 0.5 and 1 the cluster stands between theirs.
TEST(Neyman, AClusterOfToysMovesBetweenNodes) {
  std::vector<NodeToys> toys;
  for (const double theta : {0.5, 1.0}) {
    NodeToys node{theta, {}, std::vector<double>(1000, 0)};
    for (int i = 0; i < 1000; ++i) node.ratio.push_back(4 * theta + 1e-4 * i);
    toys.push_back(std::move(node));
  }
  const std::vector<double> nodes = {0.5, 1};
  const std::vector<OrderedToys> ordered = in_order(toys, TestOrder::likelihood_ratio);
  const auto p = [&](double theta, double t) {
    return p_value(nodes, ordered_of(ordered), TestOrder::likelihood_ratio, theta, t);
  };
  EXPECT_NEAR(p(0.75, 3.03), 0.7, 2e-3);
  EXPECT_NEAR(p(0.6, 2.4 + 0.09), 0.1, 2e-3);
  EXPECT_EQ(p(0.75, 2.9), 1 - std::ldexp(1, -40));
  EXPECT_EQ(p(0.75, 3.2), 0);
  EXPECT_EQ(p(0.75, 0), 1);
  EXPECT_NEAR(p(1, 4.05), tail(toys[1], TestOrder::likelihood_ratio, 4.05), 1e-9);
  EXPECT_NEAR(ordered[0].quantile(0.25), 2.075, 2e-4);
  EXPECT_EQ(ordered[0].quantile(1), 2);
}

TEST(Neyman, SigmasAreThoseOfANormal) {
  EXPECT_NEAR(sigmas(2.866516e-7), 5, 1e-6);
  EXPECT_NEAR(sigmas(0.15865525), 1, 1e-7);
  EXPECT_EQ(sigmas(0), INFINITY);
  EXPECT_EQ(sigmas(1), -INFINITY);
  EXPECT_NEAR(p_of_sigmas(3), 1.349898e-3, 1e-9);
  EXPECT_NEAR(chi_square_1(0.1), 2.705543, 1e-5);
  EXPECT_NEAR(binomial_error(0.9, 1000), 0.00948683, 1e-8);
}

}  // namespace
}  // namespace pairs
