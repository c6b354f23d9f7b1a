#pragma once

#include "core/heads/affine_layer.h"
#include "core/heads/head.h"
#include "core/nn/mlp.h"

namespace pairs {

// Stacked piecewise-quadratic coupling transforms (Müller et al. 2018), conditioned on the context through an MLP.
// With one target the untouched part of a coupling is empty: each transform is a conditional spline CDF.
// Coordinates run on [0, 1]. Box support: as they are, or through the distribution function of a truncated logistic
// whose place and width the context chooses (`affine`), with a uniform base: the density at the ends of the range is
// finite and learnt. Real support: through (θ + bound) / (2 bound), identity outside, with a normal base and, where
// `affine` is set, a conditional affine layer in front.
class SplineHead : public Head {
 public:
  struct Settings {
    std::int64_t transforms = 3;  // stacked transformations
    std::int64_t bins = 16;
    std::int64_t hidden = 128;        // width of the context MLP and of the transform nets
    std::int64_t context_layers = 3;  // layers of the context MLP; 0 feeds the context itself
    std::int64_t blocks = 2;          // residual blocks of each transform net
    // "box": θ in [low, high] of the target, uniform base. "real": tails, normal base.
    std::string support = "real";
    double bound = 6.0;  // real: splines act on [-bound, bound] of the standardised target
    // A conditional affine layer θ -> (θ - μ(c)) e^{-s(c)} before the flow (docs/method.md, "UMNN head"); with box
    // support the distribution function of a logistic of that place and width, cut off at the ends.
    bool affine = true;

    std::vector<Field> fields();
    std::string unread_because(const std::string& key) const;
    bool box() const { return support == "box"; }
  };

  SplineHead(const Settings& own, std::int64_t d, std::int64_t context, at::Generator generator);
  static std::shared_ptr<Head> make(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                    at::Generator generator, const HeadImage* image);

  torch::Tensor loss(const torch::Tensor& theta, const torch::Tensor& context) override;
  torch::Tensor log_prob(const torch::Tensor& theta, const torch::Tensor& context) override;
  torch::Tensor sample(const torch::Tensor& context, std::int64_t count, std::uint64_t key) override;
  torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& context) override;
  NetworkDescription describe() const override;
  double flops() const override;
  void absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift) override;
  torch::Tensor log_mass(const torch::Tensor& context, const torch::Tensor& low, const torch::Tensor& high) override;

 private:
  // What a context gives, one row each.
  struct Conditions {
    torch::Tensor features;             // [R, h]
    torch::Tensor shift, log_scale;     // [R, d], undefined without the affine layer
    std::vector<torch::Tensor> params;  // one target: of each transform [R, P]
  };
  Conditions condition(const torch::Tensor& context);
  // Rows of the conditions; row r of the result is row r / repeat.
  Conditions repeat(const Conditions& conditions, std::int64_t begin, std::int64_t end, std::int64_t repeat) const;

  // Base values u [M, d], normal or, in a box, uniform, of θ [M, d] and log |du/dθ| [M]; conditions have M rows, or for
  // one target any divisor of M.
  std::tuple<torch::Tensor, torch::Tensor> base(const torch::Tensor& theta, const Conditions& conditions);
  // log q of θ [M, d], conditions as above.
  torch::Tensor density(const torch::Tensor& theta, const Conditions& conditions);
  // θ [M, d] of base noise [M, d].
  torch::Tensor invert(const torch::Tensor& noise, const Conditions& conditions);
  torch::Tensor transform_params(std::size_t transform, const std::vector<torch::Tensor>& y,
                                 const torch::Tensor& features);

  Settings own_;
  std::int64_t d_, context_;
  bool box_;
  std::shared_ptr<Mlp> context_net_;  // null: the context itself
  std::shared_ptr<Mlp> affine_net_;   // features of the affine layer where there is no context net
  std::shared_ptr<AffineLayer> affine_;
  std::vector<std::shared_ptr<Mlp>> nets_;
  std::vector<std::vector<std::int64_t>> kept_, changed_;  // coordinates of each transform
};

// Which coordinates each of `transforms` couplings changes: alternating for two targets, else halves of permutations
// fixed by (d, transform) alone such that every coordinate is changed. Throws Error when one would stay untouched.
std::vector<std::vector<std::int64_t>> coupling_masks(std::int64_t d, std::int64_t transforms);

}  // namespace pairs
