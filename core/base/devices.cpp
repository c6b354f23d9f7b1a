#include "core/base/devices.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <sched.h>
#include <torch/headeronly/version.h>

#include <charconv>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/base/driver.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace pairs {
namespace {

constexpr const char* module_name = "libpairs_cuda.so";
constexpr int needed_driver = 13000;  // the pinned LibTorch is built for CUDA 13.0

struct ModuleState {
  bool loaded = false;
  std::string reason;
};

ModuleState open_module() {
  const CudaDriver& driver = cuda_driver();
  if (!driver.reason.empty()) return {false, driver.reason};
  if (driver.version != 0 && driver.version < needed_driver)
    return {false,
            fmt::format("the NVIDIA driver supports CUDA {}.{}; install one that supports {}.{}", driver.version / 1000,
                        driver.version % 1000 / 10, needed_driver / 1000, needed_driver % 1000 / 10)};
  const std::filesystem::path folder = program_folder();
  for (const auto& place : {folder / module_name, folder.parent_path() / "lib" / module_name}) {
    std::error_code error;
    if (!std::filesystem::exists(place, error)) continue;
    if (::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL)) return {true, ""};
    const char* const problem = ::dlerror();
    return {false, fmt::format("{} does not load ({}); reinstall, or build it against this machine's LibTorch",
                               printable(place.string(), 300), printable(problem ? problem : "unknown", 300))};
  }
  return {false, fmt::format("{} is neither beside the program nor in ../lib; build with nvcc installed", module_name)};
}

const ModuleState& module_state() {
  static const ModuleState state = open_module();
  return state;
}

// Empty when the module is loaded and LibTorch sees a GPU.
std::string cuda_problem() {
  if (!module_state().loaded) return module_state().reason;
  if (at::globalContext().hasCUDA() && at::getNumGPUs() > 0) return "";
  return "LibTorch sees no GPU; check the driver with nvidia-smi";
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != line.npos && line.starts_with("model name")) return printable(line.substr(colon + 2), 120);
  }
  return "CPU of unknown model";
}

// Cores that this process may run on.
int core_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : at::get_num_threads();
}

std::string gpu_text(std::size_t ordinal) {
  const auto& gpus = cuda_driver().gpus;
  return ordinal < gpus.size() ? gpus[ordinal] : "NVIDIA GPU";
}

}  // namespace

bool load_cuda_module(std::string* reason) {
  const ModuleState& state = module_state();
  if (reason) *reason = state.reason;
  return state.loaded;
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  const int cores = core_count();
  devices.push_back(
      {"cpu", fmt::format("{}, {} core{}, {}", cpu_model(), cores, cores == 1 ? "" : "s", at::get_cpu_capability()),
       true, ""});
  const std::string problem = cuda_problem();
  const std::size_t count = problem.empty() ? at::getNumGPUs() : std::max<std::size_t>(1, cuda_driver().gpus.size());
  for (std::size_t i = 0; i < count; ++i)
    devices.push_back({fmt::format("cuda:{}", i), gpu_text(i), problem.empty(), problem});
  return devices;
}

torch::Device choose_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  if (name == "auto") return cuda_problem().empty() ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
  int ordinal = 0;
  bool known = name == "cuda";
  if (name.starts_with("cuda:")) {
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 5, end, ordinal);
    known = error == std::errc() && stop == end && ordinal >= 0;
  }
  if (!known) fail_usage("unknown device '{}'; choose auto, cpu, cuda or cuda:N", printable(name));
  const std::string problem = cuda_problem();
  PAIRS_CHECK(problem.empty(), "device {} cannot be used: {}", name, problem);
  PAIRS_CHECK(static_cast<std::size_t>(ordinal) < at::getNumGPUs(), "device {} does not exist: there are {} GPUs", name,
              at::getNumGPUs());
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(ordinal)};
}

std::string numerics_fingerprint(const torch::Device& device) {
  const std::string gpu =
      device.is_cuda()
          ? fmt::format(" ({})", gpu_text(device.has_index() ? static_cast<std::size_t>(device.index()) : 0))
          : "";
  return fmt::format("{}{}; {} threads; {}; {}; LibTorch {}", device.str(), gpu, at::get_num_threads(),
                     at::get_cpu_capability(), cpu_model(), TORCH_VERSION);
}

}  // namespace pairs
