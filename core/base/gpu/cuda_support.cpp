#include "core/base/gpu/cuda_support.h"

#include <fmt/format.h>

namespace pairs {
namespace {

// 13020 -> "13.2".
std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

std::string driver_problem(const CudaDriver& driver, int needed) {
  if (!driver.reason.empty()) return driver.reason;
  if (driver.version == 0 || driver.version >= needed) return "";
  return fmt::format("the NVIDIA driver supports CUDA {}; install one that supports {}", cuda_version(driver.version),
                     cuda_version(needed));
}

std::string capability_problem(const Gpu& gpu, int lowest) {
  if (10 * gpu.major + gpu.minor >= lowest) return "";
  return fmt::format("the GPU has compute capability {}.{} and this program needs {}.{} or newer; use the CPU",
                     gpu.major, gpu.minor, lowest / 10, lowest % 10);
}

std::string gpu_problem(const CudaFacts& facts, std::size_t ordinal) {
  const CudaDriver& driver = facts.driver;
  if (!driver.reason.empty()) return driver.reason;
  if (!facts.module.empty()) return facts.module;
  if (ordinal >= driver.gpus.size())
    return fmt::format("there is no GPU {}: the NVIDIA driver sees {}; check CUDA_VISIBLE_DEVICES and nvidia-smi",
                       ordinal, driver.gpus.size());
  const Gpu& gpu = driver.gpus[ordinal];
  if (gpu.major == 0) return "the GPU does not report its compute capability; check nvidia-smi";
  if (std::string problem = capability_problem(gpu, facts.build.lowest); !problem.empty()) return problem;
  // Machine code serves its own major version; for later ones the driver compiles PTX, which must not be newer than it.
  if (gpu.major > facts.build.newest / 10 && driver.version != 0 && driver.version < facts.build.toolkit)
    return fmt::format(
        "the driver must compile this program for compute capability {}.{} but supports CUDA {}, and the program was "
        "built with {}; install a newer driver, or build with CUDA {}",
        gpu.major, gpu.minor, cuda_version(driver.version), cuda_version(facts.build.toolkit),
        cuda_version(driver.version));
  if (ordinal >= facts.visible) return "LibTorch does not see the GPU; check the driver with nvidia-smi";
  return "";
}

std::optional<std::size_t> usable_gpu(const CudaFacts& facts) {
  for (std::size_t i = 0; i < facts.driver.gpus.size(); ++i)
    if (gpu_problem(facts, i).empty()) return i;
  return std::nullopt;
}

}  // namespace pairs
