#include "core/base/gpu/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/text/text.h"

namespace pairs {
namespace {

// Constants of the driver's interface (cuda.h).
constexpr int capability_major = 75, capability_minor = 76;
constexpr int error_no_device = 100;

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

Gpu describe_gpu(void* library, int ordinal) {
  const auto get = find<int(int*, int)>(library, "cuDeviceGet");
  const auto name_of = find<int(char*, int, int)>(library, "cuDeviceGetName");
  const auto memory_of = find<int(std::size_t*, int)>(library, "cuDeviceTotalMem_v2");
  const auto attribute = find<int(int*, int, int)>(library, "cuDeviceGetAttribute");
  int device = 0, major = 0, minor = 0;
  char name[256] = {};
  std::size_t memory = 0;
  if (!get || !name_of || !memory_of || !attribute || get(&device, ordinal) != 0 ||
      name_of(name, sizeof name - 1, device) != 0 || memory_of(&memory, device) != 0 ||
      attribute(&major, capability_major, device) != 0 || attribute(&minor, capability_minor, device) != 0)
    return {"NVIDIA GPU that does not describe itself"};
  return {fmt::format("{}, {}, compute capability {}.{}", printable(name), byte_text(memory), major, minor), major,
          minor};
}

CudaDriver ask() {
  CudaDriver driver;
  void* const library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    driver.reason = "no NVIDIA driver was found (libcuda.so.1); install one to use a GPU";
    return driver;
  }
  driver.loaded = true;
  const auto init = find<int(unsigned)>(library, "cuInit");
  const auto version = find<int(int*)>(library, "cuDriverGetVersion");
  const auto count_of = find<int(int*)>(library, "cuDeviceGetCount");
  if (!init || !version || !count_of) {
    driver.reason = "libcuda.so.1 is not an NVIDIA driver; install one to use a GPU";
    return driver;
  }
  if (version(&driver.version) != 0) driver.version = 0;
  int count = 0;
  int error = init(0);
  if (error == 0) error = count_of(&count);
  if (error == error_no_device || (error == 0 && count == 0))
    driver.reason = "the NVIDIA driver sees no GPU; check CUDA_VISIBLE_DEVICES and nvidia-smi";
  else if (error != 0)
    driver.reason = fmt::format("the NVIDIA driver does not start (error {}); check nvidia-smi", error);
  for (int i = 0; i < count; ++i) driver.gpus.push_back(describe_gpu(library, i));
  return driver;
}

}  // namespace

const CudaDriver& cuda_driver() {
  static const CudaDriver driver = ask();
  return driver;
}

}  // namespace pairs
