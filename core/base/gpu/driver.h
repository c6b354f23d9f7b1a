#pragma once

#include <string>
#include <vector>

namespace pairs {

// One GPU as the driver describes it.
struct Gpu {
  std::string description;   // "NVIDIA H100, 79.6 GiB, compute capability 9.0"
  int major = 0, minor = 0;  // compute capability; 0.0 if unknown
};

// What the NVIDIA driver reports, queried without any CUDA library of ours.
struct CudaDriver {
  bool loaded = false;
  std::string reason;  // why it cannot be used; "" if it can
  int version = 0;     // 13000 for CUDA 13.0, 0 if unknown
  std::vector<Gpu> gpus;
};

// Queries the driver once; later calls return the same result.
const CudaDriver& cuda_driver();

}  // namespace pairs
