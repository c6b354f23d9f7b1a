#pragma once

#include <dlfcn.h>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <string>

namespace pairs {

// A line of /proc/self/status in MiB: "VmHWM", the peak of resident memory, or "VmRSS".
inline double megabytes(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stod(line.substr(std::string(key).size() + 1)) / 1024;
  return NAN;
}

// Starts the peak anew; returns whether the system allows it.
inline bool reset_peak() {
  std::ofstream refs("/proc/self/clear_refs");
  refs << "5";
  return static_cast<bool>(refs.flush());
}

// By default the allocator keeps freed tensors or returns them, depending on its history. With this setting it returns
// all freed memory, and the peak is the memory in use. Returns false where the program runs without tcmalloc.
inline bool give_freed_memory_back() {
  const auto set =
      reinterpret_cast<int (*)(const char*, std::size_t)>(::dlsym(RTLD_DEFAULT, "MallocExtension_SetNumericProperty"));
  const auto release = reinterpret_cast<void (*)()>(::dlsym(RTLD_DEFAULT, "MallocExtension_ReleaseFreeMemory"));
  if (set == nullptr || release == nullptr) return false;
  if (set("tcmalloc.aggressive_memory_decommit", 1) == 0) return false;
  release();
  return true;
}

// The reason why peaks cannot be measured here, or an empty string.
inline std::string cannot_measure() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "sanitizers keep freed memory";
#endif
  if (!reset_peak()) return "this kernel does not reset a process's peak memory";
  return give_freed_memory_back() ? "" : "this program was linked without tcmalloc";
}

}  // namespace pairs
