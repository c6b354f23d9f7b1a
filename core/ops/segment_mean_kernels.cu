#include "core/ops/segment_mean_kernels.h"

namespace pairs::ops::kernels {
inline namespace segment_mean_device {

constexpr int kColumns = 32, kLanes = 16;  // threads of a block: columns x rows in flight

struct Range {
  std::int64_t begin, end;
};

__device__ inline Range segment_rows(const std::int64_t* offsets, std::int64_t segment, std::int64_t rows) {
  const std::int64_t begin = offsets[segment] < 0 ? 0 : offsets[segment];
  const std::int64_t end = offsets[segment + 1] > rows ? rows : offsets[segment + 1];
  return {begin, end < begin ? begin : end};
}

// One block per segment and 32 columns; the order of the sums is fixed.
template <class In, class Out>
__global__ void reduce_kernel(const In* x, const std::int64_t* offsets, std::int64_t rows, std::int64_t width,
                              bool divide, Out* out) {
  __shared__ double partial[kLanes][kColumns];
  const Range range = segment_rows(offsets, blockIdx.x, rows);
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * kColumns + threadIdx.x;
  double sum = 0;
  if (column < width)
    for (std::int64_t row = range.begin + threadIdx.y; row < range.end; row += kLanes)
      sum += static_cast<double>(x[row * width + column]);
  partial[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= width) return;
  sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += partial[lane][threadIdx.x];
  const double count = static_cast<double>(range.end - range.begin);
  out[static_cast<std::int64_t>(blockIdx.x) * width + column] = static_cast<Out>(divide ? sum / count : sum);
}

template <class S>
__global__ void spread_kernel(const S* grad, const std::int64_t* offsets, std::int64_t rows, std::int64_t width,
                              S* out) {
  const Range range = segment_rows(offsets, blockIdx.x, rows);
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * kColumns + threadIdx.x;
  if (column >= width) return;
  const S value =
      grad[static_cast<std::int64_t>(blockIdx.x) * width + column] / static_cast<S>(range.end - range.begin);
  for (std::int64_t row = range.begin + threadIdx.y; row < range.end; row += kLanes) out[row * width + column] = value;
}

dim3 grid(std::int64_t segments, std::int64_t width) {
  return {static_cast<unsigned>(segments), static_cast<unsigned>((width + kColumns - 1) / kColumns)};
}

}  // namespace segment_mean_device

template <class In, class Out>
void reduce(const In* x, const Segments& of, bool divide, Out* out, cudaStream_t stream) {
  reduce_kernel<In, Out><<<grid(of.segments, of.width), dim3(kColumns, kLanes), 0, stream>>>(x, of.offsets, of.rows,
                                                                                             of.width, divide, out);
}

template <class S>
void spread(const S* grad, const Segments& of, S* out, cudaStream_t stream) {
  spread_kernel<S>
      <<<grid(of.segments, of.width), dim3(kColumns, kLanes), 0, stream>>>(grad, of.offsets, of.rows, of.width, out);
}

template void reduce(const float*, const Segments&, bool, float*, cudaStream_t);
template void reduce(const float*, const Segments&, bool, double*, cudaStream_t);
template void reduce(const double*, const Segments&, bool, double*, cudaStream_t);
template void spread(const float*, const Segments&, float*, cudaStream_t);
template void spread(const double*, const Segments&, double*, cudaStream_t);

}  // namespace pairs::ops::kernels
