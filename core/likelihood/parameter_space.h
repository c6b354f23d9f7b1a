#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/prior_family.h"
#include "core/task.h"

namespace pairs {

// The prior's distribution function of one parameter, monotone and smooth between quantiles of its draws, and from it
// the coordinate z = Φ⁻¹(F(value)), which is standard normal under the prior. Values outside the range have none.
class Margin {
 public:
  // From ascending `values` with the levels F `levels`, which begin with 0 and end with 1; at least four.
  Margin(std::vector<double> values, std::vector<double> levels);
  // From draws of the prior and the bounds of its support, either of which may be infinite; the range then ends with
  // the draws. Throws Error if the draws have too few different values for a density.
  static Margin of(std::vector<double> draws, double low, double high);

  // The distribution itself, up to 6 standard deviations where it has no end.
  static Margin of(const PriorFamily& prior);

  // From draws of a periodic parameter's prior in [low, high], whose ends are the same value.
  static Margin around(std::vector<double> draws, double low, double high);
  bool periodic() const { return periodic_; }
  // A copy whose ends are the same value, with a density that is as smooth there as elsewhere.
  Margin made_periodic() const;
  double low() const { return values_.front(); }
  double high() const { return values_.back(); }
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& levels() const { return levels_; }
  double level(double value) const;    // F, 0 below and 1 above the range
  double density(double value) const;  // F', 0 outside the range
  double value(double level) const;    // F⁻¹

 private:
  struct Curve;
  static std::shared_ptr<const Curve> curve_through(const std::vector<double>& values,
                                                    const std::vector<double>& levels);
  std::vector<double> values_, levels_;
  bool periodic_ = false;
  std::shared_ptr<const Curve> curve_;
};

// The parameters of a set, (θ, ψ) in this order, in coordinates z [S, d + p] in which each is standard normal under the
// prior of all sets, whatever its conditions; float64 on the CPU. The range of a periodic parameter may be cut open
// elsewhere than at its ends (turned): its levels then count from that cut on, and z is standard normal all the same.
class ParameterSpace {
 public:
  // From draws of the task's prior, theta [B, d] and psi [B, p], but where it states the prior of a parameter. Throws
  // Error, a clause, if a parameter has no density: "parameter k takes only 3 different values".
  ParameterSpace(const TaskInfo& info, const torch::Tensor& theta, const torch::Tensor& psi);
  explicit ParameterSpace(std::vector<Margin> margins) : margins_(std::move(margins)) {}

  std::int64_t size() const { return static_cast<std::int64_t>(margins_.size()); }
  const Margin& margin(std::int64_t k) const { return margins_[static_cast<std::size_t>(k)]; }
  // values [S, d + p] -> z, clamped to ±kMost, those of periodic parameters from any period; and back, where values of
  // a periodic parameter continue beyond its range up to the cut.
  torch::Tensor coordinates(const torch::Tensor& values) const;
  torch::Tensor values(const torch::Tensor& z) const;
  // log |dz/dvalue| of the components 0 .. values.size(1) - 1 -> [S]; -infinity outside the range.
  torch::Tensor log_slope(const torch::Tensor& values) const;
  // What networks know of z, from a space that is not turned: z itself and the level F or, of a periodic parameter,
  // cosine and sine of 2πF, all scaled to variance 1 -> [S, 2 (d + p)] float32.
  torch::Tensor features(const torch::Tensor& z) const;

  bool any_periodic() const;
  // The space whose periodic parameters are cut open where their levels in z [S, d + p] are fewest under these weights
  // [S]. z of this space, which is not turned itself, becomes that of the turned one by turn_in,
  // and again z of this one by turn_out, both functions of the turned space.
  ParameterSpace turned(const torch::Tensor& z, const torch::Tensor& weight) const;
  torch::Tensor turn_in(const torch::Tensor& z) const;
  torch::Tensor turn_out(const torch::Tensor& z) const;
  // θ and ψ [S, d + p] with every periodic parameter moved by whole periods such that its weighted mean lies in its
  // range.
  torch::Tensor in_range(const torch::Tensor& values, const torch::Tensor& weight) const;

  // As tensors "PREFIX.k" [2, knots], and from them. Throws Error if they are not those of a space.
  void store(const std::string& prefix, std::map<std::string, torch::Tensor>& out) const;
  static ParameterSpace from(const std::string& prefix, const std::map<std::string, torch::Tensor>& tensors);

  static constexpr double kMost = 6;

 private:
  double turn(std::int64_t k) const { return turns_.empty() ? 0 : turns_[static_cast<std::size_t>(k)]; }
  torch::Tensor turn_by(const torch::Tensor& z, double sign) const;

  std::vector<Margin> margins_;
  std::vector<double> turns_;  // added to the level of each parameter, modulo 1; empty: none is turned
};

}  // namespace pairs
