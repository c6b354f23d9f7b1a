#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// Launched on a stream of the current device; pointers are to its memory. Like every *_kernels.h, this header is
// independent of LibTorch, so that its .cu compiles in seconds.
namespace pairs::ops::kernels {

// value[count] becomes value * sigmoid(value); slope[count], if not null, receives the derivative. float and double.
template <class S>
void silu(S* value, S* slope, std::int64_t count, cudaStream_t stream);

}  // namespace pairs::ops::kernels
