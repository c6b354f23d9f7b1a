#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// Which density head models q(θ | context).
struct HeadConfig {
  std::string kind = "spline";  // spline (piecewise-quadratic coupling), umnn, gaussian (regression), flow-matching
  std::int64_t transforms = 3;  // stacked transformations

  // spline (docs/method.md, "Quadratic spline head")
  std::int64_t bins = 16;
  std::int64_t hidden = 128;        // width of the context MLP (spline, flow-matching) and of the transform nets
  std::int64_t context_layers = 3;  // layers of the context MLP; 0 feeds the context itself
  std::int64_t blocks = 2;          // residual blocks of each transform net; flow-matching: of each resolution
  // "box": θ in [low, high] of the target, uniform base. "real": tails, normal base.
  std::string support = "real";
  double bound = 6.0;  // real: splines act on [-bound, bound] of the standardised target

  // umnn (docs/method.md, "UMNN head")
  std::vector<std::int64_t> conditioner = {128, 128};
  std::int64_t conditioner_size = 32;  // q, the length of h
  std::vector<std::int64_t> integrand = {64, 64, 64};
  std::int64_t quadrature = 20;       // Clenshaw-Curtis steps when training (even)
  std::int64_t quadrature_test = 50;  // and when evaluating (even)

  // flow-matching (docs/method.md, "Flow matching"): the U-Net of the velocity, and how it is trained and integrated
  std::int64_t channels = 64;                            // at the highest resolution
  std::vector<std::int64_t> multipliers = {1, 2, 2, 2};  // channels of each resolution in units of `channels`
  std::vector<std::int64_t> attention = {16};            // heights of the maps that attend to themselves; empty: none
  std::int64_t attention_channels = 64;                  // of one attention head
  std::int64_t time_size = 256;                          // length of the sinusoidal embedding of 1000 t (even)
  std::int64_t given_size = 64;                          // length of the encoding of what is given (the target camera)
  std::int64_t patch = 1;                                // images enter as patch x patch pixels a place
  bool context_map = false;                              // the context also as a learnt map at the lowest resolution
  std::int64_t steps = 50;                               // of a sample's integration
  std::string solver = "euler";                          // euler, heun
  // Times t = u^p with u uniform in the loss, and steps spaced alike in sampling: larger p spends more of both near the
  // noise, where only the context can tell θ. 1: the paper's.
  double time_power = 1;
  // Weight in training of a second loss: one linear layer of the context tells the lowest `summary_frequencies` squared
  // spatial frequencies of each channel of θ (cosine transform), each in units of its sd over the batch. Place is
  // learnt from views and drawn from the context long before the two meet in the velocity alone. 0: none (paper).
  double summary = 0;
  std::int64_t summary_frequencies = 4;
  // The network adds to the linear regression of the velocity on x_t for a target of unit variance.
  bool precondition = true;
  // float32; bf16: activations and convolutions in bfloat16, weights, normalisation statistics and loss in float32.
  std::string precision = "float32";

  // A conditional affine layer θ -> (θ - μ(c)) e^{-s(c)} before the flow (docs/method.md, "UMNN head"); with box
  // support the distribution function of a logistic of that place and width, cut off at the ends.
  bool affine = true;
  // Replication only: the reference's mask that hides the context from most hidden units of a conditioner (B1).
  bool legacy_mask = false;
};

}  // namespace pairs
