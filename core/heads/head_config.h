#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// Which density head models q(θ | context).
struct HeadConfig {
  std::string kind = "spline";  // spline (piecewise-quadratic coupling), umnn, gaussian (regression)
  std::int64_t transforms = 3;  // stacked transformations

  // spline (method B2)
  std::int64_t bins = 16;
  std::int64_t hidden = 128;        // width of the context MLP and of the transform nets
  std::int64_t context_layers = 3;  // layers of the context MLP; 0 feeds the context itself
  std::int64_t blocks = 2;          // residual blocks of each transform net
  // "box": θ in [low, high] of the target, uniform base. "real": tails, normal base. "logit": as real, of the logit of
  // a bounded target, which the estimator takes (method B10).
  std::string support = "real";
  double bound = 6.0;  // real: splines act on [-bound, bound] of the standardised target

  // umnn (method B1)
  std::vector<std::int64_t> conditioner = {128, 128};
  std::int64_t conditioner_size = 32;  // q, the length of h
  std::vector<std::int64_t> integrand = {64, 64, 64};
  std::int64_t quadrature = 20;       // Clenshaw-Curtis steps when training (even)
  std::int64_t quadrature_test = 50;  // and when evaluating (even)

  // A conditional affine layer θ -> (θ - μ(c)) e^{-s(c)} before the flow (method B10). Off for box support.
  bool affine = true;
  // Replication only: the reference's mask that hides the context from most hidden units of a conditioner (B1).
  bool legacy_mask = false;
};

}  // namespace pairs
