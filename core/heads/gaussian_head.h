#pragma once

#include "core/heads/head.h"
#include "core/nn/mlp.h"

namespace pairs {

// A point prediction trained by its mean squared error, with one residual standard deviation per target and set size
// fitted afterwards (Gaussian baseline of the paper). The last column of the context is log N: it selects σ and is
// hidden from the network.
class GaussianHead : public Head, public ResidualSpread {
 public:
  struct Settings {
    std::int64_t hidden = 128, context_layers = 3;  // width and number of the hidden layers

    std::vector<Field> fields();
  };

  GaussianHead(const Settings& own, std::int64_t d, std::int64_t context, at::Generator generator);
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
  void set_sigma(const torch::Tensor& n, const torch::Tensor& sigma) override;
  torch::Tensor predict(const torch::Tensor& context) override;

 private:
  torch::Tensor log_sigma(const torch::Tensor& context) const;  // [B, d]

  std::int64_t d_, inputs_;
  std::shared_ptr<Mlp> net_;
  // A table of fixed length, so that every estimator file has the same shapes; unused rows repeat the last size.
  torch::Tensor fitted_, sigma_log_n_, log_sigma_;
};

}  // namespace pairs
