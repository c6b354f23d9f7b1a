#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "core/base/gpu/devices.h"

namespace pairs {

// Whether PAIRS_REQUIRE_CUDA makes a missing GPU a failure instead of a skip.
inline bool cuda_required() {
  const char* const value = std::getenv("PAIRS_REQUIRE_CUDA");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

// Largest difference of two tensors on any devices, over the larger of 1 and the reference's largest value; infinite
// when they differ in shape or one holds NaN where the other does not.
inline double apart(const torch::Tensor& value, const torch::Tensor& reference) {
  const torch::Tensor a = value.detach().to(torch::kCPU, torch::kDouble),
                      b = reference.detach().to(torch::kCPU, torch::kDouble);
  if (a.sizes() != b.sizes() || !torch::equal(a.isnan(), b.isnan())) return std::numeric_limits<double>::infinity();
  if (a.numel() == 0) return 0;
  const torch::Tensor same = a.eq(b).logical_or(a.isnan());
  const double largest = b.abs().masked_fill(b.isfinite().logical_not(), 0).max().item<double>();
  return (a - b).abs().masked_fill(same, 0).max().item<double>() / std::max(1.0, largest);
}

// Root mean square of the difference over that of the reference: for gradients and weights, which differ in size.
inline double relative_rms(const torch::Tensor& value, const torch::Tensor& reference) {
  const torch::Tensor a = value.detach().to(torch::kCPU, torch::kDouble),
                      b = reference.detach().to(torch::kCPU, torch::kDouble);
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  const double size = b.norm().item<double>(), difference = (a - b).norm().item<double>();
  return difference == 0 ? 0 : difference / size;
}

}  // namespace pairs

// Leaves a test that needs a GPU where there is none: skipped with the reason, failed where PAIRS_REQUIRE_CUDA is set.
#define PAIRS_NEEDS_CUDA()                                                                       \
  if (const std::string pairs_reason = ::pairs::why_no_gpu(); !pairs_reason.empty()) {           \
    ASSERT_FALSE(::pairs::cuda_required()) << "PAIRS_REQUIRE_CUDA is set, but " << pairs_reason; \
    GTEST_SKIP() << "no GPU: " << pairs_reason;                                                  \
  }

// PAIRS_DEVICE_TEST(Suite, Name) { ... `device` ... }: the tests Suite.Name on the CPU and Suite.Name_CUDA on the first
// usable GPU, with one body that compares what `device` computes with a reference on the CPU.
#define PAIRS_DEVICE_TEST(suite, name)                          \
  static void suite##_##name##_on(const torch::Device& device); \
  TEST(suite, name) {                                           \
    suite##_##name##_on(torch::kCPU);                           \
  }                                                             \
  TEST(suite, name##_CUDA) {                                    \
    PAIRS_NEEDS_CUDA();                                         \
    suite##_##name##_on(::pairs::choose_device("cuda"));        \
  }                                                             \
  static void suite##_##name##_on([[maybe_unused]] const torch::Device& device)
