#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/eval/metrics/cells.h"
#include "core/nuisance_posterior.h"

// Neyman construction for one parameter: a value θ is in the confidence set if the data are no more extreme under it
// than 1 − level of simulated sets ("toys") at that value.
namespace pairs {

// Test statistics, which order data by how extreme they are at a value θ. All compare its likelihood with the maximum,
// at the estimate.
enum class TestOrder {
  likelihood_ratio,  // likelihood ratio of estimate and θ (Feldman and Cousins 1998): intervals
  upper_limit,       // the likelihood ratio if the estimate lies below θ, else 0: upper limits
  excess,            // the likelihood ratio if the estimate lies above θ, else 0: significances
};

// ln L(θ) of one set on ascending values of θ, three or more, up to a constant; −∞ at impossible values. Throws Error
// if a value is NaN or none is finite.
class LikelihoodCurve {
 public:
  LikelihoodCurve(std::span<const double> grid, std::vector<double> log);
  // The maximum-likelihood estimate and the log likelihood there: of the parabola through the highest value and its
  // neighbors, within the grid's bounds.
  double estimate() const { return estimate_; }
  double highest() const { return highest_; }
  // Interpolated by the parabola through the three nearest values; −∞ if one of them is.
  double log_at(double theta) const;
  // 2 ln(L(estimate) / L(θ)), with a minus sign if the estimate lies below θ.
  double signed_ratio(double theta) const;
  // Whether the neighbors of the highest value lie within `drop` nats of it, so that the parabola is meaningful.
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
  std::vector<double> psi;    // nuisance of each toy, ascending; zeros if there is none
};

// The share of toys whose statistic is at least t, counted with their weights (none: equal weights).
double tail(const NodeToys& toys, TestOrder order, double t, std::span<const double> weights = {});

// Weights of a node's toys that make their nuisances distributed as `psi`: each cell's mass is divided equally among
// the `window` toys nearest to it in rank. They sum to 1.
std::vector<double> near_weights(const NodeToys& toys, const CellDensity& psi, std::size_t window);

// The largest tail over windows of `window` toys with neighboring nuisances, each overlapping half of the last: for any
// value of the nuisance within the toys' range, at most about this share is as extreme.
double worst_tail(const NodeToys& toys, TestOrder order, double t, std::size_t window);
// The smallest of these tails: for any value of the nuisance, at least about this share is as extreme.
double least_tail(const NodeToys& toys, TestOrder order, double t, std::size_t window);

// A node's toys in ascending order of a statistic, with their weights.
class OrderedToys {
 public:
  // `ascending`: statistic_order of the same toys. No weights: equal weights.
  OrderedToys(const NodeToys& toys, TestOrder order, std::span<const std::uint32_t> ascending,
              std::span<const double> weights = {});
  // The share of toys whose statistic is at least t, and the largest statistic that at least a share p of toys reaches.
  double tail(double t) const;
  double quantile(double p) const;

 private:
  std::vector<double> t_, above_;  // above_: the total weight of a toy and all toys after it
};

// The indices of a node's toys in ascending order of their statistic.
std::vector<std::uint32_t> statistic_order(const NodeToys& toys, TestOrder order);

// Returns the toys of a node.
using OrderedOf = std::function<const OrderedToys&(std::size_t node, TestOrder order)>;

// The p-value of θ. At a node it is the tail. Between two nodes, which are ascending and span θ, it is the share p
// whose quantile, interpolated between the two, equals the statistic: a cluster of toys that moves with θ stays a
// single cluster between nodes, where interpolated tails would show it twice.
double p_value(std::span<const double> nodes, const OrderedOf& toys, TestOrder order, double theta,
               double signed_ratio);

// CL_s (Read 2002) of a value θ: its p-value divided by the share of toys under the null value that are as extreme
// against θ by the same statistic; at most 1. It is 1 if none of these toys is as extreme.
double cls(double p, double share_of_nothing);

// The intervals of θ whose p-values [grid] are at least alpha, with interpolated bounds.
std::vector<Interval> accepted(std::span<const double> grid, std::span<const double> p, double alpha);

// The binomial standard error of a share p among `count` toys.
double binomial_error(double p, double count);

// Converts a one-sided p-value to standard deviations of a normal distribution, Φ⁻¹(1 − p), and back.
double sigmas(double p);
double p_of_sigmas(double z);

// The value that a χ² variable with one degree of freedom exceeds with probability p.
double chi_square_1(double p);

}  // namespace pairs
