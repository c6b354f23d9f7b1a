#pragma once

#include <functional>

#include "core/heads/flow_sampler.h"
#include "core/heads/head.h"
#include "core/nn/mlp.h"
#include "core/nn/unet.h"

namespace pairs {

// Conditional flow matching (Lipman et al. 2023, docs/explanation/networks.md, "Flow matching") of an image:
// x_t = (1 - t) x_0 + t θ with x_0 ~ N(0, I), and a U-Net regresses the velocity θ - x_0 on (x_t, t, context). The
// conditions, which are the last columns of the context, go through an MLP of their own and are also fed as a map along
// with the image; with context_layers, an MLP of the whole context follows, so that it can infer the scene before the
// U-Net draws it. The head has no density.
class FlowMatchingHead : public Head, public SteppedSampler {
 public:
  struct Settings {
    UNetConfig unet = {.blocks = 2};  // network for the velocity
    std::int64_t hidden = 128;        // width of the context MLP
    std::int64_t context_layers = 3;  // its layers; 0 feeds the context itself
    std::int64_t given_size = 64;     // length of the encoding of the conditions (the target camera)
    std::int64_t steps = 50;          // steps to integrate a sample
    std::string solver = "euler";     // euler, heun
    // Times t = u^p with u uniform in the loss, and equally spaced steps of u in sampling: a larger p spends more of
    // both near the noise, where only the context informs about θ. 1: the paper's.
    double time_power = 1;
    // Weight in training of an auxiliary loss: one linear layer predicts from the context the lowest
    // `summary_frequencies` squared spatial frequencies of each channel of θ (cosine transform), each in units of its
    // sd over the batch. With it the network learns much sooner where things are than from the velocity alone. 0: none
    // (paper).
    double summary = 0;
    std::int64_t summary_frequencies = 4;
    // The network's output is added to the linear regression of the velocity on x_t for a target of unit variance.
    bool precondition = true;

    std::vector<Field> fields();
    std::string unread_because(const std::string& key) const;
  };

  FlowMatchingHead(const Settings& own, const HeadImage& image, std::int64_t context, at::Generator generator);
  static std::shared_ptr<Head> make(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                    at::Generator generator, const HeadImage* image);

  // Mean squared error of the velocity over pixels and rows, at times t = u^time_power.
  torch::Tensor loss(const torch::Tensor& theta, const torch::Tensor& context) override;
  // The loss for given noise x_0 [B, d] and times t [B].
  torch::Tensor loss_at(const torch::Tensor& theta, const torch::Tensor& context, const torch::Tensor& noise,
                        const torch::Tensor& t);
  torch::Tensor log_prob(const torch::Tensor& theta, const torch::Tensor& context) override;
  torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& context) override;
  bool has_density() const override { return false; }
  torch::Tensor sample(const torch::Tensor& context, std::int64_t count, std::uint64_t key) override;
  NetworkDescription describe() const override;
  // The summary loss times its weight, if summary > 0.
  torch::Tensor auxiliary_loss(const torch::Tensor& theta, const torch::Tensor& context) override;
  // Mean squared error of predicting θ's lowest spatial frequencies from the context, each divided by its variance in
  // the batch: θ [B, d], context [B, c]. Needs summary > 0.
  torch::Tensor summary_loss(const torch::Tensor& theta, const torch::Tensor& context);
  // For one evaluation of the velocity.
  double flops() const override;
  void absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift) override;

  void set_sampler(std::int64_t steps, const std::string& solver) override;
  std::int64_t steps() const override { return own_.steps; }
  std::string sampler_text() const override;
  torch::Tensor sample_path(const torch::Tensor& context, std::int64_t count, std::uint64_t key, std::int64_t steps,
                            const FlowStep& on_step) override;
  // From velocities at t = 0, averaged over noise samples.
  torch::Tensor posterior_mean_estimate(const torch::Tensor& context, std::int64_t draws, std::uint64_t key) override;
  // v(x, t | context): x [B, d], t [B], context [B, c] -> [B, d]. Differentiable.
  torch::Tensor velocity(const torch::Tensor& x, const torch::Tensor& t, const torch::Tensor& context);

 private:
  torch::Tensor given(const torch::Tensor& context) const;   // the conditions
  torch::Tensor encode(const torch::Tensor& context) const;  // the U-Net's context
  torch::Tensor map(const torch::Tensor& context) const;     // undefined if there is none
  torch::Tensor evaluate(const torch::Tensor& x, const torch::Tensor& map, const torch::Tensor& t,
                         const torch::Tensor& encoded) const;
  // Velocity of `draws` rows for each context, in chunks that bound memory.
  Velocity chunked_velocity(const torch::Tensor& context, std::int64_t draws) const;

  Settings own_;
  HeadImage image_;
  std::int64_t d_;
  std::shared_ptr<Mlp> given_, trunk_, summary_;
  torch::Tensor rows_, columns_;  // cosines of each frequency down and across: [K, height], [K, width]
  std::shared_ptr<UNet> unet_;
};

// Noise x_0 [rows, d] and times t [rows] of one training step on the CPU, float32: row b is a pure function of (key,
// b). t = u^time_power, where u follows a golden-ratio sequence from a random start.
struct FlowNoise {
  torch::Tensor noise, t;
};
FlowNoise flow_noise(std::uint64_t key, std::int64_t rows, std::int64_t d, double time_power);

}  // namespace pairs
