#pragma once

// The lowest compute capability that libpairs_cuda.so has code for, 80 for 8.0; needed even before the module can be
// opened.
inline constexpr int kLowestCapability = 80;

// How libpairs_cuda.so was built; looked up by name in the open module. See CudaBuild in core/base/gpu/cuda_support.h.
extern "C" void pairs_cuda_build(int* toolkit, int* lowest, int* newest);
