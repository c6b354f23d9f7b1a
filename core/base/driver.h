#pragma once

#include <string>
#include <vector>

namespace pairs {

// What the NVIDIA driver itself says, asked without any CUDA library of ours.
struct CudaDriver {
  bool loaded = false;
  std::string reason;             // why it cannot be used, when it cannot
  int version = 0;                // 13000 for CUDA 13.0, 0 when unknown
  std::vector<std::string> gpus;  // "NVIDIA H100, 79.6 GiB, compute capability 9.0"
};

// Asks once; later calls return the same answer.
const CudaDriver& cuda_driver();

}  // namespace pairs
