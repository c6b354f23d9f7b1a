#include "core/ops/group_norm_map.h"

#include <cmath>

#include "core/ops/group_norm_act.h"

namespace pairs::ops {
namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

PixelRows::PixelRows(std::int64_t channels_, std::int64_t pixels, bool dense)
    : channels(channels_),
      pixels_a_row(dense ? std::clamp<std::int64_t>(kRowLength / channels, 1, pixels) : 1),
      width(pixels_a_row * channels),
      rows(pixels / pixels_a_row),
      rest((pixels - rows * pixels_a_row) * channels) {}

void PixelRows::fold(const std::vector<float>& of_row, double* totals) const {
  for (std::int64_t i = 0; i < pixels_a_row; ++i)
    for (std::int64_t c = 0; c < channels; ++c) totals[c] += static_cast<double>(of_row[at(i * channels + c)]);
}

std::vector<float> PixelRows::repeated(const float* values) const {
  std::vector<float> out(at(width));
  for (std::int64_t i = 0; i < pixels_a_row; ++i) std::copy_n(values, channels, out.data() + i * channels);
  return out;
}

void NormedImage::moments(const std::vector<double>& sum, const std::vector<double>& squares, float* mean,
                          float* inverse) const {
  const double count = static_cast<double>(size() * pixels);
  for (std::int64_t g = 0; g < groups; ++g) {
    double total = 0, square = 0;
    for (std::int64_t c = g * size(); c < (g + 1) * size(); ++c) {
      total += sum[at(c)];
      square += squares[at(c)];
    }
    const double m = total / count, variance = square / count - m * m;
    mean[g] = static_cast<float>(m);
    // std::max(0, .) would turn NaN into 0.
    inverse[g] = static_cast<float>(1.0 / std::sqrt((variance < 0 ? 0.0 : variance) + kGroupNormEpsilon));
  }
}

NormedImage::Affine NormedImage::affine(const float* mean, const float* inverse) const {
  Affine out{std::vector<float>(at(channels)), std::vector<float>(at(channels))};
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::int64_t g = c / size();
    out.a[at(c)] = scale[c] * inverse[g];
    out.b[at(c)] = shift[c] - out.a[at(c)] * mean[g];
  }
  return out;
}

// gx = inverse (dz scale - mean of dz scale - normal * mean of dz scale normal)
NormedImage::Gradient NormedImage::gradient(const std::vector<double>& sum, const std::vector<double>& product,
                                            const float* mean, const float* inverse, float* gscale,
                                            float* gshift) const {
  Gradient out{std::vector<float>(at(channels)), std::vector<float>(at(channels)), std::vector<float>(at(channels))};
  const double count = static_cast<double>(size() * pixels);
  for (std::int64_t g = 0; g < groups; ++g) {
    const double m = mean[g], i = inverse[g];
    double plain = 0, along = 0;
    for (std::int64_t c = g * size(); c < (g + 1) * size(); ++c) {
      const double normal = (product[at(c)] - m * sum[at(c)]) * i;
      gscale[c] = static_cast<float>(normal);
      gshift[c] = static_cast<float>(sum[at(c)]);
      plain += scale[c] * sum[at(c)];
      along += scale[c] * normal;
    }
    plain /= count;
    along /= count;
    for (std::int64_t c = g * size(); c < (g + 1) * size(); ++c) {
      out.p[at(c)] = static_cast<float>(i * scale[c]);
      out.q[at(c)] = static_cast<float>(-i * i * along);
      out.r[at(c)] = static_cast<float>(i * (m * i * along - plain));
    }
  }
  return out;
}

}  // namespace pairs::ops
