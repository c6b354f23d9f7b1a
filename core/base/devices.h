#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

namespace pairs {

struct DeviceInfo {
  std::string name;         // "cpu" or "cuda:0"
  std::string description;  // model, cores and instruction set, or GPU name, memory and compute capability
  bool usable = false;
  std::string reason;  // why not, in one sentence, when not usable
};

// Opens libpairs_cuda.so, beside the program or in ../lib, when the NVIDIA driver's libcuda.so.1 loads. Returns true
// when the CUDA operators are registered; safe to call more than once. `reason` says why not. LibTorch remembers its
// first answer about CUDA: call this at the start of main, before anything asks it.
bool load_cuda_module(std::string* reason = nullptr);

// Every device and whether it can be used; the CPU always can. Where the driver shows no GPU there is still one entry,
// "cuda:0", that says why it cannot be used.
std::vector<DeviceInfo> list_devices();

// "auto" picks CUDA where usable, else the CPU; "cpu"; "cuda" or "cuda:N" throws Error with the reason when it is not
// usable. Any other name is a usage Error.
torch::Device choose_device(const std::string& name);

// What decides bit-identical results besides the seed: device, threads, CPU model, instruction set, LibTorch version.
std::string numerics_fingerprint(const torch::Device& device);

}  // namespace pairs
