#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace pairs::ops::kernels {

// Edges between rows, sorted into groups: group r holds begin[r] .. begin[r + 1] - 1, edge order[k] (k itself if order
// is null). All arrays lie on the current device.
struct FilterEdges {
  const std::int64_t *begin, *order;
  const std::int32_t *receiver, *sender;
  const std::int64_t* cell;
  const float* weights;  // [edges, 4]
};

// y[rows, width]: for each row r, the sum over its group of x at the edge's sender (its receiver with `transposed`)
// times the filter.
void filter(const float* x, const float* table, const FilterEdges& of, std::int64_t rows, std::int64_t width,
            bool transposed, float* y, cudaStream_t stream);

// out[points, width]: gradient of the table, where groups are its points - 3 cells.
void table_gradient(const float* grad, const float* x, const FilterEdges& of, std::int64_t points, std::int64_t width,
                    float* out, cudaStream_t stream);

}  // namespace pairs::ops::kernels
