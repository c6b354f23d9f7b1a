#include "core/ops/relu_pool.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

// Numbers are compared by their bits: of positive numbers the larger has the larger bits, and numbers that are not
// positive have no bits above zero.
using Half = std::int16_t;    // of bfloat16
using Single = std::int32_t;  // of float
template <class Bits>
constexpr Bits kInfinite = sizeof(Bits) == 2 ? Bits{0x7f80} : Bits(0x7f800000);
template <class Bits>
constexpr Bits kNotANumber = kInfinite<Bits> + kInfinite<Bits> / 510;
static_assert(kNotANumber<Half> == 0x7fc0 && kNotANumber<Single> == 0x7fc00000);

// Codes 0 to 3 name which of the four pixels is the maximum; kNowhere means that no pixel is positive.
constexpr int kNowhere = 4;

// One number of the result from four of x, and the position of the maximum.
template <class Bits>
[[gnu::always_inline]] inline void pool(Bits p, Bits q, Bits r, Bits s, Bits& out, Bits& from) {
  const bool second = q > p, fourth = s > r;
  const Bits upper = second ? q : p, lower = fourth ? s : r;
  const bool below = lower > upper;
  const Bits most = below ? lower : upper, place = static_cast<Bits>(below ? 2 + fourth : 0 + second);
  const auto size = [](Bits bits) { return static_cast<Bits>(bits & std::numeric_limits<Bits>::max()); };
  const Bits largest = std::max(std::max(size(p), size(q)), std::max(size(r), size(s)));
  out = largest < kInfinite<Bits> ? std::max(most, Bits{0}) : kNotANumber<Bits>;
  from = most > 0 ? place : Bits{kNowhere};
}

// Images with one channel: neighbors in memory are neighbors in the image.
template <class Bits>
[[gnu::always_inline]] inline void pool_plane(const Bits* upper, const Bits* lower, std::int64_t columns,
                                              Bits* __restrict out, Bits* __restrict from) {
  for (std::int64_t j = 0; j < columns; ++j)
    pool(upper[2 * j], upper[2 * j + 1], lower[2 * j], lower[2 * j + 1], out[j], from[j]);
}
template <class Bits>
[[gnu::always_inline]] inline void spread_plane(const Bits* __restrict grad, const Bits* __restrict from,
                                                std::int64_t columns, Bits* __restrict upper, Bits* __restrict lower) {
  const auto spread = [&](Bits* __restrict out, int place) {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < columns; ++j) {
      const Bits slope = grad[j], at = from[j];
      out[2 * j] = slope & -Bits{at == place};
      out[2 * j + 1] = slope & -Bits{at == place + 1};
    }
  };
  spread(upper, 0), spread(lower, 2);
}

// Several channels, which are contiguous in memory, a fixed number at a time: it is known at compile time, so that
// loops become a few instructions. The next pixel is `step` further.
template <int Count, class Bits>
[[gnu::always_inline]] inline void pool_channels(const Bits* upper, const Bits* lower, std::int64_t step,
                                                 Bits* __restrict out, Bits* __restrict from) {
  const Bits *__restrict p = upper, *__restrict q = upper + step;
  const Bits *__restrict r = lower, *__restrict s = lower + step;
#pragma GCC ivdep
  for (int i = 0; i < Count; ++i) pool(p[i], q[i], r[i], s[i], out[i], from[i]);
}
template <int Count, class Bits>
[[gnu::always_inline]] inline void spread_channels(const Bits* __restrict grad, const Bits* __restrict from,
                                                   std::int64_t step, Bits* upper, Bits* lower) {
  const auto spread = [&](Bits* __restrict out, int place) {
#pragma GCC ivdep
    for (int i = 0; i < Count; ++i) out[i] = from[i] == place ? grad[i] : Bits{0};
  };
  spread(upper, 0), spread(upper + step, 1), spread(lower, 2), spread(lower + step, 3);
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

// A row of the result from two of x.
template <class Bits>
[[gnu::always_inline]] inline void pool_row(const Bits* upper, const Bits* lower, std::int64_t columns,
                                            std::int64_t channels, Bits* __restrict out, Bits* __restrict from) {
  if (channels == 1) return pool_plane(upper, lower, columns, out, from);
  for (std::int64_t j = 0; j < columns; ++j)
    in_blocks(channels, [&]<int Count>(std::int64_t i) {
      const std::int64_t in = 2 * j * channels + i, at = j * channels + i;
      pool_channels<Count>(upper + in, lower + in, channels, out + at, from + at);
    });
}
PAIRS_SIMD_CLONES void pool_halves(const Half* upper, const Half* lower, std::int64_t columns, std::int64_t channels,
                                   Half* out, Half* from) {
  pool_row(upper, lower, columns, channels, out, from);
}
PAIRS_SIMD_CLONES void pool_singles(const Single* upper, const Single* lower, std::int64_t columns,
                                    std::int64_t channels, Single* out, Single* from) {
  pool_row(upper, lower, columns, channels, out, from);
}

// The gradients of two rows of x from those of a row of the result.
template <class Bits>
[[gnu::always_inline]] inline void spread_row(const Bits* __restrict grad, const Bits* __restrict from,
                                              std::int64_t columns, std::int64_t channels, Bits* upper, Bits* lower) {
  if (channels == 1) return spread_plane(grad, from, columns, upper, lower);
  for (std::int64_t j = 0; j < columns; ++j)
    in_blocks(channels, [&]<int Count>(std::int64_t i) {
      const std::int64_t in = 2 * j * channels + i, at = j * channels + i;
      spread_channels<Count>(grad + at, from + at, channels, upper + in, lower + in);
    });
}
PAIRS_SIMD_CLONES void spread_halves(const Half* grad, const Half* from, std::int64_t columns, std::int64_t channels,
                                     Half* upper, Half* lower) {
  spread_row(grad, from, columns, channels, upper, lower);
}
PAIRS_SIMD_CLONES void spread_singles(const Single* grad, const Single* from, std::int64_t columns,
                                      std::int64_t channels, Single* upper, Single* lower) {
  spread_row(grad, from, columns, channels, upper, lower);
}

// The layout of images in memory: with several contiguous channels, or with one channel each.
struct Layout {
  std::int64_t images, channels, height, width;
  std::int64_t rows() const { return height / 2; }
  std::int64_t columns() const { return width / 2; }

  // Calls work(index of the first number of two rows of x, of a row of the result) for all rows of the result, in
  // parallel.
  template <class Work>
  void each_row(const Work& work) const {
    const std::int64_t size = columns() * channels;
    at::parallel_for(0, images * rows(), std::max<std::int64_t>(1, 32768 / size),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t t = begin; t < end; ++t)
                         work((t / rows() * height + 2 * (t % rows())) * width * channels, t * size);
                     });
  }
};

Layout layout_of(at::IntArrayRef sizes, at::MemoryFormat format) {
  if (format == at::MemoryFormat::ChannelsLast) return {sizes[0], sizes[1], sizes[2], sizes[3]};
  return {sizes[0] * sizes[1], 1, sizes[2], sizes[3]};
}

template <class Bits>
const Bits* read_bits(const Tensor& t) {
  return static_cast<const Bits*>(t.const_data_ptr());
}
template <class Bits>
Bits* bits_of(const Tensor& t) {
  return static_cast<Bits*>(t.mutable_data_ptr());
}

class ReluPool : public torch::autograd::Function<ReluPool> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, at::MemoryFormat format) {
    const Tensor in = x.contiguous(format);
    const Layout layout = layout_of(x.sizes(), format);
    const std::vector<std::int64_t> size = {x.size(0), x.size(1), layout.rows(), layout.columns()};
    const bool half = x.scalar_type() == torch::kBFloat16;
    const Tensor out = at::empty(size, x.scalar_type(), format),
                 from = at::empty(size, half ? torch::kInt16 : torch::kInt32, format);
    const auto all = [&]<class Bits>(Bits, auto&& pool_two) {
      const Bits* source = read_bits<Bits>(in);
      Bits *result = bits_of<Bits>(out), *place = bits_of<Bits>(from);
      layout.each_row([&](std::int64_t two, std::int64_t one) {
        const Bits* upper = source + two;
        pool_two(upper, upper + layout.width * layout.channels, layout.columns(), layout.channels, result + one,
                 place + one);
      });
    };
    half ? all(Half{}, pool_halves) : all(Single{}, pool_singles);
    ctx->save_for_backward({from});
    ctx->saved_data["sizes"] = x.sizes();
    ctx->saved_data["format"] = static_cast<std::int64_t>(format);
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const Tensor from = ctx->get_saved_variables()[0];
    const auto sizes = ctx->saved_data["sizes"].toIntVector();
    const auto format = static_cast<at::MemoryFormat>(ctx->saved_data["format"].toInt());
    const Layout layout = layout_of(sizes, format);
    const bool half = from.scalar_type() == torch::kInt16;
    const auto type = half ? torch::kBFloat16 : torch::kFloat32;
    const Tensor grad = grads[0].to(type).contiguous(format), out = at::empty(sizes, type, format);
    if (layout.height % 2 == 1 || layout.width % 2 == 1) out.zero_();
    const auto all = [&]<class Bits>(Bits, auto&& spread_one) {
      const Bits *slope = read_bits<Bits>(grad), *place = read_bits<Bits>(from);
      Bits* result = bits_of<Bits>(out);
      layout.each_row([&](std::int64_t two, std::int64_t one) {
        Bits* upper = result + two;
        spread_one(slope + one, place + one, layout.columns(), layout.channels, upper,
                   upper + layout.width * layout.channels);
      });
    };
    half ? all(Half{}, spread_halves) : all(Single{}, spread_singles);
    return {out, {}};
  }
};

}  // namespace

Tensor relu_pool(const Tensor& x) {
  PAIRS_CHECK(x.dim() == 4 && x.size(2) >= 2 && x.size(3) >= 2,
              "pooling takes images [M, C, H, W] of 2 x 2 pixels or more, not [{}]", fmt::join(x.sizes(), ", "));
  const bool half = x.scalar_type() == torch::kBFloat16;
  if (!x.is_cpu() || !(half || x.scalar_type() == torch::kFloat32)) return at::relu(at::max_pool2d(x, {2, 2}));
  return ReluPool::apply(x, half ? at::MemoryFormat::ChannelsLast : x.suggest_memory_format());
}

}  // namespace pairs::ops
