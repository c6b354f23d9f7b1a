#include "core/ops/relu_pool.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/base/error.h"
#include "core/base/simd.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

constexpr std::uint8_t nowhere = 4;  // of four pixels the first, second, third, fourth or, where none is positive, none

float widened(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

// One pixel of the result from the four of x: all their channels.
PAIRS_SIMD_CLONES void pool_pixel(const std::uint16_t* __restrict a, const std::uint16_t* __restrict b,
                                  const std::uint16_t* __restrict c, const std::uint16_t* __restrict d,
                                  std::int64_t channels, std::uint16_t* __restrict out, std::uint8_t* __restrict from) {
  for (std::int64_t i = 0; i < channels; ++i) {
    const float p = widened(a[i]), q = widened(b[i]), r = widened(c[i]), s = widened(d[i]);
    const bool second = q > p, fourth = s > r;
    const float upper = second ? q : p, lower = fourth ? s : r;
    const bool below = lower > upper;
    const float most = below ? lower : upper;
    const std::uint32_t place = below ? 2u + static_cast<std::uint32_t>(fourth) : static_cast<std::uint32_t>(second);
    const bool positive = most > 0.0f, finite = ((p + q) + (r + s)) * 0.0f == 0.0f;
    std::uint32_t bits;
    std::memcpy(&bits, &most, sizeof bits);
    const std::uint32_t value = positive ? bits >> 16 : 0u;
    out[i] = static_cast<std::uint16_t>(finite ? value : 0x7fc0u);
    from[i] = static_cast<std::uint8_t>(positive ? place : std::uint32_t{nowhere});
  }
}

// The gradients of the four pixels from those of the result.
PAIRS_SIMD_CLONES void spread_pixel(const std::uint16_t* __restrict grad, const std::uint8_t* __restrict from,
                                    std::int64_t channels, std::uint16_t* __restrict a, std::uint16_t* __restrict b,
                                    std::uint16_t* __restrict c, std::uint16_t* __restrict d) {
  for (std::int64_t i = 0; i < channels; ++i) {
    const std::uint16_t g = grad[i], place = from[i];
    a[i] = place == 0 ? g : std::uint16_t{0};
    b[i] = place == 1 ? g : std::uint16_t{0};
    c[i] = place == 2 ? g : std::uint16_t{0};
    d[i] = place == 3 ? g : std::uint16_t{0};
  }
}

std::uint16_t* bits_of(const Tensor& t) {
  return reinterpret_cast<std::uint16_t*>(t.mutable_data_ptr<c10::BFloat16>());
}
const std::uint16_t* read_bits(const Tensor& t) {
  return reinterpret_cast<const std::uint16_t*>(t.const_data_ptr<c10::BFloat16>());
}

// Calls work(image, row of the result) for all rows, in parallel.
template <class Work>
void each_row(std::int64_t images, std::int64_t rows, std::int64_t row_size, const Work& work) {
  at::parallel_for(0, images * rows, std::max<std::int64_t>(1, 32768 / row_size),
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t t = begin; t < end; ++t) work(t / rows, t % rows);
                   });
}

class ReluPool : public torch::autograd::Function<ReluPool> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x) {
    const std::int64_t images = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
    const std::int64_t rows = height / 2, columns = width / 2;
    const Tensor in = x.contiguous(at::MemoryFormat::ChannelsLast);
    const auto like = [&](torch::ScalarType type) {
      return at::empty({images, channels, rows, columns}, type, at::MemoryFormat::ChannelsLast);
    };
    const Tensor out = like(torch::kBFloat16), from = like(torch::kUInt8);
    const std::uint16_t* source = read_bits(in);
    std::uint16_t* result = bits_of(out);
    std::uint8_t* place = from.mutable_data_ptr<std::uint8_t>();
    each_row(images, rows, columns * channels, [&](std::int64_t image, std::int64_t row) {
      const std::uint16_t *upper = source + (image * height + 2 * row) * width * channels,
                          *lower = upper + width * channels;
      const std::int64_t at = (image * rows + row) * columns * channels;
      for (std::int64_t j = 0; j < columns; ++j)
        pool_pixel(upper + 2 * j * channels, upper + (2 * j + 1) * channels, lower + 2 * j * channels,
                   lower + (2 * j + 1) * channels, channels, result + at + j * channels, place + at + j * channels);
    });
    ctx->save_for_backward({from});
    ctx->saved_data["height"] = height;
    ctx->saved_data["width"] = width;
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const Tensor from = ctx->get_saved_variables()[0];
    const Tensor grad = grads[0].to(torch::kBFloat16).contiguous(at::MemoryFormat::ChannelsLast);
    const std::int64_t height = ctx->saved_data["height"].toInt(), width = ctx->saved_data["width"].toInt();
    const std::int64_t images = from.size(0), channels = from.size(1), rows = from.size(2), columns = from.size(3);
    const Tensor out = at::empty({images, channels, height, width}, torch::kBFloat16, at::MemoryFormat::ChannelsLast);
    if (height % 2 == 1 || width % 2 == 1) out.zero_();
    const std::uint16_t* slope = read_bits(grad);
    const std::uint8_t* place = from.const_data_ptr<std::uint8_t>();
    std::uint16_t* result = bits_of(out);
    each_row(images, rows, columns * channels, [&](std::int64_t image, std::int64_t row) {
      std::uint16_t *upper = result + (image * height + 2 * row) * width * channels, *lower = upper + width * channels;
      const std::int64_t at = (image * rows + row) * columns * channels;
      for (std::int64_t j = 0; j < columns; ++j)
        spread_pixel(slope + at + j * channels, place + at + j * channels, channels, upper + 2 * j * channels,
                     upper + (2 * j + 1) * channels, lower + 2 * j * channels, lower + (2 * j + 1) * channels);
    });
    return {out};
  }
};

}  // namespace

Tensor relu_pool(const Tensor& x) {
  PAIRS_CHECK(x.dim() == 4 && x.size(2) >= 2 && x.size(3) >= 2,
              "pooling takes images [M, C, H, W] of 2 x 2 pixels or more, not [{}]", fmt::join(x.sizes(), ", "));
  if (!x.is_cpu() || x.scalar_type() != torch::kBFloat16) return at::relu(at::max_pool2d(x, {2, 2}));
  return ReluPool::apply(x);
}

}  // namespace pairs::ops
