#include "core/nn/mlp.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/nn/initial.h"
#include "core/ops/ops.h"

namespace pairs {
namespace {

constexpr double kSmall = 1e-3;

void check_activation(const std::string& name) {
  if (name != "relu" && name != "silu") fail_usage("there is no activation '{}' for a network: use relu or silu", name);
}

}  // namespace

Mlp::Mlp(std::int64_t in, const std::vector<std::int64_t>& hidden, std::int64_t out, const std::string& activation,
         at::Generator generator, bool small_last)
    : activation_(activation) {
  check_activation(activation);
  std::int64_t width = in;
  for (const std::int64_t next : hidden) {
    add_layer(width, next, uniform_bound(width), generator);
    width = next;
  }
  add_layer(width, out, small_last ? kSmall : uniform_bound(width), generator);
}

Mlp::Mlp(Residual, std::int64_t in, std::int64_t hidden, std::int64_t blocks, std::int64_t out,
         const std::string& activation, at::Generator generator)
    : activation_(activation), blocks_(blocks) {
  check_activation(activation);
  PAIRS_CHECK(blocks >= 0, "a residual network has 0 blocks or more, not {}", blocks);
  add_layer(in, hidden, uniform_bound(in), generator);
  for (std::int64_t b = 0; b < blocks; ++b) {
    add_layer(hidden, hidden, uniform_bound(hidden), generator);
    add_layer(hidden, hidden, kSmall, generator);
  }
  add_layer(hidden, out, uniform_bound(hidden), generator);
}

void Mlp::add_layer(std::int64_t in, std::int64_t out, double bound, at::Generator& generator) {
  PAIRS_CHECK(in >= 1 && out >= 1, "a layer needs at least one input and one output, not {} and {}", in, out);
  const std::size_t i = weights_.size();
  weights_.push_back(register_parameter(fmt::format("weight{}", i), uniform_tensor({out, in}, bound, generator)));
  biases_.push_back(register_parameter(fmt::format("bias{}", i), uniform_tensor({out}, bound, generator)));
}

torch::Tensor Mlp::forward(const torch::Tensor& x) const {
  return ops::mlp(x, weights_, biases_, activation_, blocks_);
}

double Mlp::flops() const {
  double total = 0;
  for (const torch::Tensor& w : weights_) total += 2.0 * static_cast<double>(w.numel());
  return total;
}

double Mlp::activations() const {
  // Each layer before and after its activation.
  double total = static_cast<double>(inputs());
  for (const torch::Tensor& w : weights_) total += 2.0 * static_cast<double>(w.size(0));
  return total;
}

std::vector<std::int64_t> Mlp::widths() const {
  std::vector<std::int64_t> widths = {inputs()};
  if (blocks_ >= 0) widths.push_back(weights_.front().size(0));
  for (std::size_t i = blocks_ >= 0 ? weights_.size() - 1 : 0; i < weights_.size(); ++i)
    widths.push_back(weights_[i].size(0));
  return widths;
}

std::string Mlp::describe() const {
  std::string text = std::to_string(inputs());
  if (blocks_ >= 0) {
    text += fmt::format(" -> {} ({} residual blocks) -> {}", weights_.front().size(0), blocks_, outputs());
  } else {
    for (const torch::Tensor& w : weights_) text += fmt::format(" -> {}", w.size(0));
  }
  return text + ", " + activation_;
}

std::shared_ptr<Mlp> make_residual(std::int64_t in, std::int64_t hidden, std::int64_t blocks, std::int64_t out,
                                   at::Generator generator, const std::string& activation) {
  return std::shared_ptr<Mlp>(new Mlp(Mlp::Residual{}, in, hidden, blocks, out, activation, std::move(generator)));
}

}  // namespace pairs
