#include "core/ops/group_norm_relu.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <utility>
#include <vector>

#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"
#include "core/ops/group_norm_act.h"
#include "core/ops/group_norm_map.h"
#include "core/ops/group_norm_rows.h"
#include "core/ops/ops.h"
#include "core/ops/vector_loop.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

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

template <class T>
void norm_relu_image(const NormedImage& image, const T* x, const T* residual, T* y, float* mean, float* inverse) {
  const PixelRows map(image.channels, image.pixels, true);
  std::vector<double> sum(static_cast<std::size_t>(image.channels)), squares(sum);
  map.sums(sum.data(), squares.data(),
           [&](std::int64_t row, std::int64_t rows, std::int64_t width, float* s, float* q) {
             add_moments(Rows<const T>{x + row * map.width, width}, rows, width, s, q);
           });
  image.moments(sum, squares, mean, inverse);
  const NormedImage::Affine affine = image.affine(mean, inverse);
  const std::vector<float> a = map.repeated(affine.a.data()), b = map.repeated(affine.b.data());
  map.each([&](std::int64_t row, std::int64_t rows, std::int64_t width) {
    const std::int64_t at = row * map.width;
    norm_relu(x + at, residual == nullptr ? nullptr : residual + at, rows, width, a.data(), b.data(), y + at);
  });
}

// gresidual may be null.
template <class T>
void norm_relu_back(const NormedImage& image, const T* grad, const T* x, const T* y, const float* mean,
                    const float* inverse, T* gx, T* gresidual, float* gscale, float* gshift) {
  const PixelRows map(image.channels, image.pixels, true);
  std::vector<double> sum(static_cast<std::size_t>(image.channels)), product(sum);  // of dz and of dz x
  map.sums(
      sum.data(), product.data(), [&](std::int64_t row, std::int64_t rows, std::int64_t width, float* s, float* p) {
        const std::int64_t at = row * map.width;
        norm_relu_sums(grad + at, x + at, y + at, rows, width, gresidual == nullptr ? nullptr : gresidual + at, s, p);
      });
  const NormedImage::Gradient by_x = image.gradient(sum, product, mean, inverse, gscale, gshift);
  const std::vector<float> p = map.repeated(by_x.p.data()), q = map.repeated(by_x.q.data()),
                           r = map.repeated(by_x.r.data());
  map.each([&](std::int64_t row, std::int64_t rows, std::int64_t width) {
    const std::int64_t at = row * map.width;
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
  const T *in = read_numbers<T>(x), *add = read_numbers<T>(residual);
  T* out = numbers<T>(y);
  float* kept = numbers<float>(moments);
  const NormedImage image{x.size(1), groups, x.size(2) * x.size(3), read_numbers<float>(scale),
                          read_numbers<float>(shift)};
  each_image(images, [&](std::int64_t b) {
    const std::int64_t at = b * image.channels * image.pixels;
    norm_relu_image(image, in + at, add == nullptr ? nullptr : add + at, out + at, kept + b * groups,
                    kept + (images + b) * groups);
  });
}

template <class T>
void norm_relu_back_all(const Tensor& grad, const Tensor& x, const Tensor& y, const Tensor& scale,
                        const Tensor& moments, const Tensor& gx, const Tensor& gresidual, const Tensor& gscale,
                        const Tensor& gshift) {
  const std::int64_t images = x.size(0), groups = moments.size(2);
  const T *slope = read_numbers<T>(grad), *in = read_numbers<T>(x), *out = read_numbers<T>(y);
  const float* kept = read_numbers<float>(moments);
  const NormedImage image{x.size(1), groups, x.size(2) * x.size(3), read_numbers<float>(scale), nullptr};
  T *to = numbers<T>(gx), *extra = numbers<T>(gresidual);
  float *to_scale = numbers<float>(gscale), *to_shift = numbers<float>(gshift);
  each_image(images, [&](std::int64_t b) {
    const std::int64_t at = b * image.channels * image.pixels;
    norm_relu_back(image, slope + at, in + at, out + at, kept + b * groups, kept + (images + b) * groups, to + at,
                   extra == nullptr ? nullptr : extra + at, to_scale + b * image.channels,
                   to_shift + b * image.channels);
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
