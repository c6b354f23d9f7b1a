#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <vector>

namespace pairs {

// Fully connected network with biases, initialized like PyTorch's Linear (uniform ± 1 / sqrt(inputs)) from a given
// generator. Runs as one operator (core/ops, mlp).
class Mlp : public torch::nn::Module {
 public:
  // in -> hidden[0] -> ... -> out with `activation` ("relu", "silu") after every layer but the last. With `small_last`,
  // weights and biases of the last layer start within ± 1e-3.
  Mlp(std::int64_t in, const std::vector<std::int64_t>& hidden, std::int64_t out, const std::string& activation,
      at::Generator generator, bool small_last = false);

  // [M, in] -> [M, out].
  torch::Tensor forward(const torch::Tensor& x) const;

  std::int64_t inputs() const { return weights_.front().size(1); }
  std::int64_t outputs() const { return weights_.back().size(0); }
  // Multiply-adds times two for one row.
  double flops() const;
  // Numbers that a forward pass of one row keeps for its gradients.
  double activations() const;
  // {128, 128, 33}; for a residual network without its blocks.
  std::vector<std::int64_t> widths() const;
  // "128 -> 128 -> 33, silu" or "128 -> 128 (2 residual blocks) -> 33, relu".
  std::string describe() const;
  // Parameters of the first layer, [out, in] and [out], which may be changed in place.
  torch::Tensor first_weight() const { return weights_.front(); }
  torch::Tensor first_bias() const { return biases_.front(); }

 private:
  friend std::shared_ptr<Mlp> make_residual(std::int64_t in, std::int64_t hidden, std::int64_t blocks, std::int64_t out,
                                            at::Generator generator, const std::string& activation);
  struct Residual {};
  Mlp(Residual, std::int64_t in, std::int64_t hidden, std::int64_t blocks, std::int64_t out,
      const std::string& activation, at::Generator generator);
  void add_layer(std::int64_t in, std::int64_t out, double bound, at::Generator& generator);

  std::string activation_;
  std::int64_t blocks_ = -1;  // -1: not residual
  std::vector<torch::Tensor> weights_, biases_;
};

// Residual network: h = L0(x), `blocks` times h += L2(act(L1(act(h)))), then a last layer of h. The layers L2 start
// within ± 1e-3, so that every block starts near the identity.
std::shared_ptr<Mlp> make_residual(std::int64_t in, std::int64_t hidden, std::int64_t blocks, std::int64_t out,
                                   at::Generator generator, const std::string& activation = "relu");

}  // namespace pairs
