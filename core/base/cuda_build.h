#pragma once

// The lowest compute capability that libpairs_cuda.so has code for, 80 for 8.0; it is asked for before the module can
// be opened, too.
inline constexpr int kLowestCapability = 80;

// What libpairs_cuda.so tells of itself, found by name in the open module: see CudaBuild in core/base/cuda_support.h.
extern "C" void pairs_cuda_build(int* toolkit, int* lowest, int* newest);
