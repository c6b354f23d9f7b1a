#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace pairs::ops::kernels {

// Pixels whose sums one thread computes.
inline constexpr std::uint32_t kNormChunk = 32;

// `images` images of `pixels` pixels and `channels` channels, channels-last, normalized in `groups` groups.
struct NormShape {
  std::uint32_t images, pixels, channels, groups;
  std::uint32_t chunks() const { return (pixels + kNormChunk - 1) / kNormChunk; }
};

// One tensor of a concatenation: its `width` channels start at channel `first` of the whole.
template <class T>
struct NormPart {
  const T* x;
  std::uint32_t first, width;
};

// T is float or __nv_bfloat16. Launches on a stream of the current device.

// partial [2, images, chunks, channels]: sums over a chunk's pixels of x and of its square.
template <class T>
void norm_sums(const NormPart<T>& part, const NormShape& of, float* partial, cudaStream_t stream);
// sums [2, images, channels] over the chunks.
void norm_fold(const float* partial, const NormShape& of, double* sums, cudaStream_t stream);
// moments [2, images, groups]: means and inverse standard deviations.
void norm_moments(const double* sums, const NormShape& of, double epsilon, float* moments, cudaStream_t stream);
// affine [2, images, channels]: a and b with act(a x + b) the result. Rows of scale and shift are `row` apart (0: one).
void norm_affine(const float* moments, const float* scale, const float* shift, std::uint32_t row, const NormShape& of,
                 float* affine, cudaStream_t stream);
// y [images, pixels, channels] = act(a x + b).
template <class T>
void norm_apply(const NormPart<T>& part, const NormShape& of, const float* affine, bool silu, T* y,
                cudaStream_t stream);
// dz [images, pixels, width] = grad act'(a x + b) of grad [images, pixels, channels], and partial sums of dz and dz x.
template <class T>
void norm_apply_grad(const T* grad, const NormPart<T>& part, const NormShape& of, const float* affine, bool silu, T* dz,
                     float* partial, cudaStream_t stream);
// From sums [2, images, channels] of dz and dz x: the gradients of scale and shift [images, channels], and mix [3,
// images, channels], the p, q and r of norm_mix.
void norm_backward(const double* sums, const float* moments, const float* scale, std::uint32_t row, const NormShape& of,
                   float* gscale, float* gshift, float* mix, cudaStream_t stream);
// dz = p dz + q x + r
template <class T>
void norm_mix(const NormPart<T>& part, const NormShape& of, const float* mix, T* dz, cudaStream_t stream);

}  // namespace pairs::ops::kernels
