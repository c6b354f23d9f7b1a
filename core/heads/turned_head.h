#pragma once

#include <memory>
#include <vector>

#include "core/heads/head.h"
#include "core/nn/mlp.h"

namespace pairs {

// A density of targets of which some are periodic: a head in coordinates in which the circle is cut open opposite of a
// direction that depends on the context, so that a posterior never lies on both sides of a cut. The direction is that
// of a vector that learns the mean of the target's unit vector, E[(cos, sin) | context], by its squared error in
// addition to the density. The inner head sees the share f of the circle from the cut on: f itself where its support is
// a box, else its logit in units of a uniform variable's standard deviation.
class TurnedHead : public Head {
 public:
  // `targets` are those of the inner head, which has a context of `context` columns.
  TurnedHead(std::shared_ptr<Head> inner, std::span<const HeadTarget> targets, std::int64_t context,
             at::Generator generator);

  torch::Tensor loss(const torch::Tensor& theta, const torch::Tensor& context) override;
  torch::Tensor auxiliary_loss(const torch::Tensor& theta, const torch::Tensor& context) override;
  torch::Tensor log_prob(const torch::Tensor& theta, const torch::Tensor& context) override;
  torch::Tensor sample(const torch::Tensor& context, std::int64_t count, std::uint64_t key) override;
  torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& context) override;
  bool has_density() const override { return inner_->has_density(); }
  NetworkDescription describe() const override;
  double flops() const override;
  void absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift) override;
  torch::Tensor log_mass(const torch::Tensor& context, const torch::Tensor& low, const torch::Tensor& high) override;

 private:
  // The vectors [R, 2 K] of the K periodic targets, cosines first; and their directions in turns [R, K], whose gradient
  // stays finite for a vector of length zero.
  torch::Tensor vectors(const torch::Tensor& context) const;
  torch::Tensor directions(const torch::Tensor& vectors) const;
  // The inner head's coordinates of θ [M, d] with directions [M, K], and log |d inner / dθ| [M], undefined if it is 0.
  std::pair<torch::Tensor, torch::Tensor> inner_coordinates(const torch::Tensor& theta,
                                                            const torch::Tensor& directions) const;
  torch::Tensor turns(const torch::Tensor& theta) const;  // the periodic targets of θ [.., d] -> [.., K]

  std::shared_ptr<Head> inner_;
  std::vector<std::int64_t> which_;  // the periodic targets
  bool box_ = false;                 // the inner head's support
  std::shared_ptr<Mlp> features_;
  torch::Tensor context_weight_, feature_weight_, bias_;
};

}  // namespace pairs
