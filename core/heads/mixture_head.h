#pragma once

#include "core/heads/head.h"
#include "core/nn/mlp.h"

namespace pairs {

// A mixture density network (Bishop 1994) over one target after another: q(θ_j | θ_1 .. θ_{j-1}, context) is a mixture
// of logistic densities. Components are spread evenly over the prior; the context sets their weights and widths and
// shifts each in units of their spacing. The weights locate θ coarsely, and the nearest component locates it finely:
// posteriors that are narrow compared with the prior and have several modes are learned in few steps. Box support: each
// component is truncated at the bounds of the range (truncated_logistic.h). Real support: components are not truncated.
class MixtureHead : public Head {
 public:
  struct Settings {
    std::int64_t components = 32;     // for each target
    std::int64_t hidden = 128;        // width of the context net and of the targets' nets
    std::int64_t context_blocks = 2;  // residual blocks of the context net
    std::int64_t target_blocks = 1;   // residual blocks of each target's net
    std::string support = "real";     // "box": θ in [low, high] of the target; "real": unbounded

    std::vector<Field> fields();
    bool box() const { return support == "box"; }
  };

  MixtureHead(const Settings& own, std::span<const HeadTarget> targets, std::int64_t context, at::Generator generator);
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
    torch::Tensor features;  // [R, h]
    torch::Tensor direct;    // [R, d, 3 K]: the part of the components that is linear in the context
  };
  // The components of one target, [R, K] each.
  struct Components {
    torch::Tensor log_weight, place, log_scale;
  };
  // The part of the prior that a target's components are spread over, in the coordinates of their places.
  struct Span {
    double low, high;
  };

  Conditions condition(const torch::Tensor& context) const;
  // Repeats each row `times` times.
  static Conditions repeated(const Conditions& conditions, std::int64_t times);
  // The components of target `j`, given the earlier targets `before` [R, j].
  Components components(std::int64_t j, const torch::Tensor& before, const Conditions& conditions) const;
  // log density [R, S] of values x [R, S] of one target.
  torch::Tensor density(const torch::Tensor& x, const Components& components) const;
  // log q [R, S] of θ [R, S, d].
  torch::Tensor joint(const torch::Tensor& theta, const Conditions& conditions) const;
  // θ [R, S, d] from uniform noise [R, S, 2 d]: for each target, one number selects a component and one places θ.
  torch::Tensor draw(const torch::Tensor& noise, const Conditions& conditions) const;
  // Applies `each` to parts of [B, S, ..] with at most kRowsAtOnce rows, and their conditions -> [B, S, ..].
  torch::Tensor in_parts(const torch::Tensor& all, const Conditions& conditions,
                         torch::Tensor (MixtureHead::*each)(const torch::Tensor&, const Conditions&) const) const;

  Settings own_;
  std::int64_t d_;
  std::vector<Span> spans_;
  std::shared_ptr<Mlp> context_net_;
  std::vector<std::shared_ptr<Mlp>> nets_;     // features and the earlier targets -> 3 K
  torch::Tensor direct_weight_, direct_bias_;  // [3 K d, c], [3 K d]
};

}  // namespace pairs
