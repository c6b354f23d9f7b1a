#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/gpu/driver.h"

namespace pairs {

// What libpairs_cuda.so was built with and for (cmake/CudaModule.cmake).
struct CudaBuild {
  int toolkit = 0;  // 13000 for CUDA 13.0
  int lowest = 0,
      newest = 0;  // compute capabilities with machine code, 80 for 8.0; code for `newest` is also there as PTX
};

// Everything that determines whether a GPU can run this program.
struct CudaFacts {
  CudaDriver driver;
  std::string module;            // why libpairs_cuda.so is not open; "" if it is
  bool lacks_libraries = false;  // it does not load for lack of CUDA libraries that can be fetched (gpu_libraries.h)
  std::string fetched;           // the folder of fetched libraries if they do not load; "" otherwise
  CudaBuild build;               // how the open module was built
  std::size_t visible = 0;       // GPUs that LibTorch sees
};

// Why the driver cannot serve the CUDA version `needed` (13000 for 13.0), in one sentence; "" if it can.
std::string driver_problem(const CudaDriver& driver, int needed);

// Why a GPU of older design than compute capability `lowest` (80 for 8.0) cannot run code for that; "" if it can.
std::string capability_problem(const Gpu& gpu, int lowest);

// Why GPU `ordinal` cannot run this program's CUDA code, in one sentence with a remedy; "" if it can.
std::string gpu_problem(const CudaFacts& facts, std::size_t ordinal);

// The first usable GPU; nothing if there is none.
std::optional<std::size_t> usable_gpu(const CudaFacts& facts);

}  // namespace pairs
