#include "core/base/gpu/gpu_libraries.h"

#include <dlfcn.h>

#include "core/base/files/digest.h"
#include "core/base/files/files.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/text/text.h"

namespace pairs {
std::filesystem::path gpu_libraries_list() {
  const std::filesystem::path assets = assets_folder(), name = "torch-gpu.txt";
  for (const auto& place : {assets / name, assets.parent_path() / "third_party" / name})
    if (std::error_code error; std::filesystem::exists(place, error)) return place;
  fail("{}, the list of a GPU's libraries, is missing; install Pairs Studio again",
       printable((assets / name).string(), 300));
}

std::filesystem::path gpu_libraries_folder() {
  constexpr std::size_t kDigits = 12;
  return caches_folder() / (kGpuLibraries + sha256_of(gpu_libraries_list()).substr(0, kDigits));
}

std::string open_gpu_libraries(const std::filesystem::path& folder) {
  const auto problem_of = [&](const char* name) -> std::string {
    if (::dlopen((folder / "torch" / "lib" / name).c_str(), RTLD_LAZY | RTLD_GLOBAL)) return "";
    const char* const problem = ::dlerror();
    return problem ? problem : fmt::format("{} does not load", name);
  };
  for (const char* const name : {"libc10_cuda.so", "libtorch_cuda.so"})
    if (std::string problem = problem_of(name); !problem.empty()) return problem;
  // LibTorch opens these by name on demand; opening them now shows the reason if one does not load.
  for (const char* const name : {"libtorch_cuda_linalg.so", "libcaffe2_nvrtc.so"})
    if (const std::string problem = problem_of(name); !problem.empty()) spdlog::debug("Not opened: {}", problem);
  return "";
}

}  // namespace pairs
