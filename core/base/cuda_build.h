#pragma once

// What libpairs_cuda.so tells of itself, found by name in the open module: see CudaBuild in core/base/cuda_support.h.
extern "C" void pairs_cuda_build(int* toolkit, int* lowest, int* newest);
