#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/eval/cells.h"
#include "core/nuisance_posterior.h"

// Neyman's construction for one parameter: a value θ is in the set of confidence where the data are no more extreme
// under it than 1 − level of simulated sets ("toys") at that value.
namespace pairs {

// What "extreme" means at a value θ. All of them compare its likelihood with the highest one, at the estimate.
enum class TestOrder {
  likelihood_ratio,  // how much likelier the estimate is (Feldman and Cousins 1998): intervals
  upper_limit,       // the same where the estimate lies below θ, else nothing: upper limits
  excess,            // the same where the estimate lies above θ: significances
};

// ln L(θ) of one set on ascending values of θ, three or more, up to a constant. −∞ where it is impossible. Throws Error
// where a value is NaN or none is finite.
class LikelihoodCurve {
 public:
  LikelihoodCurve(std::span<const double> grid, std::vector<double> log);
  // Where it is highest, and its logarithm there: of the parabola through the highest value and its neighbours, within
  // the grid's ends.
  double estimate() const { return estimate_; }
  double highest() const { return highest_; }
  // By the parabola through the three nearest values; −∞ where one of them is.
  double log_at(double theta) const;
  // 2 ln(L(estimate) / L(θ)), with a minus sign where the estimate lies below θ.
  double signed_ratio(double theta) const;
  // Whether the values beside the highest lie within `drop` nat of it, so that the parabola means something.
  bool resolved(double drop) const;

 private:
  std::span<const double> grid_;
  std::vector<double> log_;
  double estimate_ = 0, highest_ = 0;
};

// The test statistic of a signed_ratio: zero or more, larger where the data are more extreme.
double statistic(TestOrder order, double signed_ratio);

// Toys at one value of θ.
struct NodeToys {
  double theta = 0;
  std::vector<double> ratio;  // signed_ratio(theta) of each
  std::vector<double> psi;    // the nuisance of each, ascending; zeros where there is none
};

// The share of toys whose statistic is at least t, each counted with its weight (none given: alike).
double tail(const NodeToys& toys, TestOrder order, double t, std::span<const double> weights = {});

// The weights of a node's toys that make their nuisances distributed as `psi`: each cell's mass is shared evenly by the
// `window` toys that are nearest to it in rank. They sum to 1.
std::vector<double> near_weights(const NodeToys& toys, const CellDensity& psi, std::size_t window);

// The largest tail among stretches of `window` toys of neighbouring nuisances, each half over the last: whatever the
// nuisance is within the toys' range, at most about this share is as extreme.
double worst_tail(const NodeToys& toys, TestOrder order, double t, std::size_t window);
// The smallest of them: whatever the nuisance is, at least about this share is as extreme.
double least_tail(const NodeToys& toys, TestOrder order, double t, std::size_t window);

// A node's toys in ascending order of a statistic, each with its weight.
class OrderedToys {
 public:
  // `ascending`: statistic_order of the same toys. No weights: all count alike.
  OrderedToys(const NodeToys& toys, TestOrder order, std::span<const std::uint32_t> ascending,
              std::span<const double> weights = {});
  // The share of toys whose statistic is at least t, and the largest statistic that at least a share p of them reaches.
  double tail(double t) const;
  double quantile(double p) const;

 private:
  std::vector<double> t_, above_;  // above: the weight of a toy and of all after it
};

// The numbers of a node's toys in ascending order of their statistic.
std::vector<std::uint32_t> statistic_order(const NodeToys& toys, TestOrder order);

// The toys of the node of this number.
using OrderedOf = std::function<const OrderedToys&(std::size_t node, TestOrder order)>;

// The p-value of θ: at a node the tail; between two of the nodes, which ascend and span θ, the share p whose quantile,
// interpolated between the two, is the statistic. So a cluster of toys that moves with θ stays one between nodes, where
// an interpolated tail would see it at both.
double p_value(std::span<const double> nodes, const OrderedOf& toys, TestOrder order, double theta,
               double signed_ratio);

// CL_s (Read 2002) of a value θ: the p-value of θ over the share of toys of "nothing there" that are as extreme against
// θ by the same statistic, 1 at most. 1 where none of these toys is as extreme, since they cannot tell then.
double cls(double p, double share_of_nothing);

// The stretches of θ whose p-values [grid] are at least alpha, with ends interpolated.
std::vector<Interval> accepted(std::span<const double> grid, std::span<const double> p, double alpha);

// The binomial standard error of a share p of `count` toys.
double binomial_error(double p, double count);

// A one-sided p-value in standard deviations of a normal, Φ⁻¹(1 − p), and back.
double sigmas(double p);
double p_of_sigmas(double z);

// The value that a χ² of one degree of freedom exceeds with probability p.
double chi_square_1(double p);

}  // namespace pairs
