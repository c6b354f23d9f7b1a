#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pairs::ops {

// How the pixels of an image, `channels` numbers each, are traversed by the CPU kernels of group normalization: in rows
// of several pixels where these are contiguous (`dense`), so that loops over channels are long even if there are few
// channels. Sums over a block of rows are short enough for float32; totals are float64.
struct PixelRows {
  PixelRows(std::int64_t channels_, std::int64_t pixels, bool dense);

  std::int64_t channels, pixels_a_row, width, rows, rest;  // rest: numbers after the last whole row

  // Calls f(first row, rows, width) for blocks of rows, then for the remainder.
  template <class F>
  void each(const F& f) const {
    for (std::int64_t row = 0; row < rows; row += kRowsAtOnce) f(row, std::min(kRowsAtOnce, rows - row), width);
    if (rest > 0) f(rows, 1, rest);
  }
  // Adds to first[c] and second[c] the sums of every channel, which f(first row, rows, width, sums, sums) computes for
  // every column of a block.
  template <class F>
  void sums(double* first, double* second, const F& f) const {
    std::vector<float> a, b;
    each([&](std::int64_t row, std::int64_t count, std::int64_t columns) {
      a.assign(static_cast<std::size_t>(width), 0.0f);
      b.assign(static_cast<std::size_t>(width), 0.0f);
      f(row, count, columns, a.data(), b.data());
      fold(a, first);
      fold(b, second);
    });
  }
  // The values of the channels, repeated over the pixels of a row.
  std::vector<float> repeated(const float* values) const;

 private:
  static constexpr std::int64_t kRowLength = 512, kRowsAtOnce = 64;
  void fold(const std::vector<float>& of_row, double* totals) const;
};

// One image of a group normalization, with the scale and shift of its channels.
struct NormedImage {
  std::int64_t channels, groups, pixels;
  const float *scale, *shift;

  // Mean and inverse standard deviation of each group from the sums of every channel and of its squares. NaN stays NaN.
  void moments(const std::vector<double>& sum, const std::vector<double>& squares, float* mean, float* inverse) const;
  // The factors a and b such that a x + b is the normalized image times scale plus shift.
  struct Affine {
    std::vector<float> a, b;
  };
  Affine affine(const float* mean, const float* inverse) const;
  // The gradient p dz + q x + r by x, and those by scale and shift, from the sums of dz and of dz x of every channel,
  // where dz is the gradient by a x + b.
  struct Gradient {
    std::vector<float> p, q, r;
  };
  Gradient gradient(const std::vector<double>& sum, const std::vector<double>& product, const float* mean,
                    const float* inverse, float* gscale, float* gshift) const;

 private:
  std::int64_t size() const { return channels / groups; }
};

}  // namespace pairs::ops
