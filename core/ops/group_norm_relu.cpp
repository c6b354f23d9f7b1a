#include "core/ops/group_norm_relu.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"
#include "core/ops/group_norm_act.h"
#include "core/ops/group_norm_rows.h"
#include "core/ops/ops.h"
#include "core/ops/vector_loop.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

// Rows of several pixels, so that loops over channels are long if there are few channels; sums over this many rows are
// short enough for float32, totals are float64.
constexpr std::int64_t kReluRow = 512, kReluRows = 64;

inline float lane(float x) {
  return x;
}
inline float lane(BFloat16Bits x) {
  return float_of(static_cast<std::int32_t>(static_cast<std::uint32_t>(x.bits) << 16));
}
inline void set_lane(float& out, float x) {
  out = x;
}
// To nearest, ties to even; NaN stays NaN.
inline void set_lane(BFloat16Bits& out, float x) {
  const auto bits = static_cast<std::uint32_t>(bits_of(x));
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  out.bits = static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

// y = relu(a[j] x + b[j] + residual)
template <bool Residual, class T>
inline void relu_of_rows(const T* x, const T* residual, std::int64_t rows, std::int64_t width, const float* a,
                         const float* b, T* y) {
  for (std::int64_t i = 0; i < rows; ++i, x += width, y += width) {
    PAIRS_INDEPENDENT
    for (std::int64_t j = 0; j < width; ++j) {
      float z = std::fma(a[j], lane(x[j]), b[j]);
      if constexpr (Residual) z += lane(residual[j]);
      set_lane(y[j], z < 0.0f ? 0.0f : z);
    }
    if constexpr (Residual) residual += width;
  }
}

// dz = grad where y > 0, else 0, kept with `Keep`; sum[j] += dz, product[j] += dz x.
template <bool Keep, class T>
inline void relu_grad_of_rows(const T* grad, const T* x, const T* y, std::int64_t rows, std::int64_t width, T* dz,
                              float* sum, float* product) {
  for (std::int64_t i = 0; i < rows; ++i, grad += width, x += width, y += width) {
    PAIRS_INDEPENDENT
    for (std::int64_t j = 0; j < width; ++j) {
      const float d = lane(y[j]) <= 0.0f ? 0.0f : lane(grad[j]);
      sum[j] += d;
      product[j] = std::fma(d, lane(x[j]), product[j]);
      if constexpr (Keep) set_lane(dz[j], d);
    }
    if constexpr (Keep) dz += width;
  }
}

// gx = p[j] dz + q[j] x + r[j] with dz = grad where y > 0, else 0.
template <class T>
inline void norm_grad_of_rows(const T* grad, const T* x, const T* y, std::int64_t rows, std::int64_t width,
                              const float* p, const float* q, const float* r, T* gx) {
  for (std::int64_t i = 0; i < rows; ++i, grad += width, x += width, y += width, gx += width) {
    PAIRS_INDEPENDENT
    for (std::int64_t j = 0; j < width; ++j) {
      const float d = lane(y[j]) <= 0.0f ? 0.0f : lane(grad[j]);
      set_lane(gx[j], std::fma(p[j], d, std::fma(q[j], lane(x[j]), r[j])));
    }
  }
}

#define PAIRS_RELU_ROWS(T)                                                                                            \
  PAIRS_SIMD_CLONES void norm_relu(const T* x, const T* residual, std::int64_t rows, std::int64_t width,              \
                                   const float* a, const float* b, T* y) {                                            \
    if (residual == nullptr)                                                                                          \
      relu_of_rows<false>(x, residual, rows, width, a, b, y);                                                         \
    else                                                                                                              \
      relu_of_rows<true>(x, residual, rows, width, a, b, y);                                                          \
  }                                                                                                                   \
  PAIRS_SIMD_CLONES void norm_relu_sums(const T* grad, const T* x, const T* y, std::int64_t rows, std::int64_t width, \
                                        T* dz, float* sum, float* product) {                                          \
    if (dz == nullptr)                                                                                                \
      relu_grad_of_rows<false>(grad, x, y, rows, width, dz, sum, product);                                            \
    else                                                                                                              \
      relu_grad_of_rows<true>(grad, x, y, rows, width, dz, sum, product);                                             \
  }                                                                                                                   \
  PAIRS_SIMD_CLONES void norm_relu_grad(const T* grad, const T* x, const T* y, std::int64_t rows, std::int64_t width, \
                                        const float* p, const float* q, const float* r, T* gx) {                      \
    norm_grad_of_rows(grad, x, y, rows, width, p, q, r, gx);                                                          \
  }
PAIRS_RELU_ROWS(float)
PAIRS_RELU_ROWS(BFloat16Bits)
#undef PAIRS_RELU_ROWS

// One image: `pixels` of `channels` numbers, traversed in blocks of rows of `repeats` pixels.
struct ReluMap {
  ReluMap(std::int64_t channels_, std::int64_t pixels_, std::int64_t groups_)
      : channels(channels_),
        pixels(pixels_),
        groups(groups_),
        repeats(std::clamp<std::int64_t>(kReluRow / channels_, 1, pixels_)) {}
  std::int64_t numel() const { return channels * pixels; }
  // Calls f(index of the first number, rows, width).
  template <class F>
  void blocks(const F& f) const {
    const std::int64_t width = repeats * channels, rows = pixels / repeats;
    for (std::int64_t i = 0; i < rows; i += kReluRows) f(i * width, std::min(kReluRows, rows - i), width);
    if (rows * repeats < pixels) f(rows * width, 1, (pixels - rows * repeats) * channels);
  }
  // Sums of every channel, computed by f(place, rows, width, sums, sums).
  template <class F>
  void sums(std::vector<double>& first, std::vector<double>& second, const F& f) const {
    const auto width = static_cast<std::size_t>(repeats * channels), count = static_cast<std::size_t>(channels);
    std::vector<float> a(width), b(width);
    first.assign(count, 0.0);
    second.assign(count, 0.0);
    blocks([&](std::int64_t at, std::int64_t rows, std::int64_t columns) {
      std::fill(a.begin(), a.end(), 0.0f);
      std::fill(b.begin(), b.end(), 0.0f);
      f(at, rows, columns, a.data(), b.data());
      for (std::size_t i = 0; i < width; ++i) {
        first[i % count] += static_cast<double>(a[i]);
        second[i % count] += static_cast<double>(b[i]);
      }
    });
  }
  // The values f(channel), for every column of a row.
  template <class F>
  std::vector<float> row(const F& f) const {
    std::vector<float> out(static_cast<std::size_t>(repeats * channels));
    for (std::int64_t c = 0; c < channels; ++c)
      out[static_cast<std::size_t>(c)] = static_cast<float>(f(static_cast<std::size_t>(c)));
    for (std::int64_t i = 1; i < repeats; ++i) std::copy_n(out.begin(), channels, out.begin() + i * channels);
    return out;
  }
  std::size_t group(std::size_t channel) const { return channel / static_cast<std::size_t>(channels / groups); }

  std::int64_t channels, pixels, groups, repeats;
};

template <class T>
void norm_relu_image(const ReluMap& map, const T* x, const T* residual, const float* scale, const float* shift, T* y,
                     float* mean, float* inverse) {
  std::vector<double> sum, squares;
  map.sums(sum, squares, [&](std::int64_t at, std::int64_t rows, std::int64_t width, float* s, float* q) {
    add_moments(Rows<const T>{x + at, width}, rows, width, s, q);
  });
  std::vector<double> of_group(static_cast<std::size_t>(2 * map.groups));
  for (std::size_t c = 0; c < sum.size(); ++c) {
    of_group[2 * map.group(c)] += sum[c];
    of_group[2 * map.group(c) + 1] += squares[c];
  }
  const double count = static_cast<double>(map.numel() / map.groups);
  for (std::size_t g = 0; g < of_group.size() / 2; ++g) {
    const double m = of_group[2 * g] / count, square = of_group[2 * g + 1] / count;
    mean[g] = static_cast<float>(m);
    // Not std::max(0, .), which would turn NaN into 0.
    const double variance = square - m * m;
    inverse[g] = static_cast<float>(1.0 / std::sqrt((variance < 0 ? 0.0 : variance) + kGroupNormEpsilon));
  }
  const auto factor = [&](std::size_t c) { return scale[c] * inverse[map.group(c)]; };
  const std::vector<float> a = map.row(factor),
                           b = map.row([&](std::size_t c) { return shift[c] - factor(c) * mean[map.group(c)]; });
  map.blocks([&](std::int64_t at, std::int64_t rows, std::int64_t width) {
    norm_relu(x + at, residual == nullptr ? nullptr : residual + at, rows, width, a.data(), b.data(), y + at);
  });
}

// gresidual may be null.
template <class T>
void norm_relu_back(const ReluMap& map, const T* grad, const T* x, const T* y, const float* scale, const float* mean,
                    const float* inverse, T* gx, T* gresidual, float* gscale, float* gshift) {
  std::vector<double> sum, product;  // of dz and of dz x
  map.sums(sum, product, [&](std::int64_t at, std::int64_t rows, std::int64_t width, float* s, float* p) {
    norm_relu_sums(grad + at, x + at, y + at, rows, width, gresidual == nullptr ? nullptr : gresidual + at, s, p);
  });
  // gx = inverse (dz scale - mean of dz scale - normal * mean of dz scale normal), as p dz + q x + r.
  const auto groups = static_cast<std::size_t>(map.groups);
  std::vector<double> plain(groups), along(groups);
  for (std::size_t c = 0; c < sum.size(); ++c) {
    const std::size_t g = map.group(c);
    const double normal = (product[c] - static_cast<double>(mean[g]) * sum[c]) * static_cast<double>(inverse[g]);
    gscale[c] = static_cast<float>(normal);
    gshift[c] = static_cast<float>(sum[c]);
    plain[g] += static_cast<double>(scale[c]) * sum[c];
    along[g] += static_cast<double>(scale[c]) * normal;
  }
  const double count = static_cast<double>(map.numel() / map.groups);
  const auto of = [&](std::size_t c, auto&& f) {
    const std::size_t g = map.group(c);
    return f(static_cast<double>(inverse[g]), static_cast<double>(mean[g]), plain[g] / count, along[g] / count);
  };
  const std::vector<float> p = map.row([&](std::size_t c) { return inverse[map.group(c)] * scale[c]; });
  const std::vector<float> q =
      map.row([&](std::size_t c) { return of(c, [](double i, double, double, double by) { return -i * i * by; }); });
  const std::vector<float> r = map.row([&](std::size_t c) {
    return of(c, [](double i, double m, double flat, double by) { return i * (m * i * by - flat); });
  });
  map.blocks([&](std::int64_t at, std::int64_t rows, std::int64_t width) {
    norm_relu_grad(grad + at, x + at, y + at, rows, width, p.data(), q.data(), r.data(), gx + at);
  });
}

Tensor pixel_rows(const Tensor& x) {
  return x.contiguous(at::MemoryFormat::ChannelsLast);
}

// Calls f(image) for all images, in parallel.
template <class F>
void each_image(std::int64_t images, const F& f) {
  at::parallel_for(0, images, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) f(b);
  });
}

template <class T>
T* numbers(const Tensor& x) {
  return x.defined() ? static_cast<T*>(x.mutable_data_ptr()) : nullptr;
}
template <class T>
const T* read_numbers(const Tensor& x) {
  return x.defined() ? static_cast<const T*>(x.const_data_ptr()) : nullptr;
}

template <class T>
void norm_relu_all(const Tensor& x, const Tensor& residual, const Tensor& scale, const Tensor& shift, const Tensor& y,
                   const Tensor& moments) {
  const std::int64_t images = x.size(0), groups = moments.size(2);
  const ReluMap map(x.size(1), x.size(2) * x.size(3), groups);
  const T *in = read_numbers<T>(x), *add = read_numbers<T>(residual);
  T* out = numbers<T>(y);
  float* kept = numbers<float>(moments);
  const float *by = read_numbers<float>(scale), *plus = read_numbers<float>(shift);
  each_image(images, [&](std::int64_t b) {
    const std::int64_t at = b * map.numel();
    norm_relu_image(map, in + at, add == nullptr ? nullptr : add + at, by, plus, out + at, kept + b * groups,
                    kept + (images + b) * groups);
  });
}

template <class T>
void norm_relu_back_all(const Tensor& grad, const Tensor& x, const Tensor& y, const Tensor& scale,
                        const Tensor& moments, const Tensor& gx, const Tensor& gresidual, const Tensor& gscale,
                        const Tensor& gshift) {
  const std::int64_t images = x.size(0), groups = moments.size(2);
  const ReluMap map(x.size(1), x.size(2) * x.size(3), groups);
  const T *slope = read_numbers<T>(grad), *in = read_numbers<T>(x), *out = read_numbers<T>(y);
  const float *kept = read_numbers<float>(moments), *by = read_numbers<float>(scale);
  T *to = numbers<T>(gx), *extra = numbers<T>(gresidual);
  float *to_scale = numbers<float>(gscale), *to_shift = numbers<float>(gshift);
  each_image(images, [&](std::int64_t b) {
    const std::int64_t at = b * map.numel();
    norm_relu_back(map, slope + at, in + at, out + at, by, kept + b * groups, kept + (images + b) * groups, to + at,
                   extra == nullptr ? nullptr : extra + at, to_scale + b * map.channels, to_shift + b * map.channels);
  });
}

// The result and moments [2, M, groups]: means, then inverse standard deviations.
std::pair<Tensor, Tensor> norm_relu_forward(const Tensor& x, const Tensor& residual, const Tensor& scale,
                                            const Tensor& shift, std::int64_t groups) {
  const Tensor y = at::empty_like(x), moments = at::empty({2, x.size(0), groups}, scale.options());
  if (x.scalar_type() == torch::kFloat)
    norm_relu_all<float>(x, residual, scale, shift, y, moments);
  else
    norm_relu_all<BFloat16Bits>(x, residual, scale, shift, y, moments);
  return {y, moments};
}

class GroupNormRelu : public torch::autograd::Function<GroupNormRelu> {
 public:
  // All tensors are channels-last or contiguous.
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, const std::optional<Tensor>& residual,
                        const Tensor& scale, const Tensor& shift, std::int64_t groups) {
    at::AutoDispatchBelowADInplaceOrView guard;
    const auto [y, moments] = norm_relu_forward(x, residual ? *residual : Tensor(), scale, shift, groups);
    ctx->save_for_backward({x, y, scale, moments});
    ctx->saved_data["residual"] = residual && residual->requires_grad();
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    at::AutoDispatchBelowADInplaceOrView guard;
    const auto saved = ctx->get_saved_variables();
    const Tensor &x = saved[0], &y = saved[1], &scale = saved[2], &moments = saved[3];
    const Tensor grad = pixel_rows(grads[0]), gx = at::empty_like(x);
    const Tensor gresidual = ctx->saved_data["residual"].toBool() ? at::empty_like(x) : Tensor();
    const Tensor gscale = at::empty({x.size(0), x.size(1)}, scale.options()), gshift = at::empty_like(gscale);
    if (x.scalar_type() == torch::kFloat)
      norm_relu_back_all<float>(grad, x, y, scale, moments, gx, gresidual, gscale, gshift);
    else
      norm_relu_back_all<BFloat16Bits>(grad, x, y, scale, moments, gx, gresidual, gscale, gshift);
    return {gx, gresidual, gscale.sum(0), gshift.sum(0), Tensor()};
  }
};

}  // namespace

Tensor group_norm_relu(const Tensor& x, const std::optional<Tensor>& residual, const Tensor& scale, const Tensor& shift,
                       std::int64_t groups) {
  PAIRS_CHECK(x.dim() == 4 && x.numel() > 0, "a group normalization takes images [M, C, H, W], not [{}]",
              fmt::join(x.sizes(), ", "));
  PAIRS_CHECK(!residual || (residual->sizes() == x.sizes() && residual->scalar_type() == x.scalar_type()),
              "what is added to a group normalization must have its shape and type");
  const auto type = x.scalar_type(), wide = type == torch::kDouble ? torch::kDouble : torch::kFloat;
  PAIRS_CHECK(type == torch::kFloat || type == torch::kBFloat16 || type == torch::kDouble,
              "a group normalization takes float32, bfloat16 or float64, not {}", c10::toString(type));
  const std::int64_t channels = x.size(1);
  PAIRS_CHECK(groups >= 1 && channels % groups == 0, "{} channels cannot be normalized in {} groups", channels, groups);
  PAIRS_CHECK(scale.dim() == 1 && scale.size(0) == channels && shift.sizes() == scale.sizes() &&
                  scale.scalar_type() == wide && shift.scalar_type() == wide,
              "a group normalization takes one scale and one shift for each of {} channels", channels);
  if (!x.is_cpu() || type == torch::kDouble) {
    Tensor y = group_norm_act(x, std::nullopt, scale.unsqueeze(0), shift.unsqueeze(0), groups, "none");
    return at::relu(residual ? y + *residual : y);
  }
  const Tensor in = pixel_rows(x);
  const std::optional<Tensor> add = residual ? std::optional(pixel_rows(*residual)) : std::nullopt;
  const Tensor by = scale.contiguous(), plus = shift.contiguous();
  const bool graph = torch::GradMode::is_enabled() && (x.requires_grad() || (residual && residual->requires_grad()) ||
                                                       scale.requires_grad() || shift.requires_grad());
  if (!graph) return norm_relu_forward(in, add ? *add : Tensor(), by, plus, groups).first;
  return GroupNormRelu::apply(in, add, by, plus, groups);
}

}  // namespace pairs::ops
