#include "core/ops/relu_pool.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/simd.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

constexpr std::int16_t kInfinite = 0x7f80, kNotANumber = 0x7fc0;  // bfloat16
constexpr std::uint16_t nowhere =
    4;  // of four pixels the first, second, third, fourth or, where none is positive, none

// The four pixels of x behind one of the result, or their gradients.
template <class T>
struct Four {
  T *a, *b, *c, *d;
};

// So many channels of a pixel of the result, a number known when compiled for loops that become a few instructions. Of
// positive numbers in bfloat16 the larger one has the larger bits, and numbers that are not positive have none above
// zero.
template <int Count>
[[gnu::always_inline]] inline void pool_channels(Four<const std::int16_t> x, std::uint16_t* __restrict out,
                                                 std::uint16_t* __restrict from) {
  for (int i = 0; i < Count; ++i) {
    const std::int16_t p = x.a[i], q = x.b[i], r = x.c[i], s = x.d[i];
    const bool second = q > p, fourth = s > r;
    const std::int16_t upper = second ? q : p, lower = fourth ? s : r;
    const bool below = lower > upper;
    const std::int16_t most = below ? lower : upper;
    const auto place = static_cast<std::uint16_t>(below ? 2 + fourth : 0 + second);
    const auto size = [](std::int16_t bits) { return static_cast<std::int16_t>(bits & 0x7fff); };
    const std::int16_t largest = std::max(std::max(size(p), size(q)), std::max(size(r), size(s)));
    const std::int16_t value = std::max<std::int16_t>(most, 0);
    out[i] = static_cast<std::uint16_t>(largest < kInfinite ? value : kNotANumber);
    from[i] = most > 0 ? place : nowhere;
  }
}

template <int Count>
[[gnu::always_inline]] inline void spread_channels(const std::uint16_t* __restrict grad,
                                                   const std::uint16_t* __restrict from, Four<std::uint16_t> x) {
  const auto spread = [&](std::uint16_t* __restrict out, std::uint16_t place) {
#pragma GCC ivdep
    for (int i = 0; i < Count; ++i) out[i] = from[i] == place ? grad[i] : std::uint16_t{0};
  };
  spread(x.a, 0), spread(x.b, 1), spread(x.c, 2), spread(x.d, 3);
}

// Calls work.operator()<Count>(first channel) for all channels of a pixel.
template <class Work>
[[gnu::always_inline]] inline void in_blocks(std::int64_t channels, const Work& work) {
  std::int64_t i = 0;
  for (; i + 64 <= channels; i += 64) work.template operator()<64>(i);
  for (; i + 32 <= channels; i += 32) work.template operator()<32>(i);
  for (; i + 16 <= channels; i += 16) work.template operator()<16>(i);
  for (; i + 8 <= channels; i += 8) work.template operator()<8>(i);
  for (; i < channels; ++i) work.template operator()<1>(i);
}

template <class T>
[[gnu::always_inline]] inline Four<T> four_at(T* upper, T* lower, std::int64_t column, std::int64_t channels) {
  const std::int64_t left = 2 * column * channels, right = left + channels;
  return {upper + left, upper + right, lower + left, lower + right};
}

// A row of the result from two of x.
PAIRS_SIMD_CLONES void pool_row(const std::int16_t* upper, const std::int16_t* lower, std::int64_t columns,
                                std::int64_t channels, std::uint16_t* __restrict out, std::uint16_t* __restrict from) {
  for (std::int64_t j = 0; j < columns; ++j) {
    const Four x = four_at(upper, lower, j, channels);
    in_blocks(channels, [&]<int Count>(std::int64_t i) {
      pool_channels<Count>({x.a + i, x.b + i, x.c + i, x.d + i}, out + j * channels + i, from + j * channels + i);
    });
  }
}

// The gradients of two rows of x from those of a row of the result.
PAIRS_SIMD_CLONES void spread_row(const std::uint16_t* __restrict grad, const std::uint16_t* __restrict from,
                                  std::int64_t columns, std::int64_t channels, std::uint16_t* upper,
                                  std::uint16_t* lower) {
  for (std::int64_t j = 0; j < columns; ++j) {
    const Four x = four_at(upper, lower, j, channels);
    in_blocks(channels, [&]<int Count>(std::int64_t i) {
      spread_channels<Count>(grad + j * channels + i, from + j * channels + i, {x.a + i, x.b + i, x.c + i, x.d + i});
    });
  }
}

std::uint16_t* bits_of(const Tensor& t) {
  return reinterpret_cast<std::uint16_t*>(t.mutable_data_ptr<c10::BFloat16>());
}
template <class T>
const T* read_bits(const Tensor& t) {
  return reinterpret_cast<const T*>(t.const_data_ptr<c10::BFloat16>());
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
    const Tensor out = like(torch::kBFloat16), from = like(torch::kInt16);
    const auto* source = read_bits<std::int16_t>(in);
    std::uint16_t* result = bits_of(out);
    auto* place = reinterpret_cast<std::uint16_t*>(from.mutable_data_ptr<std::int16_t>());
    each_row(images, rows, columns * channels, [&](std::int64_t image, std::int64_t row) {
      const std::int16_t *upper = source + (image * height + 2 * row) * width * channels,
                         *lower = upper + width * channels;
      const std::int64_t at = (image * rows + row) * columns * channels;
      pool_row(upper, lower, columns, channels, result + at, place + at);
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
    const auto* slope = read_bits<std::uint16_t>(grad);
    const auto* place = reinterpret_cast<const std::uint16_t*>(from.const_data_ptr<std::int16_t>());
    std::uint16_t* result = bits_of(out);
    each_row(images, rows, columns * channels, [&](std::int64_t image, std::int64_t row) {
      std::uint16_t *upper = result + (image * height + 2 * row) * width * channels, *lower = upper + width * channels;
      const std::int64_t at = (image * rows + row) * columns * channels;
      spread_row(slope + at, place + at, columns, channels, upper, lower);
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
