#pragma once

#include <torch/types.h>

#include <memory>
#include <string>
#include <utility>

namespace pairs {

// A density of one number as users specify it: "normal(0.2, 0.05)", or a table of values and densities.
class PriorFamily {
 public:
  virtual ~PriorFamily() = default;
  // The log density at values [S] float64 -> [S], minus infinity outside its support.
  virtual torch::Tensor log_density(const torch::Tensor& values) const = 0;
  // The probability below `value`.
  virtual double below(double value) const = 0;
  // Its support, infinite where it has no end.
  virtual std::pair<double, double> range() const = 0;
  // The value below which the probability is `level`, in (0, 1).
  double quantile(double level) const;
  // As it was written: "normal(0.2, 0.05)".
  const std::string& text() const { return text_; }

 protected:
  explicit PriorFamily(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;
};

// Parses a density:
//   uniform(LOW, HIGH), normal(MEAN, SD), lognormal(MEAN, SD) of the logarithm, half-normal(SD), beta(A, B) on [0, 1]
//   or beta(A, B, LOW, HIGH), log-uniform(LOW, HIGH), exponential(MEAN), cauchy(MIDDLE, SCALE), gamma(SHAPE, MEAN),
// or the path of a table (.csv): two columns, the value and its density, interpolated linearly and normalized. Named
// columns are identified by their names: the value as `target` or "value", the density as "density" or "log_density".
// `where` names the text in errors ("--prior"), `target` the parameter; "": any. Throws a usage error for anything
// else.
std::shared_ptr<const PriorFamily> prior_family(const std::string& text, const std::string& where,
                                                const std::string& target = "");

// "uniform(LOW, HIGH), …": the families, for help texts.
const std::string& prior_families();

}  // namespace pairs
