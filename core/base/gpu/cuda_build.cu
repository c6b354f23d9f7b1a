#include "core/base/gpu/cuda_build.h"

static_assert(PAIRS_CUDA_LOWEST == kLowestCapability, "cmake/CudaModule.cmake and core/base/gpu/cuda_build.h differ");

void pairs_cuda_build(int* toolkit, int* lowest, int* newest) {
  *toolkit = 1000 * __CUDACC_VER_MAJOR__ + 10 * __CUDACC_VER_MINOR__;
  *lowest = PAIRS_CUDA_LOWEST;
  *newest = PAIRS_CUDA_NEWEST;
}
