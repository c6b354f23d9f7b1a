#pragma once

#include "core/heads/affine_layer.h"
#include "core/heads/conditioner.h"
#include "core/heads/head.h"
#include "core/nn/mlp.h"

namespace pairs {

// Unconstrained monotonic flow (Wehenkel and Louppe 2019): stacked autoregressive maps z_i = h_i0 + ∫_0^{x_i} g(t; h_i)
// dt with a normal base, after an optional conditional affine layer; the order of variables is reversed between maps.
class UmnnHead : public Head {
 public:
  struct Settings {
    std::int64_t transforms = 3;   // stacked transformations
    std::string support = "real";  // the only possible value
    bool affine = true;            // a conditional affine layer θ -> (θ - μ(c)) e^{-s(c)} before the flow
    std::vector<std::int64_t> conditioner = {128, 128};
    std::int64_t conditioner_size = 32;  // q, the length of h
    std::vector<std::int64_t> integrand = {64, 64, 64};
    std::int64_t quadrature = 20;       // Clenshaw-Curtis steps in training (even)
    std::int64_t quadrature_test = 50;  // and in evaluation (even)

    std::vector<Field> fields();
  };

  UmnnHead(const Settings& own, std::int64_t d, std::int64_t context, at::Generator generator);
  static void check(const HeadConfig& config);
  static std::shared_ptr<Head> make(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                    at::Generator generator, const HeadImage* image);

  torch::Tensor loss(const torch::Tensor& theta, const torch::Tensor& context) override;
  torch::Tensor log_prob(const torch::Tensor& theta, const torch::Tensor& context) override;
  torch::Tensor sample(const torch::Tensor& context, std::int64_t count, std::uint64_t key) override;
  torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& context) override;
  NetworkDescription describe() const override;
  // By the paper's rule: conditioner + d (n + 2) integrands, where n is the training quadrature. Each integrand is
  // counted in full, although the part of its first layer that depends on h is evaluated once.
  double flops() const override;
  void absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift) override;
  torch::Tensor log_mass(const torch::Tensor& context, const torch::Tensor& low, const torch::Tensor& high) override;

  // Maps θ [R, d] at context [R, c] to base noise (z [R, d], log |dz/dθ| [R]), and back. Public for tests of the
  // inverse.
  std::tuple<torch::Tensor, torch::Tensor> forward_map(const torch::Tensor& theta, const torch::Tensor& context);
  torch::Tensor inverse_map(const torch::Tensor& z, const torch::Tensor& context);

 private:
  struct Transform {
    std::shared_ptr<Conditioner> conditioner;
    std::vector<torch::Tensor> weights, biases;  // of the integrand, shared by all targets
  };
  std::int64_t steps() const;
  std::tuple<torch::Tensor, torch::Tensor> affine_terms(const torch::Tensor& context);
  // x [M, 1] and h [C, 1, q] for one target (M a multiple of C), [M, d] and [M, d, q] else -> z and g of x's shape.
  std::tuple<torch::Tensor, torch::Tensor> apply(const Transform& transform, const torch::Tensor& x,
                                                 const torch::Tensor& h) const;
  // Solves z = map(x; h) for x: z [M], h [C, q].
  torch::Tensor solve(const Transform& transform, const torch::Tensor& z, const torch::Tensor& h) const;
  // Like forward_map and inverse_map; repeat = M / C rows of θ may share a context row.
  std::tuple<torch::Tensor, torch::Tensor> map(const torch::Tensor& theta, const torch::Tensor& context);
  // Maps many rows of θ [S, d] with one context [1, c], integrating over grids wherever values share their conditions:
  // always for the first target, and for the second where values of the first repeat.
  std::tuple<torch::Tensor, torch::Tensor> map_grid(const torch::Tensor& theta, const torch::Tensor& context);
  std::tuple<torch::Tensor, torch::Tensor> apply_grid(const Transform& transform, const torch::Tensor& x,
                                                      const torch::Tensor& h) const;
  torch::Tensor unmap(const torch::Tensor& z, const torch::Tensor& context);

  Settings own_;
  std::int64_t d_, context_;
  std::shared_ptr<Mlp> affine_net_;
  std::shared_ptr<AffineLayer> affine_;
  std::vector<Transform> transforms_;
};

}  // namespace pairs
