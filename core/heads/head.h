#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/kinds.h"
#include "core/base/random.h"
#include "core/heads/flow_sampler.h"
#include "core/heads/head_config.h"
#include "core/nn/description.h"

namespace pairs {

// Rows that a head evaluates at once where it keeps no gradients: bounds memory.
inline constexpr std::int64_t kRowsAtOnce = 16384;

// One target in the head's own coordinates, in which it sees θ: its support, and its prior's mean and standard
// deviation.
struct HeadTarget {
  double low, high;  // finite for box support, else ±infinity
  double location = 0, scale = 1;
};

// A target that is an image: θ [B, channels * height * width] is one flattened. The last `given` columns of the context
// are what is known of each set beside its observations (the target camera); `map` turns them into a map of the image's
// pixels, given [B, given] -> [B, map_channels, height, width] float32 on the same device (empty: there is none, and
// map_channels is 0).
struct HeadImage {
  std::int64_t channels = 3, height = 0, width = 0;
  std::int64_t given = 0;
  std::int64_t map_channels = 0;
  std::function<torch::Tensor(const torch::Tensor& given)> map = {};
};

// A scalar loss and, where a head has one, what training adds to it.
struct Loss {
  torch::Tensor value;      // what is reported, and what held-out sets are judged by
  torch::Tensor auxiliary;  // undefined outside training, and where there is none
  torch::Tensor total() const { return auxiliary.defined() ? value + auxiliary : value; }
};

// A head that also fits one residual standard deviation for each set size, after training.
class ResidualSpread {
 public:
  virtual ~ResidualSpread() = default;
  // Sets σ [K, d] fitted at sizes n [K] (ascending); between sizes log σ is interpolated linearly in log N.
  virtual void set_sigma(const torch::Tensor& n, const torch::Tensor& sigma) = 0;
  // Point prediction [B, d].
  virtual torch::Tensor predict(const torch::Tensor& context) = 0;
};

// A head whose samples come step by step out of noise.
class SteppedSampler {
 public:
  virtual ~SteppedSampler() = default;
  // Steps and solver of sample() from here on, in place of the settings'; 0 and "" keep them.
  virtual void set_sampler(std::int64_t steps, const std::string& solver) = 0;
  virtual std::int64_t steps() const = 0;
  // "50 steps of euler".
  virtual std::string sampler_text() const = 0;
  // As sample(), in `steps` steps and telling of every state x [B, count, d]; false from `on_step` ends there. No
  // gradients.
  virtual torch::Tensor sample_path(const torch::Tensor& context, std::int64_t count, std::uint64_t key,
                                    std::int64_t steps, const FlowStep& on_step) = 0;
  // E[θ | context] from `draws` noises -> [B, d]. No gradients.
  virtual torch::Tensor posterior_mean_estimate(const torch::Tensor& context, std::int64_t draws,
                                                std::uint64_t key) = 0;
};

// q_φ(θ | context). θ [B, d] is standardised (box support: scaled to [0, 1]);
// context is [B, c]; both on one device.
// In training mode `loss` uses the training quadrature; in eval mode everything uses the test quadrature.
class Head : public torch::nn::Module {
 public:
  // Scalar to minimise: mean negative log density, or a mean squared error for the Gaussian regression and for flow
  // matching. What a loss draws in training mode is a pure function of set_noise's key; in eval mode it is fixed.
  virtual torch::Tensor loss(const torch::Tensor& theta, const torch::Tensor& context) = 0;
  // Scalar that training adds to the loss because it shortens learning, with its weight; undefined where there is none.
  virtual torch::Tensor auxiliary_loss(const torch::Tensor& /*theta*/, const torch::Tensor& /*context*/) { return {}; }
  void set_noise(std::uint64_t key) { noise_key_ = key; }
  // log q(θ | context) -> [B], in the head's coordinates. Differentiable.
  virtual torch::Tensor log_prob(const torch::Tensor& theta, const torch::Tensor& context) = 0;
  // `count` draws for each context -> [B, count, d]; noise from `stream`-keyed uniforms, same on every device.
  virtual torch::Tensor sample(const torch::Tensor& context, std::int64_t count, std::uint64_t key) = 0;
  // log q at many θ of one context each: θ [B, S, d], context [B, c] -> [B, S]. The conditioner runs once a context
  // where d = 1. No gradients.
  virtual torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& context) = 0;
  // Whether log_prob and log_prob_grid can be asked for; where not they throw Error.
  virtual bool has_density() const { return true; }
  virtual NetworkDescription describe() const = 0;
  // FLOPs of one forward log_prob for one item, counted from the actual layers (training quadrature).
  virtual double flops() const = 0;
  // Folds an affine map of the first `scale.size(0)` context columns into the first layers: afterwards feeding
  // scale * c + shift gives what feeding c gave before. Used when a pretrained head goes on with standardised
  // aggregates.
  virtual void absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift) = 0;
  // log of the probability that q(θ | context) gives to low <= θ <= high (both [B, d] float64, in the head's
  // coordinates, either may be infinite) -> [B] float64 on the CPU; -infinity where it gives none. From the
  // distribution function where a head has one, else the share of samples that depend on the context alone: of 2,048,
  // or of 65,536 where few lie there. No gradients.
  virtual torch::Tensor log_mass(const torch::Tensor& context, const torch::Tensor& low, const torch::Tensor& high);

 protected:
  std::uint64_t noise_key() const { return noise_key_; }

 private:
  std::uint64_t noise_key_ = 0;
};

// One kind of head: its name in settings, what follows from it, and how it is built. The last column of the context of
// a head that is `told_log_n` is log N (natural logarithm), which the estimator appends for it.
struct HeadKind {
  const char* name;
  bool images;            // models a target that is an image, not some numbers
  bool told_log_n;        // see above
  bool loss_is_nll;       // its loss is a negative log density
  const char* loss_text;  // what its loss is, with its unit
  KindSettings<HeadConfig> settings;
  // Whether its settings keep all of its density within the ranges of the targets, on which it is then defined.
  bool (*confines)(const HeadConfig& config);
  void (*check)(const HeadConfig& config);  // throws a usage error for settings that contradict each other
  std::shared_ptr<Head> (*make)(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                at::Generator generator, const HeadImage* image);
};
const std::vector<HeadKind>& head_kinds();
// Throws a usage error where there is none of this name.
const HeadKind& head_kind(const std::string& name);

// The settings of all kinds as fields "head.…", bound to `config`; each stands once.
std::vector<Field> fields(HeadConfig& config);
// Why nothing reads the setting "head.…" of such a head, a clause; "" where something does.
std::string unread_because(const HeadConfig& config, const std::string& key);
// HeadKind::confines of the configuration's kind.
bool confines(const HeadConfig& config);
// Throws a usage error when settings of the configuration's kind contradict each other.
void validate(const HeadConfig& config);

// Builds the head with weights drawn from `generator` (CPU) for d = targets.size() targets and a context of `context`
// columns. `image`: the target is one image, which kinds that model images need. Throws Error on settings that do not
// fit.
std::shared_ptr<Head> make_head(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                at::Generator generator, const HeadImage* image = nullptr);

}  // namespace pairs
