#pragma once

#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace pairs::bench {

enum class Library { mkl, onednn };

// a [m, k] times b [n, k] transposed, by MKL (at::mm) or by oneDNN's fused linear operator.
inline at::Tensor multiply(Library library, const at::Tensor& a, const at::Tensor& b) {
  using Fused = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, c10::string_view,
                           c10::List<std::optional<at::Scalar>>, std::optional<c10::string_view>);
  if (library == Library::mkl) return at::mm(a, b.t());
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("mkldnn::_linear_pointwise", "").typed<Fused>();
  return op.call(a, b, std::nullopt, "none", c10::List<std::optional<at::Scalar>>(), std::nullopt);
}

// The best float32 matrix-product rate of this process in FLOP/s: the larger of both libraries, 2048 x 2048 x 2048 and
// 2048 x 128 x 128, the fastest of repeated calls.
inline double best_gemm_rate() {
  static const double best = [] {
    at::NoGradGuard no_grad;
    double rate = 0;
    for (const std::int64_t n : {2048, 128})
      for (const Library library : {Library::mkl, Library::onednn}) {
        const at::Tensor a = at::full({2048, n}, 0.5f), b = at::full({n, n}, 0.25f);
        for (int i = 0; i < (n == 2048 ? 10 : 300); ++i) {
          const auto start = std::chrono::steady_clock::now();
          multiply(library, a, b);
          const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
          rate = std::max(rate, 2.0 * 2048.0 * static_cast<double>(n * n) / taken.count());
        }
      }
    return rate;
  }();
  return best;
}

}  // namespace pairs::bench
