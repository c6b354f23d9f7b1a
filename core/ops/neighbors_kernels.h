#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace pairs::ops::kernels {

// Coordinates [rows, 3] in segments offsets[m] .. offsets[m + 1] - 1, on the current device.
struct Places {
  const double* places;
  const std::int64_t* offsets;
  std::int64_t rows, segments;
};

// counts[rows]: neighbors of each row, at most `most`, nearer than the square root of `limit`.
void count_neighbors(const Places& of, double limit, std::int64_t most, std::int64_t* counts, cudaStream_t stream);

// The neighbors' rows, ascending, and distances; row i's begin at start[i].
void list_neighbors(const Places& of, double limit, std::int64_t most, const std::int64_t* start, std::int32_t* index,
                    double* distance, cudaStream_t stream);

}  // namespace pairs::ops::kernels
