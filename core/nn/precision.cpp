#include "core/nn/precision.h"

#include <spdlog/spdlog.h>

#include <mutex>
#include <utility>

#include "core/base/text/error.h"

namespace pairs {

bool processor_has_bfloat16() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return has;
#else
  return true;
#endif
}

Field precision_field(std::string* precision) {
  return Field::choice("precision", precision,
                       "Activations and convolutions; bf16 runs in float32 on processors without AVX-512",
                       {"float32", "bf16"});
}

Precision::Precision(std::string name) : name_(std::move(name)) {
  if (name_ != "float32" && name_ != "bf16")
    fail_usage("there is no precision '{}' of a network: use float32 or bf16", name_);
}

torch::ScalarType Precision::on(const torch::Device& device) const {
  if (name_ == "float32") return torch::kFloat;
  if (!device.is_cpu() || processor_has_bfloat16()) return torch::kBFloat16;
  static std::once_flag reported;
  std::call_once(reported, [] {
    spdlog::info("This processor does not compute in bfloat16 (it lacks AVX-512): networks set to bf16 run in float32");
  });
  return torch::kFloat;
}

}  // namespace pairs
