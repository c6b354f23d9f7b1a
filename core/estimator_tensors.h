#pragma once

#include <fmt/format.h>
#include <torch/nn/module.h>

#include <map>
#include <string>

namespace pairs {

// Names of an estimator's tensors begin with "embedder." or with this, by the set size its head serves; 0: all sizes.
inline std::string head_prefix(std::int64_t n) {
  return n > 0 ? fmt::format("head.N{}.", n) : "head.";
}

// Adds a module's parameters, and its buffers where wanted, under `prefix` and their own names. Live tensors.
inline void collect_tensors(const torch::nn::Module& module, const std::string& prefix, bool buffers,
             std::map<std::string, torch::Tensor>& out) {
  for (const auto& item : module.named_parameters()) out[prefix + item.key()] = item.value();
  if (buffers)
    for (const auto& item : module.named_buffers()) out[prefix + item.key()] = item.value();
}

}  // namespace pairs
