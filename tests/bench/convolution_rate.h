#pragma once

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace pairs::bench {

// The best rate of 3x3 convolutions of this process in FLOP/s: the fastest of repeated calls over shapes that suit
// them, channels-last, forward alone or (`train`) forward and backward with all gradients.
inline double best_convolution_rate(at::ScalarType type, bool train) {
  at::NoGradGuard no_grad;
  double rate = 0;
  for (const auto& [channels, side] : {std::pair<std::int64_t, std::int64_t>{64, 8}, {64, 16}, {128, 8}, {48, 32}}) {
    const at::Tensor x = at::randn({64, channels, side, side}).to(type).contiguous(at::MemoryFormat::ChannelsLast),
                     weight = at::randn({channels, channels, 3, 3}).to(type), bias = at::zeros({channels}).to(type);
    const double flop = 2.0 * 64 * 9 * static_cast<double>(channels * channels * side * side);
    const auto seconds = [](const auto& f) {
      double best = 1e9;
      const auto begin = std::chrono::steady_clock::now();
      for (std::chrono::duration<double> spent{0}; spent.count() < 0.25;) {
        const auto start = std::chrono::steady_clock::now();
        f();
        const auto end = std::chrono::steady_clock::now();
        best = std::min(best, std::chrono::duration<double>(end - start).count());
        spent = end - begin;
      }
      return best;
    };
    const double forward = seconds([&] { at::conv2d(x, weight, bias, {1, 1}, {1, 1}); });
    if (!train) {
      rate = std::max(rate, flop / forward);
      continue;
    }
    const double backward = seconds([&] {
      at::convolution_backward(x, x, weight, at::IntArrayRef{channels}, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 1,
                               {true, true, true});
    });
    rate = std::max(rate, 3 * flop / (forward + backward));
  }
  return rate;
}

}  // namespace pairs::bench
