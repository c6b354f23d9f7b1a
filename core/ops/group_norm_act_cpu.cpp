#include <ATen/Parallel.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/ops/group_norm_act.h"
#include "core/ops/group_norm_rows.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

// Images are processed in runs of several pixels, so that loops over channels are long even if there are few channels.
// Runs of sums are short enough for float32; totals are float64.
constexpr std::int64_t kRunLength = 512, kRunsAtOnce = 64;

template <class T>
struct Part {
  const T* x;
  T* gx;  // null in the forward pass
  std::int64_t first, channels;
};

// `channels` values, repeated over the pixels of a run.
void repeat(const float* values, std::int64_t channels, std::int64_t times, std::vector<float>& out) {
  out.resize(static_cast<std::size_t>(channels * times));
  for (std::int64_t i = 0; i < times; ++i) std::copy_n(values, channels, out.data() + i * channels);
}

// How the pixels of one part are traversed: `pixels` of `channels` values are contiguous if the layout of the tensors
// allows it.
struct Walk {
  Walk(std::int64_t channels, std::int64_t pixels, bool dense)
      : pixels_a_run(dense ? std::clamp<std::int64_t>(kRunLength / channels, 1, pixels) : 1),
        width(pixels_a_run * channels),
        runs(pixels / pixels_a_run),
        rest((pixels - runs * pixels_a_run) * channels) {}
  std::int64_t pixels_a_run, width, runs, rest;

  // Calls f(first run, runs, width) for blocks of runs, then for the remainder.
  template <class F>
  void each(const F& f) const {
    for (std::int64_t run = 0; run < runs; run += kRunsAtOnce) f(run, std::min(kRunsAtOnce, runs - run), width);
    if (rest > 0) f(runs, 1, rest);
  }
  // totals[c] = sum over the pixels of a run.
  void fold(const std::vector<float>& of_run, std::int64_t channels, double* totals) const {
    for (std::int64_t i = 0; i < pixels_a_run; ++i)
      for (std::int64_t c = 0; c < channels; ++c)
        totals[c] += static_cast<double>(of_run[static_cast<std::size_t>(i * channels + c)]);
  }
};

struct Image {
  std::int64_t channels, groups, pixels;
  const float *scale, *shift;  // of this image
  bool silu;
  std::int64_t size() const { return channels / groups; }
};

std::size_t at_index(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// Sums over pixels of `first` and `second` of every channel, computed by f(part, walk, first run, runs, width, sums,
// sums).
template <class T, class F>
void channel_sums(const std::vector<Part<T>>& parts, const Image& image, bool dense, std::vector<double>& first,
                  std::vector<double>& second, const F& f) {
  first.assign(at_index(image.channels), 0.0);
  second.assign(at_index(image.channels), 0.0);
  std::vector<float> a, b;
  for (const Part<T>& part : parts) {
    const Walk walk(part.channels, image.pixels, dense);
    walk.each([&](std::int64_t run, std::int64_t runs, std::int64_t width) {
      a.assign(at_index(walk.width), 0.0f);
      b.assign(at_index(walk.width), 0.0f);
      f(part, walk, run, runs, width, a.data(), b.data());
      walk.fold(a, part.channels, first.data() + part.first);
      walk.fold(b, part.channels, second.data() + part.first);
    });
  }
}

// a, b such that act(a x + b) is the result of the operator.
void coefficients(const Image& image, const float* mean, const float* inverse, std::vector<float>& a,
                  std::vector<float>& b) {
  a.resize(at_index(image.channels));
  b.resize(at_index(image.channels));
  for (std::int64_t c = 0; c < image.channels; ++c) {
    const std::int64_t g = c / image.size();
    a[at_index(c)] = image.scale[c] * inverse[g];
    b[at_index(c)] = image.shift[c] - a[at_index(c)] * mean[g];
  }
}

template <class T>
void forward_image(const std::vector<Part<T>>& parts, const Image& image, T* y, float* mean, float* inverse) {
  std::vector<double> sum, squares;
  channel_sums(parts, image, true, sum, squares,
               [&](const Part<T>& part, const Walk& walk, std::int64_t run, std::int64_t runs, std::int64_t width,
                   float* s, float* q) {
                 add_moments(Rows<const T>{part.x + run * walk.width, walk.width}, runs, width, s, q);
               });
  const double count = static_cast<double>(image.size() * image.pixels);
  for (std::int64_t g = 0; g < image.groups; ++g) {
    double total = 0, square = 0;
    for (std::int64_t c = g * image.size(); c < (g + 1) * image.size(); ++c) {
      total += sum[at_index(c)];
      square += squares[at_index(c)];
    }
    const double m = total / count;
    mean[g] = static_cast<float>(m);
    inverse[g] = static_cast<float>(1.0 / std::sqrt(std::max(0.0, square / count - m * m) + kGroupNormEpsilon));
  }
  std::vector<float> a, b, run_a, run_b;
  coefficients(image, mean, inverse, a, b);
  const bool dense = parts.size() == 1;
  for (const Part<T>& part : parts) {
    const Walk walk(part.channels, image.pixels, dense);
    repeat(a.data() + part.first, part.channels, walk.pixels_a_run, run_a);
    repeat(b.data() + part.first, part.channels, walk.pixels_a_run, run_b);
    const std::int64_t ld = dense ? walk.width : image.channels;
    walk.each([&](std::int64_t run, std::int64_t runs, std::int64_t width) {
      affine_act(Rows<const T>{part.x + run * walk.width, walk.width}, runs, width, run_a.data(), run_b.data(),
                 image.silu, Rows<T>{y + part.first + run * ld, ld});
    });
  }
}

template <class T>
void backward_image(const std::vector<Part<T>>& parts, const Image& image, const T* grad, const float* mean,
                    const float* inverse, float* gscale, float* gshift) {
  std::vector<float> a, b, run_a, run_b, run_c;
  coefficients(image, mean, inverse, a, b);
  const bool dense = parts.size() == 1;
  std::vector<double> sum, product;  // of dz and of dz x
  const Part<T>* current = nullptr;
  channel_sums(parts, image, dense, sum, product,
               [&](const Part<T>& part, const Walk& walk, std::int64_t run, std::int64_t runs, std::int64_t width,
                   float* s, float* p) {
                 if (current != &part) {
                   repeat(a.data() + part.first, part.channels, walk.pixels_a_run, run_a);
                   repeat(b.data() + part.first, part.channels, walk.pixels_a_run, run_b);
                   current = &part;
                 }
                 const std::int64_t ld = dense ? walk.width : image.channels;
                 affine_act_grad(Rows<const T>{grad + part.first + run * ld, ld},
                                 Rows<const T>{part.x + run * walk.width, walk.width}, runs, width, run_a.data(),
                                 run_b.data(), image.silu, Rows<T>{part.gx + run * walk.width, walk.width}, s, p);
               });
  // gx = inverse (dz scale - mean of dz scale - normal * mean of dz scale normal), as p dz + q x + r.
  std::vector<float> p(at_index(image.channels)), q(p), r(p);
  const double count = static_cast<double>(image.size() * image.pixels);
  for (std::int64_t g = 0; g < image.groups; ++g) {
    const double m = mean[g], i = inverse[g];
    double plain = 0, along = 0;
    for (std::int64_t c = g * image.size(); c < (g + 1) * image.size(); ++c) {
      const double normal = (product[at_index(c)] - m * sum[at_index(c)]) * i;
      gscale[c] = static_cast<float>(normal);
      gshift[c] = static_cast<float>(sum[at_index(c)]);
      plain += image.scale[c] * sum[at_index(c)];
      along += image.scale[c] * normal;
    }
    plain /= count;
    along /= count;
    for (std::int64_t c = g * image.size(); c < (g + 1) * image.size(); ++c) {
      p[at_index(c)] = static_cast<float>(i * image.scale[c]);
      q[at_index(c)] = static_cast<float>(-i * i * along);
      r[at_index(c)] = static_cast<float>(i * (m * i * along - plain));
    }
  }
  for (const Part<T>& part : parts) {
    const Walk walk(part.channels, image.pixels, true);
    repeat(p.data() + part.first, part.channels, walk.pixels_a_run, run_a);
    repeat(q.data() + part.first, part.channels, walk.pixels_a_run, run_b);
    repeat(r.data() + part.first, part.channels, walk.pixels_a_run, run_c);
    walk.each([&](std::int64_t run, std::int64_t runs, std::int64_t width) {
      combine(Rows<const T>{part.x + run * walk.width, walk.width}, runs, width, run_a.data(), run_b.data(),
              run_c.data(), Rows<T>{part.gx + run * walk.width, walk.width});
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

  Image image(std::int64_t b) const {
    const std::int64_t row = scale.size(0) == 1 ? 0 : b * channels;
    return {channels, groups, pixels, data<float>(scale) + row, data<float>(shift) + row, silu};
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
    forward_image<T>(of.parts<T>(b, nullptr, nullptr), of.image(b), out + b * of.channels * of.pixels,
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
    backward_image<T>(of.parts<T>(b, x, extra), of.image(b), data<T>(grad) + b * of.channels * of.pixels,
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
