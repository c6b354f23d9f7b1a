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
  std::string reason;  // why not, in one sentence, when not usable
};

// Opens libpairs_cuda.so, beside the program or in ../lib, where there is an NVIDIA driver that can run it, and sets
// LibTorch to float32 (no TF32) and to algorithms whose results repeat bit for bit. LibTorch remembers its first answer
// about CUDA: call this at the start of main, before anything asks it. The functions below do so themselves; once.
void start_devices();

// Why "auto" picks no GPU, in one sentence; "" when it picks one.
std::string why_no_gpu();

// Why fetching CUDA libraries (app/gpu) would not make a GPU usable, in one sentence; "" when they are all that is
// missing. The answer is that of the start: libraries that were fetched since count at the next one.
std::string why_no_gpu_to_add();

// Every device and whether it can be used; the CPU always can. Where the driver shows no GPU there is still one entry,
// "cuda:0", that says why it cannot be used.
std::vector<DeviceInfo> list_devices();

// "auto" picks the first GPU that can run this program, else the CPU, and the log says once why where there is a
// driver; "cpu"; "cuda", the first usable GPU, and "cuda:N" throw Error with the reason when it is not usable. Any
// other name is a usage Error.
torch::Device choose_device(const std::string& name);

// What decides bit-identical results besides the seed: device, threads, CPU model, instruction set, LibTorch version.
std::string numerics_fingerprint(const torch::Device& device);

}  // namespace pairs
