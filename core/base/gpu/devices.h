#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace pairs {

// The CUDA version that the pinned LibTorch is built for, which the driver must support: 13000 for 13.0.
inline constexpr int kNeededCuda = 13000;

struct DeviceInfo {
  std::string name;         // "cpu" or "cuda:0"
  std::string description;  // model, cores and instruction set, or GPU name, memory and compute capability
  bool usable = false;
  std::string reason;  // why not, in one sentence, if it is not usable
};

// Opens libpairs_cuda.so, next to the program or in ../lib, if there is an NVIDIA driver that can run it, and sets
// LibTorch to float32 (no TF32) and to algorithms whose results are reproducible bit for bit. LibTorch caches its first
// answer about CUDA, so call this at the start of main, before any other query. The functions below call it once
// themselves.
void start_devices();

// Why "auto" picks no GPU, in one sentence; "" if it picks one.
std::string why_no_gpu();

// Why fetching CUDA libraries (app/gpu) would not make a GPU usable, in one sentence; "" if they are all that is
// missing. The state is that of the program's start: libraries fetched since then are used after the next start.
std::string why_no_gpu_to_add();

// Lists every device and whether it is usable; the CPU always is. If the driver shows no GPU, the list still has an
// entry "cuda:0" with the reason.
std::vector<DeviceInfo> list_devices();

// Selects a device. "auto" is the first GPU that can run this program, else the CPU; if there is a driver, the log
// states once why. "cuda" (the first usable GPU) and "cuda:N" throw Error with the reason if the GPU is not usable. Any
// other name but "cpu" is a usage Error.
torch::Device choose_device(const std::string& name);

// Everything besides the seed that results depend on bit for bit: device, threads, CPU model, instruction set, LibTorch
// version.
std::string numerics_fingerprint(const torch::Device& device);

}  // namespace pairs
