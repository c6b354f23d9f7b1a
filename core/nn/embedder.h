#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <memory>
#include <span>

#include "core/nn/embedder_config.h"

namespace pairs {

// t_ω: maps observations [M, ...observation shape] to embeddings [M, l], float32, each row on its own.
class Embedder : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
  virtual std::int64_t size() const = 0;
  // Multiply-adds times two of one forward pass for one observation, counted from the actual layers.
  virtual double flops() const = 0;
  // Numbers that a forward pass of one observation leaves behind for its gradients, counted from the actual layers.
  virtual double activations() const = 0;

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

// Builds the embedder with weights drawn from `generator` (CPU). `observation_shape` is that of one x.
// Throws Error when the configuration does not fit the shape.
std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, std::span<const std::int64_t> observation_shape,
                                        at::Generator generator);

}  // namespace pairs
