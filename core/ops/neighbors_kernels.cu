#include "core/ops/neighbors_kernels.h"

namespace pairs::ops::kernels {
inline namespace neighbors_device {

constexpr int kWarp = 32, kWarps = 4;  // of a block, one row each

// Rounded as on the CPU, where nothing is contracted to fused multiply-adds.
__device__ inline double squared_distance(const double* a, const double* b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return __dadd_rn(__dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y)), __dmul_rn(z, z));
}

// The segment that holds a row.
__device__ inline std::int64_t segment_of(const Places& of, std::int64_t row) {
  std::int64_t low = 0, high = of.segments - 1;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (of.offsets[middle] <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// One warp per row; each lane ranks one candidate among all of the segment. A null start only counts.
__global__ void neighbors_kernel(Places of, double limit, std::int64_t most, const std::int64_t* start,
                                 std::int64_t* counts, std::int32_t* index, double* distance) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.y;
  if (row >= of.rows) return;
  const int lane = threadIdx.x;
  const std::int64_t segment = segment_of(of, row);
  const std::int64_t begin = of.offsets[segment];
  const std::int64_t end = of.offsets[segment + 1] > of.rows ? of.rows : of.offsets[segment + 1];
  const double* here = of.places + 3 * row;
  std::int64_t found = 0;
  for (std::int64_t base = begin; base < end; base += kWarp) {
    const std::int64_t j = base + lane;
    bool kept = false;
    double own = 0;
    if (j < end && j != row) {
      own = squared_distance(of.places + 3 * j, here);
      if (own < limit) {
        std::int64_t nearer = 0;
        for (std::int64_t k = begin; k < end; ++k) {
          if (k == row) continue;
          const double other = squared_distance(of.places + 3 * k, here);
          nearer += other < own || (other == own && k < j);
        }
        kept = nearer < most;
      }
    }
    const unsigned all = __ballot_sync(0xffffffffu, kept);
    if (kept && start != nullptr) {
      const std::int64_t to = start[row] + found + __popc(all & ((1u << lane) - 1u));
      index[to] = static_cast<std::int32_t>(j);
      distance[to] = sqrt(own);
    }
    found += __popc(all);
  }
  if (lane == 0 && counts != nullptr) counts[row] = found;
}

void launch(const Places& of, double limit, std::int64_t most, const std::int64_t* start, std::int64_t* counts,
            std::int32_t* index, double* distance, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((of.rows + kWarps - 1) / kWarps);
  neighbors_kernel<<<blocks, dim3(kWarp, kWarps), 0, stream>>>(of, limit, most, start, counts, index, distance);
}

}  // namespace neighbors_device

void count_neighbors(const Places& of, double limit, std::int64_t most, std::int64_t* counts, cudaStream_t stream) {
  launch(of, limit, most, nullptr, counts, nullptr, nullptr, stream);
}

void list_neighbors(const Places& of, double limit, std::int64_t most, const std::int64_t* start, std::int32_t* index,
                    double* distance, cudaStream_t stream) {
  launch(of, limit, most, start, nullptr, index, distance, stream);
}

}  // namespace pairs::ops::kernels
