#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields/fields.h"
#include "core/base/fields/kinds.h"
#include "core/base/numbers/random.h"
#include "core/heads/flow_sampler.h"
#include "core/heads/head_config.h"
#include "core/nn/description.h"

namespace pairs {

// Rows that a head evaluates at once without gradients; bounds memory.
inline constexpr std::int64_t kRowsAtOnce = 16384;

// One target in the head's own coordinates: its support, and its prior's mean and standard deviation.
struct HeadTarget {
  double low, high;  // finite for box support, else ±infinity
  double location = 0, scale = 1;
  bool periodic = false;  // 0 and 1 are the same value (turned_head.h)
};

// A target that is an image: θ [B, channels * height * width] is flattened. The last `given` columns of the context are
// the set's conditions (the target camera); `map` turns them into a map of the image's pixels, [B, given] -> [B,
// map_channels, height, width] float32 on the same device (empty: there is none, and map_channels is 0).
struct HeadImage {
  std::int64_t channels = 3, height = 0, width = 0;
  std::int64_t given = 0;
  std::int64_t map_channels = 0;
  std::function<torch::Tensor(const torch::Tensor& given)> map = {};
};

// A scalar loss and, for some heads, an additional term for training.
struct Loss {
  torch::Tensor value;      // the reported loss, also used for validation
  torch::Tensor auxiliary;  // undefined outside training, and if there is none
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

// A head that samples stepwise from noise.
class SteppedSampler {
 public:
  virtual ~SteppedSampler() = default;
  // Sets the steps and the solver of sample(), replacing the settings; 0 and "" keep them.
  virtual void set_sampler(std::int64_t steps, const std::string& solver) = 0;
  virtual std::int64_t steps() const = 0;
  // "50 steps of euler".
  virtual std::string sampler_text() const = 0;
  // Samples like sample(), in `steps` steps, and calls `on_step` with every state x [B, count, d]; ends if it returns
  // false. No gradients.
  virtual torch::Tensor sample_path(const torch::Tensor& context, std::int64_t count, std::uint64_t key,
                                    std::int64_t steps, const FlowStep& on_step) = 0;
  // E[θ | context] from `draws` noise samples -> [B, d]. No gradients.
  virtual torch::Tensor posterior_mean_estimate(const torch::Tensor& context, std::int64_t draws,
                                                std::uint64_t key) = 0;
};

// q_φ(θ | context). θ [B, d] is standardized (box support: scaled to [0, 1]); context is [B, c]; both on one device.
// In training mode `loss` uses the training quadrature; in evaluation mode everything uses the test quadrature.
class Head : public torch::nn::Module {
 public:
  // Scalar to minimize: mean negative log density, or a mean squared error for the Gaussian regression and for flow
  // matching. Random numbers of a loss are a pure function of set_noise's key in training mode, and fixed in evaluation
  // mode.
  virtual torch::Tensor loss(const torch::Tensor& theta, const torch::Tensor& context) = 0;
  // Weighted scalar that is added to the loss to speed up training; undefined if there is none.
  virtual torch::Tensor auxiliary_loss(const torch::Tensor& /*theta*/, const torch::Tensor& /*context*/) { return {}; }
  void set_noise(std::uint64_t key) { noise_key_ = key; }
  // log q(θ | context) -> [B], in the head's coordinates. Differentiable.
  virtual torch::Tensor log_prob(const torch::Tensor& theta, const torch::Tensor& context) = 0;
  // `count` samples for each context -> [B, count, d]; noise from uniforms keyed by `key`, the same on every device.
  virtual torch::Tensor sample(const torch::Tensor& context, std::int64_t count, std::uint64_t key) = 0;
  // log q at many θ of one context each: θ [B, S, d], context [B, c] -> [B, S]. If d = 1, the conditioner runs once per
  // context. No gradients.
  virtual torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& context) = 0;
  // Whether log_prob and log_prob_grid are available; otherwise they throw Error.
  virtual bool has_density() const { return true; }
  virtual NetworkDescription describe() const = 0;
  // FLOPs of one forward log_prob for one item, counted from the actual layers (training quadrature).
  virtual double flops() const = 0;
  // Folds an affine map of the first `scale.size(0)` context columns into the first layers: afterwards, feeding scale *
  // c + shift gives the previous result for c. Used when a pretrained head continues with standardized aggregates.
  virtual void absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift) = 0;
  // Log of the probability of low <= θ <= high under q(θ | context) (both [B, d] float64, in the head's coordinates,
  // either may be infinite) -> [B] float64 on the CPU; -infinity if it is zero. Computed from the distribution function
  // if the head has one, else from the share of samples, which depend only on the context: of 2,048, or of up to 65,536
  // if few lie there. No gradients.
  virtual torch::Tensor log_mass(const torch::Tensor& context, const torch::Tensor& low, const torch::Tensor& high);

 protected:
  std::uint64_t noise_key() const { return noise_key_; }

 private:
  std::uint64_t noise_key_ = 0;
};

// One kind of head: its name in settings, its properties, and how it is built. For a head with `sees_log_n` the
// estimator appends log N (natural logarithm) as the last column of the context.
struct HeadKind {
  const char* name;
  bool images;            // models a target that is an image, not parameters
  bool sees_log_n;        // see above
  bool loss_is_nll;       // its loss is a negative log density
  const char* loss_text;  // describes its loss, with its unit
  KindSettings<HeadConfig> settings;
  // Whether the head's density lies entirely within the ranges of the targets with these settings.
  bool (*confines)(const HeadConfig& config);
  void (*check)(const HeadConfig& config);  // throws a usage error for settings that contradict each other
  std::shared_ptr<Head> (*make)(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                at::Generator generator, const HeadImage* image);
};
const std::vector<HeadKind>& head_kinds();
// Throws a usage error for an unknown name.
const HeadKind& head_kind(const std::string& name);

// The settings of all kinds as fields "head.…", bound to `config`, each once.
std::vector<Field> fields(HeadConfig& config);
// Why the setting "head.…" has no effect for such a head, a clause; "" if it has one.
std::string unread_because(const HeadConfig& config, const std::string& key);
// HeadKind::confines for the configuration's kind.
bool confines(const HeadConfig& config);
// Throws a usage error if settings of the configuration's kind contradict each other.
void validate(const HeadConfig& config);

// Builds the head with weights from `generator` (CPU) for d = targets.size() targets and a context of `context`
// columns. `image`: the target is one image; required by kinds that model images. Throws Error for settings that do not
// fit.
std::shared_ptr<Head> make_head(const HeadConfig& config, std::span<const HeadTarget> targets, std::int64_t context,
                                at::Generator generator, const HeadImage* image = nullptr);

}  // namespace pairs
