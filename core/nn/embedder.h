#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields/fields.h"
#include "core/base/fields/kinds.h"
#include "core/nn/description.h"
#include "core/nn/embedder_config.h"
#include "core/sets/observations.h"

namespace pairs {

// t_ω: maps M observations to embeddings [M, l], float32, each observation independently.
class Embedder : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(const Observations& x) = 0;
  virtual std::int64_t size() const = 0;
  // Multiply-adds times two of one forward pass for one observation (a typical one if observations are ragged), counted
  // from the actual layers.
  virtual double flops() const = 0;
  // Numbers that a forward pass of one observation keeps for its gradients, counted from the actual layers.
  virtual double activations() const = 0;
  virtual NetworkDescription describe() const = 0;

  // In training mode, random numbers (dropout) are a pure function of `key` and a row's position: row i of an input is
  // row `first` + i of its batch, so that a batch embedded in parts uses the same numbers as a whole one.
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

// The shape of an embedder's input.
struct ObservationShape {
  std::vector<std::int64_t> sizes;  // of one observation, or of one row if they are ragged
  double rows = 0;                  // rows of a typical ragged observation; 0: all have one shape
};

// One kind of embedder: its name in settings, the settings it reads, and how it is built.
struct EmbedderKind {
  const char* name;
  KindSettings<EmbedderConfig> settings;
  std::shared_ptr<Embedder> (*make)(const EmbedderConfig& config, const ObservationShape& x, at::Generator generator);
};
const std::vector<EmbedderKind>& embedder_kinds();

// The settings of all kinds as fields "embedder.…", bound to `config`, each once.
std::vector<Field> fields(EmbedderConfig& config);
// Why the setting "embedder.…" has no effect for such an embedder, a clause; "" if it has one.
std::string unread_because(const EmbedderConfig& config, const std::string& key);

// Builds the embedder with weights from `generator` (CPU). Throws Error if the configuration does not fit the
// observations.
std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator);
// Builds the embedder for observations of one shape.
std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, std::span<const std::int64_t> observation_shape,
                                        at::Generator generator);

}  // namespace pairs
