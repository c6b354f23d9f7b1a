#include "core/ops/continuous_filter_kernels.h"

namespace pairs::ops::kernels {
inline namespace continuous_filter_device {

constexpr int kColumns = 32, kLanes = 8;  // threads of a block: columns x edges in flight

// One block per row and 32 columns; the order of the sums is fixed.
__global__ void filter_kernel(const float* x, const float* table, FilterEdges of, std::int64_t width, bool transposed,
                              float* y) {
  __shared__ float partial[kLanes][kColumns];
  const std::int64_t row = blockIdx.x, column = static_cast<std::int64_t>(blockIdx.y) * kColumns + threadIdx.x;
  float sum = 0;
  if (column < width)
    for (std::int64_t k = of.begin[row] + threadIdx.y; k < of.begin[row + 1]; k += kLanes) {
      const std::int64_t e = of.order == nullptr ? k : of.order[k];
      const std::int64_t other = transposed ? of.receiver[e] : of.sender[e];
      const float *point = table + of.cell[e] * width + column, *weight = of.weights + 4 * e;
      const float w =
          weight[0] * point[0] + weight[1] * point[width] + weight[2] * point[2 * width] + weight[3] * point[3 * width];
      sum += w * x[other * width + column];
    }
  partial[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= width) return;
  sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += partial[lane][threadIdx.x];
  y[row * width + column] = sum;
}

// One block per point and 32 columns: the edges of the four cells that use the point.
__global__ void table_kernel(const float* grad, const float* x, FilterEdges of, std::int64_t cells, std::int64_t width,
                             float* out) {
  __shared__ float partial[kLanes][kColumns];
  const std::int64_t point = blockIdx.x, column = static_cast<std::int64_t>(blockIdx.y) * kColumns + threadIdx.x;
  float sum = 0;
  if (column < width)
    for (int which = 0; which < 4; ++which) {
      const std::int64_t cell = point - which;
      if (cell < 0 || cell >= cells) continue;
      for (std::int64_t k = of.begin[cell] + threadIdx.y; k < of.begin[cell + 1]; k += kLanes) {
        const std::int64_t e = of.order[k];
        sum += of.weights[4 * e + which] * grad[of.receiver[e] * width + column] * x[of.sender[e] * width + column];
      }
    }
  partial[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= width) return;
  sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += partial[lane][threadIdx.x];
  out[point * width + column] = sum;
}

dim3 blocks(std::int64_t rows, std::int64_t width) {
  return {static_cast<unsigned>(rows), static_cast<unsigned>((width + kColumns - 1) / kColumns)};
}

}  // namespace continuous_filter_device

void filter(const float* x, const float* table, const FilterEdges& of, std::int64_t rows, std::int64_t width,
            bool transposed, float* y, cudaStream_t stream) {
  filter_kernel<<<blocks(rows, width), dim3(kColumns, kLanes), 0, stream>>>(x, table, of, width, transposed, y);
}

void table_gradient(const float* grad, const float* x, const FilterEdges& of, std::int64_t points, std::int64_t width,
                    float* out, cudaStream_t stream) {
  table_kernel<<<blocks(points, width), dim3(kColumns, kLanes), 0, stream>>>(grad, x, of, points - 3, width, out);
}

}  // namespace pairs::ops::kernels
