#pragma once

#include <torch/types.h>

#include <memory>
#include <string>

namespace pairs {

// A density of one number that people write down: "normal(0.2, 0.05)", or a table of values and densities.
class PriorFamily {
 public:
  virtual ~PriorFamily() = default;
  // log density at values [S] float64 -> [S], minus infinity outside of its support.
  virtual torch::Tensor log_density(const torch::Tensor& values) const = 0;
  // The probability below `value`.
  virtual double below(double value) const = 0;
};

// Of the text:
//   uniform(LOW, HIGH), normal(MEAN, SD), lognormal(MEAN, SD) of the logarithm, half-normal(SD), beta(A, B) on [0, 1]
//   or beta(A, B, LOW, HIGH), log-uniform(LOW, HIGH), exponential(MEAN), cauchy(MIDDLE, SCALE), gamma(SHAPE, MEAN),
// or the path of a table (.csv): two columns, the value and its density, straight lines between, scaled to mass 1. Where
// its columns have names they are taken by these: the value as `target` or "value", the density as "density" or
// "log_density".
// `where` names the text in errors ("--prior"), `target` what the density is of; "": anything. Throws a usage error for
// what is none of them.
std::shared_ptr<const PriorFamily> prior_family(const std::string& text, const std::string& where,
                                                const std::string& target = "");

// "uniform(LOW, HIGH), …": the families, for help.
const std::string& prior_families();

}  // namespace pairs
