#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/kinds.h"
#include "core/nn/description.h"
#include "core/nn/embedder_config.h"
#include "core/sets/observations.h"

namespace pairs {

// t_ω: maps M observations to embeddings [M, l], float32, each observation on its own.
class Embedder : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(const Observations& x) = 0;
  virtual std::int64_t size() const = 0;
  // Multiply-adds times two of one forward pass for one observation, counted from the actual layers; for a typical one
  // where observations are ragged.
  virtual double flops() const = 0;
  // Numbers that a forward pass of one observation leaves behind for its gradients, counted from the actual layers.
  virtual double activations() const = 0;
  virtual NetworkDescription describe() const = 0;

  // In training mode what is drawn (dropout) is a pure function of `key` and of a row's place: row i of an input is
  // row `first` + i of its batch, so that a batch embedded in parts draws as the whole one does.
  void set_noise(std::uint64_t key, std::int64_t first) {
    noise_key_ = key;
    noise_first_ = first;
  }

 protected:
  std::uint64_t noise_key() const { return noise_key_; }
  std::int64_t noise_first() const { return noise_first_; }

 private:
  std::uint64_t noise_key_ = 0;
  std::int64_t noise_first_ = 0;
};

// What the observations are that an embedder is to take.
struct ObservationShape {
  std::vector<std::int64_t> sizes;  // of one observation, or of one row where they are ragged
  double rows = 0;                  // of a typical ragged observation; 0: all have one shape
};

// One kind of embedder: its name in settings, the settings it reads, and how it is built.
struct EmbedderKind {
  const char* name;
  KindSettings<EmbedderConfig> settings;
  std::shared_ptr<Embedder> (*make)(const EmbedderConfig& config, const ObservationShape& x, at::Generator generator);
};
const std::vector<EmbedderKind>& embedder_kinds();

// The settings of all kinds as fields "embedder.…", bound to `config`; each stands once.
std::vector<Field> fields(EmbedderConfig& config);
// Why nothing reads the setting "embedder.…" of such an embedder, a clause; "" where something does.
std::string unread_because(const EmbedderConfig& config, const std::string& key);

// Builds the embedder with weights drawn from `generator` (CPU). Throws Error when the configuration does not fit the
// observations.
std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator);
// For observations of one shape.
std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, std::span<const std::int64_t> observation_shape,
                                        at::Generator generator);

}  // namespace pairs
