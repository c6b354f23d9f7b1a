#pragma once

#include <fmt/format.h>
#include <torch/nn/module.h>

#include <map>
#include <string>
#include <vector>

#include "core/standardized_embedder.h"

namespace pairs {

// The prefix of a head's tensors, by the set size that it serves; 0: all sizes. Names of other tensors begin with
// "embedder.".
inline std::string head_prefix(std::int64_t n) {
  return n > 0 ? fmt::format("head.N{}.", n) : "head.";
}

// Adds a module's parameters, and its buffers if `buffers` is set, under `prefix` and their own names. Live tensors.
inline void collect_tensors(const torch::nn::Module& module, const std::string& prefix, bool buffers,
                            std::map<std::string, torch::Tensor>& out) {
  for (const auto& item : module.named_parameters()) out[prefix + item.key()] = item.value();
  if (buffers)
    for (const auto& item : module.named_buffers()) out[prefix + item.key()] = item.value();
}

// Adds an embedder's tensors under "embedder."; the names are the same with and without a standardization of x.
inline void collect_embedder(const Embedder& embedder, bool buffers, std::map<std::string, torch::Tensor>& out) {
  const auto* standardized = dynamic_cast<const StandardizedEmbedder*>(&embedder);
  collect_tensors(standardized ? *standardized->inner() : embedder, "embedder.", buffers, out);
  if (standardized == nullptr || !buffers) return;
  const auto own = standardized->named_buffers(false);
  for (const char* name : {StandardizedEmbedder::kLocation, StandardizedEmbedder::kScale})
    out[std::string("embedder.") + name] = own[name];
  if (standardized->curved())
    for (const char* name : {StandardizedEmbedder::kMiddle, StandardizedEmbedder::kSpread})
      out[std::string("embedder.") + name] = own[name];
}

inline torch::Tensor column(const std::vector<double>& values) {
  return torch::tensor(values, torch::dtype(torch::kFloat64));
}

}  // namespace pairs
