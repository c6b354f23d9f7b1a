#include <ATen/Parallel.h>
#include <torch/library.h>

#include <vector>

#include "core/ops/group_norm_act.h"
#include "core/ops/group_norm_map.h"
#include "core/ops/group_norm_rows.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

template <class T>
struct Part {
  const T* x;
  T* gx;  // null in the forward pass
  std::int64_t first, channels;
};

// Sums over pixels of `first` and `second` of every channel, computed by f(part, rows, first row, count, width, sums,
// sums).
template <class T, class F>
void channel_sums(const std::vector<Part<T>>& parts, const NormedImage& image, bool dense, std::vector<double>& first,
                  std::vector<double>& second, const F& f) {
  first.assign(static_cast<std::size_t>(image.channels), 0.0);
  second.assign(static_cast<std::size_t>(image.channels), 0.0);
  for (const Part<T>& part : parts) {
    const PixelRows rows(part.channels, image.pixels, dense);
    rows.sums(first.data() + part.first, second.data() + part.first,
              [&](std::int64_t row, std::int64_t count, std::int64_t width, float* s, float* q) {
                f(part, rows, row, count, width, s, q);
              });
  }
}

template <class T>
void forward_image(const std::vector<Part<T>>& parts, const NormedImage& image, bool silu, T* y, float* mean,
                   float* inverse) {
  std::vector<double> sum, squares;
  channel_sums(parts, image, true, sum, squares,
               [&](const Part<T>& part, const PixelRows& rows, std::int64_t row, std::int64_t count, std::int64_t width,
                   float* s, float* q) {
                 add_moments(Rows<const T>{part.x + row * rows.width, rows.width}, count, width, s, q);
               });
  image.moments(sum, squares, mean, inverse);
  const NormedImage::Affine affine = image.affine(mean, inverse);
  const bool dense = parts.size() == 1;
  for (const Part<T>& part : parts) {
    const PixelRows rows(part.channels, image.pixels, dense);
    const std::vector<float> a = rows.repeated(affine.a.data() + part.first),
                             b = rows.repeated(affine.b.data() + part.first);
    const std::int64_t ld = dense ? rows.width : image.channels;
    rows.each([&](std::int64_t row, std::int64_t count, std::int64_t width) {
      affine_act(Rows<const T>{part.x + row * rows.width, rows.width}, count, width, a.data(), b.data(), silu,
                 Rows<T>{y + part.first + row * ld, ld});
    });
  }
}

template <class T>
void backward_image(const std::vector<Part<T>>& parts, const NormedImage& image, bool silu, const T* grad,
                    const float* mean, const float* inverse, float* gscale, float* gshift) {
  const NormedImage::Affine affine = image.affine(mean, inverse);
  std::vector<float> a, b;
  const bool dense = parts.size() == 1;
  std::vector<double> sum, product;  // of dz and of dz x
  const Part<T>* current = nullptr;
  channel_sums(parts, image, dense, sum, product,
               [&](const Part<T>& part, const PixelRows& rows, std::int64_t row, std::int64_t count, std::int64_t width,
                   float* s, float* p) {
                 if (current != &part) {
                   a = rows.repeated(affine.a.data() + part.first);
                   b = rows.repeated(affine.b.data() + part.first);
                   current = &part;
                 }
                 const std::int64_t ld = dense ? rows.width : image.channels;
                 affine_act_grad(Rows<const T>{grad + part.first + row * ld, ld},
                                 Rows<const T>{part.x + row * rows.width, rows.width}, count, width, a.data(), b.data(),
                                 silu, Rows<T>{part.gx + row * rows.width, rows.width}, s, p);
               });
  const NormedImage::Gradient by_x = image.gradient(sum, product, mean, inverse, gscale, gshift);
  for (const Part<T>& part : parts) {
    const PixelRows rows(part.channels, image.pixels, true);
    const std::vector<float> p = rows.repeated(by_x.p.data() + part.first),
                             q = rows.repeated(by_x.q.data() + part.first),
                             r = rows.repeated(by_x.r.data() + part.first);
    rows.each([&](std::int64_t row, std::int64_t count, std::int64_t width) {
      combine(Rows<const T>{part.x + row * rows.width, rows.width}, count, width, p.data(), q.data(), r.data(),
              Rows<T>{part.gx + row * rows.width, rows.width});
    });
  }
}

Tensor channels_last(const Tensor& x) {
  return x.contiguous(at::MemoryFormat::ChannelsLast);
}
template <class T>
const T* data(const Tensor& x) {
  return static_cast<const T*>(x.const_data_ptr());
}
template <class T>
T* mutable_data(Tensor& x) {
  return x.defined() ? static_cast<T*>(x.mutable_data_ptr()) : nullptr;
}

// Both tensors of a concatenation, channels-last, with the image of each.
struct Concatenation {
  Concatenation(const Tensor& x, const std::optional<Tensor>& extra, const Tensor& scales, const Tensor& shifts,
                std::int64_t group_count, bool act)
      : first(channels_last(x)),
        second(extra ? channels_last(*extra) : Tensor()),
        scale(scales.contiguous()),
        shift(shifts.contiguous()),
        channels(first.size(1) + (extra ? second.size(1) : 0)),
        pixels(first.size(2) * first.size(3)),
        groups(group_count),
        silu(act) {}

  NormedImage image(std::int64_t b) const {
    const std::int64_t row = scale.size(0) == 1 ? 0 : b * channels;
    return {channels, groups, pixels, data<float>(scale) + row, data<float>(shift) + row};
  }
  template <class T>
  std::vector<Part<T>> parts(std::int64_t b, T* gx, T* gbeside) const {
    const auto part = [&](const Tensor& x, T* g, std::int64_t at) {
      const std::int64_t step = b * x.size(1) * pixels;
      return Part<T>{data<T>(x) + step, g == nullptr ? nullptr : g + step, at, x.size(1)};
    };
    std::vector<Part<T>> all = {part(first, gx, 0)};
    if (second.defined()) all.push_back(part(second, gbeside, first.size(1)));
    return all;
  }

  Tensor first, second, scale, shift;
  std::int64_t channels, pixels, groups;
  bool silu;
};

template <class F>
void for_images(std::int64_t images, const F& f) {
  at::parallel_for(0, images, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) f(b);
  });
}

template <class T>
void forward_all(const Concatenation& of, Tensor& y, Tensor& moments) {
  const std::int64_t images = of.first.size(0);
  T* out = mutable_data<T>(y);
  float* kept = mutable_data<float>(moments);
  for_images(images, [&](std::int64_t b) {
    forward_image<T>(of.parts<T>(b, nullptr, nullptr), of.image(b), of.silu, out + b * of.channels * of.pixels,
                     kept + b * of.groups, kept + (images + b) * of.groups);
  });
}

template <class T>
void backward_all(const Concatenation& of, const Tensor& grad, const Tensor& moments, Tensor& gx, Tensor& gbeside,
                  Tensor& gscale, Tensor& gshift) {
  const std::int64_t images = of.first.size(0);
  const float* kept = data<float>(moments);
  T *x = mutable_data<T>(gx), *extra = mutable_data<T>(gbeside);
  float *scale = mutable_data<float>(gscale), *shift = mutable_data<float>(gshift);
  for_images(images, [&](std::int64_t b) {
    backward_image<T>(of.parts<T>(b, x, extra), of.image(b), of.silu, data<T>(grad) + b * of.channels * of.pixels,
                      kept + b * of.groups, kept + (images + b) * of.groups, scale + b * of.channels,
                      shift + b * of.channels);
  });
}

std::tuple<Tensor, Tensor> forward(const Tensor& x, const std::optional<Tensor>& extra, const Tensor& scale,
                                   const Tensor& shift, std::int64_t groups, c10::string_view act) {
  const Concatenation of(x, extra, scale, shift, groups, act == "silu");
  const std::int64_t images = x.size(0);
  Tensor y = at::empty({images, of.channels, x.size(2), x.size(3)}, x.options(), at::MemoryFormat::ChannelsLast);
  Tensor moments = at::empty({2, images, groups}, scale.options());
  if (x.scalar_type() == torch::kFloat)
    forward_all<float>(of, y, moments);
  else
    forward_all<BFloat16Bits>(of, y, moments);
  return {y, moments};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> backward(const Tensor& grad, const Tensor& x,
                                                    const std::optional<Tensor>& extra, const Tensor& scale,
                                                    const Tensor& shift, const Tensor& moments, c10::string_view act) {
  const Concatenation of(x, extra, scale, shift, moments.size(2), act == "silu");
  const std::int64_t images = x.size(0);
  const Tensor g = channels_last(grad);
  Tensor gx = at::empty_like(of.first), gbeside = of.second.defined() ? at::empty_like(of.second) : Tensor();
  Tensor gscale = at::empty({images, of.channels}, scale.options()), gshift = at::empty_like(gscale);
  if (x.scalar_type() == torch::kFloat)
    backward_all<float>(of, g, moments, gx, gbeside, gscale, gshift);
  else
    backward_all<BFloat16Bits>(of, g, moments, gx, gbeside, gscale, gshift);
  if (!gbeside.defined()) gbeside = at::empty({0}, x.options());
  if (scale.size(0) == images) return {gx, gbeside, gscale, gshift};
  return {gx, gbeside, gscale.sum(0, true), gshift.sum(0, true)};
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CPU, m) {
  m.impl("group_norm_act_forward", forward);
  m.impl("group_norm_act_backward", backward);
}

}  // namespace pairs::ops
