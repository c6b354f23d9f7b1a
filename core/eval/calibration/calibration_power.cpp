#include "core/eval/calibration/calibration_power.h"

#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace pairs {

// With z standard normal, Φ(z − δ) is the rank of a truth in a posterior that is shifted up by δ of its sds, with mean
// Φ(−δ / √2); and |Φ(z / s) − ½| has mean arctan(1 / s) / π if the sd is s times the right one. For δ = 0, s = 1 their
// variances are 1/12 and 1/48.
DetectableFault detectable_fault(std::int64_t sets, double z) {
  const boost::math::normal normal;
  const double seen = z + boost::math::quantile(normal, 0.8), root = std::sqrt(static_cast<double>(sets));
  const double moved = seen * std::sqrt(1.0 / 12) / root, narrowed = seen * std::sqrt(1.0 / 48) / root;
  DetectableFault fault;
  fault.shift = moved < 0.5 ? std::sqrt(2.0) * boost::math::quantile(normal, 0.5 + moved) : INFINITY;
  fault.narrow = narrowed < 0.25 ? 1 / std::tan(M_PI * (0.25 + narrowed)) : 0;
  return fault;
}

double detectable_width(double error, double z) {
  const double narrowed = (z + boost::math::quantile(boost::math::normal(), 0.8)) * error * std::sqrt(1.0 / 48);
  return narrowed < 0.25 ? 1 / std::tan(M_PI * (0.25 + narrowed)) : 0;
}

}  // namespace pairs
