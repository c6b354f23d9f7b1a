#include "core/ops/group_norm_act_kernels.h"

namespace pairs::ops::kernels {
inline namespace group_norm_act_device {

// Each functor below computes one (row, column); columns are contiguous in memory.
template <class F>
__global__ void each_kernel(F f, std::uint32_t rows, std::uint32_t columns) {
  const std::uint32_t row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  for (std::uint32_t column = threadIdx.x; column < columns; column += blockDim.x) f(row, column);
}

template <class F>
void each(const F& f, std::uint32_t rows, std::uint32_t columns, cudaStream_t stream) {
  const std::uint32_t lanes = columns <= 32 ? 32 : columns <= 64 ? 64 : 128, lines = 256 / lanes;
  each_kernel<<<(rows + lines - 1) / lines, dim3(lanes, lines), 0, stream>>>(f, rows, columns);
}

#define PAIRS_NORM_FUNCTOR __host__ __device__ inline void operator()(std::uint32_t row, std::uint32_t column) const

__host__ __device__ inline std::size_t place(std::uint32_t row, std::uint32_t width, std::uint32_t column) {
  return static_cast<std::size_t>(row) * width + column;
}
__host__ __device__ inline float value(float x) {
  return x;
}
__host__ __device__ inline float value(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__host__ __device__ inline void assign(float& to, float x) {
  to = x;
}
__host__ __device__ inline void assign(__nv_bfloat16& to, float x) {
  to = __float2bfloat16(x);
}
__host__ __device__ inline float sigmoid(float x) {
  return 1.0f / (1.0f + expf(-x));
}

// Rows are (image, chunk): f(pixel's row) over the pixels of one.
template <class F>
__host__ __device__ inline void chunk_pixels(std::uint32_t row, const NormShape& of, const F& f) {
  const std::uint32_t chunks = (of.pixels + kNormChunk - 1) / kNormChunk, image = row / chunks;
  const std::uint32_t begin = (row - image * chunks) * kNormChunk;
  const std::uint32_t end = begin + kNormChunk < of.pixels ? begin + kNormChunk : of.pixels;
  for (std::uint32_t p = begin; p < end; ++p) f(image, image * of.pixels + p);
}

struct Pair {
  float first = 0, second = 0;
};

// partial [2, images, chunks, channels] at (image, chunk) `row`.
__host__ __device__ inline void keep(const NormShape& of, std::uint32_t row, std::uint32_t channel, const Pair& sums,
                                     float* partial) {
  const std::uint32_t chunks = (of.pixels + kNormChunk - 1) / kNormChunk;
  partial[place(row, of.channels, channel)] = sums.first;
  partial[place(of.images * chunks + row, of.channels, channel)] = sums.second;
}

template <class T>
struct Sums {
  NormPart<T> part;
  NormShape of;
  float* partial;
  struct Add {
    const NormPart<T>& part;
    std::uint32_t column;
    Pair& sums;
    __host__ __device__ void operator()(std::uint32_t, std::uint32_t pixel) const {
      const float x = value(part.x[place(pixel, part.width, column)]);
      sums.first += x;
      sums.second += x * x;
    }
  };
  PAIRS_NORM_FUNCTOR {
    Pair sums;
    chunk_pixels(row, of, Add{part, column, sums});
    keep(of, row, part.first + column, sums, partial);
  }
};

// Rows are those of sums, [2, images].
struct Fold {
  const float* partial;
  NormShape of;
  double* sums;
  PAIRS_NORM_FUNCTOR {
    const std::uint32_t chunks = (of.pixels + kNormChunk - 1) / kNormChunk;
    double sum = 0;
    for (std::uint32_t k = 0; k < chunks; ++k)
      sum += static_cast<double>(partial[place(row * chunks + k, of.channels, column)]);
    sums[place(row, of.channels, column)] = sum;
  }
};

// Rows are images, columns groups.
struct Moments {
  const double* sums;
  NormShape of;
  double epsilon;
  float* moments;
  PAIRS_NORM_FUNCTOR {
    const std::uint32_t size = of.channels / of.groups;
    double sum = 0, square = 0;
    for (std::uint32_t c = column * size; c < (column + 1) * size; ++c) {
      sum += sums[place(row, of.channels, c)];
      square += sums[place(of.images + row, of.channels, c)];
    }
    const double count = static_cast<double>(size) * of.pixels, mean = sum / count;
    const double variance = square / count - mean * mean;
    moments[place(row, of.groups, column)] = static_cast<float>(mean);
    moments[place(of.images + row, of.groups, column)] =
        static_cast<float>(1.0 / sqrt((variance > 0 ? variance : 0.0) + epsilon));
  }
};

struct Affine {
  const float *moments, *scale, *shift;
  std::uint32_t step;
  NormShape of;
  float* affine;
  PAIRS_NORM_FUNCTOR {
    const std::uint32_t group = column / (of.channels / of.groups);
    const float mean = moments[place(row, of.groups, group)];
    const float a = scale[place(row, step, column)] * moments[place(of.images + row, of.groups, group)];
    affine[place(row, of.channels, column)] = a;
    affine[place(of.images + row, of.channels, column)] = shift[place(row, step, column)] - a * mean;
  }
};

// Rows are pixels of all images.
template <class T>
struct Apply {
  NormPart<T> part;
  NormShape of;
  const float* affine;
  bool silu;
  T* y;
  PAIRS_NORM_FUNCTOR {
    const std::uint32_t image = row / of.pixels, channel = part.first + column;
    const float z = affine[place(image, of.channels, channel)] * value(part.x[place(row, part.width, column)]) +
                    affine[place(of.images + image, of.channels, channel)];
    assign(y[place(row, of.channels, channel)], silu ? z * sigmoid(z) : z);
  }
};

template <class T>
struct ApplyGrad {
  const T* grad;
  NormPart<T> part;
  NormShape of;
  const float* affine;
  bool silu;
  T* dz;
  float* partial;
  struct Add {
    const ApplyGrad& with;
    std::uint32_t column;
    Pair& sums;
    __host__ __device__ void operator()(std::uint32_t image, std::uint32_t pixel) const {
      const std::uint32_t channels = with.of.channels, channel = with.part.first + column;
      const std::size_t own = place(pixel, with.part.width, column);
      const float x = value(with.part.x[own]);
      float d = value(with.grad[place(pixel, channels, channel)]);
      if (with.silu) {
        const float z = with.affine[place(image, channels, channel)] * x +
                        with.affine[place(with.of.images + image, channels, channel)];
        const float s = sigmoid(z);
        d *= s * (z * (1.0f - s) + 1.0f);
      }
      sums.first += d;
      sums.second += d * x;
      assign(with.dz[own], d);
    }
  };
  PAIRS_NORM_FUNCTOR {
    Pair sums;
    chunk_pixels(row, of, Add{*this, column, sums});
    keep(of, row, part.first + column, sums, partial);
  }
};

// Rows are images, columns groups.
struct Backward {
  const double* sums;
  const float *moments, *scale;
  std::uint32_t step;
  NormShape of;
  float *gscale, *gshift, *mix;
  PAIRS_NORM_FUNCTOR {
    const std::uint32_t size = of.channels / of.groups, begin = column * size, end = begin + size;
    const double mean = moments[place(row, of.groups, column)],
                 inverse = moments[place(of.images + row, of.groups, column)];
    double plain = 0, along = 0;
    for (std::uint32_t c = begin; c < end; ++c) {
      const double sum = sums[place(row, of.channels, c)];
      const double normal = (sums[place(of.images + row, of.channels, c)] - mean * sum) * inverse;
      gscale[place(row, of.channels, c)] = static_cast<float>(normal);
      gshift[place(row, of.channels, c)] = static_cast<float>(sum);
      plain += scale[place(row, step, c)] * sum;
      along += scale[place(row, step, c)] * normal;
    }
    const double count = static_cast<double>(size) * of.pixels;
    plain /= count;
    along /= count;
    for (std::uint32_t c = begin; c < end; ++c) {
      mix[place(row, of.channels, c)] = static_cast<float>(inverse * scale[place(row, step, c)]);
      mix[place(of.images + row, of.channels, c)] = static_cast<float>(-inverse * inverse * along);
      mix[place(2 * of.images + row, of.channels, c)] = static_cast<float>(inverse * (mean * inverse * along - plain));
    }
  }
};

template <class T>
struct Mix {
  NormPart<T> part;
  NormShape of;
  const float* mix;
  T* dz;
  PAIRS_NORM_FUNCTOR {
    const std::uint32_t image = row / of.pixels, channel = part.first + column;
    const std::size_t own = place(row, part.width, column);
    assign(dz[own], mix[place(image, of.channels, channel)] * value(dz[own]) +
                        mix[place(of.images + image, of.channels, channel)] * value(part.x[own]) +
                        mix[place(2 * of.images + image, of.channels, channel)]);
  }
};

#undef PAIRS_NORM_FUNCTOR

}  // namespace group_norm_act_device

template <class T>
void norm_sums(const NormPart<T>& part, const NormShape& of, float* partial, cudaStream_t stream) {
  each(Sums<T>{part, of, partial}, of.images * of.chunks(), part.width, stream);
}

void norm_fold(const float* partial, const NormShape& of, double* sums, cudaStream_t stream) {
  each(Fold{partial, of, sums}, 2 * of.images, of.channels, stream);
}

void norm_moments(const double* sums, const NormShape& of, double epsilon, float* moments, cudaStream_t stream) {
  each(Moments{sums, of, epsilon, moments}, of.images, of.groups, stream);
}

void norm_affine(const float* moments, const float* scale, const float* shift, std::uint32_t row, const NormShape& of,
                 float* affine, cudaStream_t stream) {
  each(Affine{moments, scale, shift, row, of, affine}, of.images, of.channels, stream);
}

template <class T>
void norm_apply(const NormPart<T>& part, const NormShape& of, const float* affine, bool silu, T* y,
                cudaStream_t stream) {
  each(Apply<T>{part, of, affine, silu, y}, of.images * of.pixels, part.width, stream);
}

template <class T>
void norm_apply_grad(const T* grad, const NormPart<T>& part, const NormShape& of, const float* affine, bool silu, T* dz,
                     float* partial, cudaStream_t stream) {
  each(ApplyGrad<T>{grad, part, of, affine, silu, dz, partial}, of.images * of.chunks(), part.width, stream);
}

void norm_backward(const double* sums, const float* moments, const float* scale, std::uint32_t row, const NormShape& of,
                   float* gscale, float* gshift, float* mix, cudaStream_t stream) {
  each(Backward{sums, moments, scale, row, of, gscale, gshift, mix}, of.images, of.groups, stream);
}

template <class T>
void norm_mix(const NormPart<T>& part, const NormShape& of, const float* mix, T* dz, cudaStream_t stream) {
  each(Mix<T>{part, of, mix, dz}, of.images * of.pixels, part.width, stream);
}

template void norm_sums(const NormPart<float>&, const NormShape&, float*, cudaStream_t);
template void norm_sums(const NormPart<__nv_bfloat16>&, const NormShape&, float*, cudaStream_t);
template void norm_apply(const NormPart<float>&, const NormShape&, const float*, bool, float*, cudaStream_t);
template void norm_apply(const NormPart<__nv_bfloat16>&, const NormShape&, const float*, bool, __nv_bfloat16*,
                         cudaStream_t);
template void norm_apply_grad(const float*, const NormPart<float>&, const NormShape&, const float*, bool, float*,
                              float*, cudaStream_t);
template void norm_apply_grad(const __nv_bfloat16*, const NormPart<__nv_bfloat16>&, const NormShape&, const float*,
                              bool, __nv_bfloat16*, float*, cudaStream_t);
template void norm_mix(const NormPart<float>&, const NormShape&, const float*, float*, cudaStream_t);
template void norm_mix(const NormPart<__nv_bfloat16>&, const NormShape&, const float*, __nv_bfloat16*, cudaStream_t);

}  // namespace pairs::ops::kernels
