#pragma once

#include "core/heads/affine_layer.h"
#include "core/heads/head.h"
#include "core/nn/mlp.h"

namespace pairs {

// Stacked piecewise-quadratic coupling transforms (Müller et al. 2018), conditioned on the context through an MLP. With
// one target the unchanged part of a coupling is empty: each transform is a conditional spline CDF.
// Coordinates lie in [0, 1]. Box support: θ itself, or its image under the distribution function of a truncated
// logistic whose location and width depend on the context (`affine`), with a uniform base: the density at the bounds of
// the range is finite and learned. Real support: (θ + bound) / (2 bound), with the identity outside, a normal base and,
// with `affine`, a conditional affine layer in front.
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
    double bound = 6.0;  // real: splines act on [-bound, bound] of the standardized target
    // A conditional affine layer θ -> (θ - μ(c)) e^{-s(c)} before the flow (docs/explanation/networks.md, "UMNN head");
    // with box support, the distribution function of a logistic with that location and width, truncated at the bounds.
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
  // Quantities computed from a context, one row each.
  struct Conditions {
    torch::Tensor features;             // [R, h]
    torch::Tensor shift, log_scale;     // [R, d], undefined without the affine layer
    std::vector<torch::Tensor> params;  // with one target: parameters of each transform [R, P]
  };
  Conditions condition(const torch::Tensor& context);
  // Rows of the conditions, repeated: row r of the result is row r / repeat.
  Conditions repeat(const Conditions& conditions, std::int64_t begin, std::int64_t end, std::int64_t repeat) const;

  // The base values u [M, d] of θ [M, d], normal or, in a box, uniform, and log |du/dθ| [M]; conditions have M rows or,
  // for one target, any divisor of M.
  std::tuple<torch::Tensor, torch::Tensor> base(const torch::Tensor& theta, const Conditions& conditions);
  // log q(θ) for θ [M, d], with conditions as above.
  torch::Tensor density(const torch::Tensor& theta, const Conditions& conditions);
  // Maps base noise [M, d] to θ [M, d].
  torch::Tensor invert(const torch::Tensor& noise, const Conditions& conditions);
  torch::Tensor transform_params(std::size_t transform, const std::vector<torch::Tensor>& y,
                                 const torch::Tensor& features);

  Settings own_;
  std::int64_t d_, context_;
  bool box_;
  std::shared_ptr<Mlp> context_net_;  // null: the context itself is used
  std::shared_ptr<Mlp> affine_net_;   // features of the affine layer if there is no context net
  std::shared_ptr<AffineLayer> affine_;
  std::vector<std::shared_ptr<Mlp>> nets_;
  std::vector<std::vector<std::int64_t>> kept_, changed_;  // coordinates of each transform
};

// The coordinates that each of `transforms` couplings changes: alternating for two targets, else halves of permutations
// that depend only on (d, transform), such that every coordinate is changed. Throws Error if one would stay unchanged.
std::vector<std::vector<std::int64_t>> coupling_masks(std::int64_t d, std::int64_t transforms);

}  // namespace pairs
