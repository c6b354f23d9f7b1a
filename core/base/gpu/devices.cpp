#include "core/base/gpu/devices.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <torch/headeronly/version.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/gpu/cuda_build.h"
#include "core/base/gpu/cuda_support.h"
#include "core/base/gpu/gpu_libraries.h"
#include "core/base/system/program_part.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/text/text.h"
#include "core/base/threads/threads.h"

namespace pairs {
namespace {

constexpr const char* module_name = "libpairs_cuda.so";

// Sets float32 and reproducible results, for every device and every part of LibTorch.
void make_repeatable() {
  // cuBLAS reads this when it starts; with other values results depend on what else runs.
  const char* const workspace = std::getenv("CUBLAS_WORKSPACE_CONFIG");
  if (!workspace || (std::string_view(workspace) != ":4096:8" && std::string_view(workspace) != ":16:8"))
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 1);
  at::Context& context = at::globalContext();
  context.setAllowTF32CuDNN(false);
  context.setAllowTF32CuBLAS(false);
  // Sums of bfloat16 products are in float32; cuBLAS does not allow disabling its split sums, which are reproducible,
  // too.
  context.setAllowBF16ReductionCuBLAS(false, true);
  context.setBenchmarkCuDNN(false);
  context.setDeterministicCuDNN(true);
  // An operator that has no reproducible algorithm throws.
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  context.setDeterministicFillUninitializedMemory(false);
}

// Opens the module at that place, together with libraries fetched for it if LibTorch has none. On failure returns null
// and sets `problem` to the loader's message and facts.lacks_libraries to whether the libraries can be fetched.
void* open_with_libraries(const std::filesystem::path& place, CudaFacts& facts, std::string& problem) {
  const auto open = [&]() -> void* {
    void* const module = ::dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (const char* const said = module ? nullptr : ::dlerror()) problem = said;
    return module;
  };
  void* module = open();
  if (module || problem.find("cannot open shared object file") == std::string::npos) return module;
  try {
    const std::filesystem::path folder = gpu_libraries_folder();
    facts.lacks_libraries = !std::filesystem::exists(folder);
    if (facts.lacks_libraries) return nullptr;
    problem = open_gpu_libraries(folder);
    if (problem.empty())
      module = open();
    else
      facts.fetched = folder.string();
  } catch (const Error& error) {  // no folder for them, or no list: the loader's message stays
    spdlog::debug("No CUDA libraries are looked for: {}", error.what());
  }
  return module;
}

// Opens the module; on failure facts.module receives the reason.
void open_module(CudaFacts& facts) {
  facts.module = driver_problem(facts.driver, kNeededCuda);
  if (!facts.module.empty()) return;
  const std::filesystem::path place = program_part(module_name);
  if (place.empty()) {
    facts.module =
        fmt::format("{} is neither next to the program nor in ../lib; build with nvcc installed", module_name);
    return;
  }
  std::string problem = "unknown";
  void* const module = open_with_libraries(place, facts, problem);
  const auto build =
      module ? reinterpret_cast<decltype(&pairs_cuda_build)>(::dlsym(module, "pairs_cuda_build")) : nullptr;
  if (facts.lacks_libraries)
    facts.module =
        "the CUDA libraries that a GPU needs are not installed; fetch them with pairs --batch devices --add-gpu";
  else if (!facts.fetched.empty())
    facts.module = fmt::format(
        "the CUDA libraries that were fetched into {} are damaged ({}); remove them with pairs --batch devices "
        "--remove-gpu, then fetch them again with --add-gpu",
        printable(facts.fetched, 300), printable(problem, 300));
  else if (!module)
    facts.module = fmt::format("{} does not load ({}); reinstall, or build it against this machine's LibTorch",
                               printable(place.string(), 300), printable(problem, 300));
  else if (!build)
    facts.module = fmt::format("{} is of another version; build it again", printable(place.string(), 300));
  else
    build(&facts.build.toolkit, &facts.build.lowest, &facts.build.newest);
}

const CudaFacts& cuda_facts() {
  static const CudaFacts facts = [] {
    CudaFacts out;
    out.driver = cuda_driver();
    open_module(out);
    make_repeatable();
    if (out.module.empty() && at::globalContext().hasCUDA()) out.visible = at::getNumGPUs();
    return out;
  }();
  return facts;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != line.npos && line.starts_with("model name")) return printable(line.substr(colon + 2), 120);
  }
  return "CPU of unknown model";
}

std::string gpu_text(std::size_t ordinal) {
  const auto& gpus = cuda_facts().driver.gpus;
  return ordinal < gpus.size() ? gpus[ordinal].description : "NVIDIA GPU";
}

}  // namespace

void start_devices() {
  cuda_facts();
}

std::string why_no_gpu() {
  return usable_gpu(cuda_facts()) ? "" : gpu_problem(cuda_facts(), 0);
}

std::string why_no_gpu_to_add() {
  const CudaFacts& facts = cuda_facts();
  if (facts.lacks_libraries) {
    std::string problem;
    for (const Gpu& gpu : facts.driver.gpus)
      if ((problem = capability_problem(gpu, kLowestCapability)).empty()) return "";
    return problem;
  }
  return facts.module.empty() ? "the CUDA libraries are installed: nothing is missing" : facts.module;
}

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices;
  const int cores = usable_cores();
  devices.push_back(
      {"cpu", fmt::format("{}, {} core{}, {}", cpu_model(), cores, cores == 1 ? "" : "s", at::get_cpu_capability()),
       true, ""});
  const std::size_t count = std::max<std::size_t>(1, cuda_facts().driver.gpus.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string problem = gpu_problem(cuda_facts(), i);
    devices.push_back({fmt::format("cuda:{}", i), gpu_text(i), problem.empty(), problem});
  }
  return devices;
}

torch::Device choose_device(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  const CudaFacts& facts = cuda_facts();
  const std::optional<std::size_t> first = usable_gpu(facts);
  if (name == "auto" && !first) {
    static std::once_flag reported;
    if (facts.driver.loaded) std::call_once(reported, [] { spdlog::warn("No GPU is used: {}", why_no_gpu()); });
    return torch::kCPU;
  }
  std::size_t ordinal = first.value_or(0);
  bool known = name == "auto" || name == "cuda";
  if (name.starts_with("cuda:")) {
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 5, end, ordinal);
    known = error == std::errc() && stop == end && ordinal <= std::numeric_limits<c10::DeviceIndex>::max();
  }
  if (!known) fail_usage("unknown device '{}'; choose auto, cpu, cuda or cuda:N", printable(name));
  const std::string problem = gpu_problem(facts, ordinal);
  PAIRS_CHECK(problem.empty(), "device {} cannot be used: {}", name, problem);
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
