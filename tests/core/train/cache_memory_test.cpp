// Memory of stage 2 does not depend on N.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/train/aggregate_cache.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

double megabytes(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stod(line.substr(std::string(key).size() + 1)) / 1024;
  return NAN;
}

bool reset_peak() {
  std::ofstream refs("/proc/self/clear_refs");
  refs << "5";
  return static_cast<bool>(refs.flush());
}

// Left to itself the allocator keeps freed tensors or not by its history. Told to give everything back, the peak is
// what was in use. False where the program runs without tcmalloc.
bool give_freed_memory_back() {
  const auto set =
      reinterpret_cast<int (*)(const char*, std::size_t)>(::dlsym(RTLD_DEFAULT, "MallocExtension_SetNumericProperty"));
  const auto release = reinterpret_cast<void (*)()>(::dlsym(RTLD_DEFAULT, "MallocExtension_ReleaseFreeMemory"));
  if (set == nullptr || release == nullptr) return false;
  if (set("tcmalloc.aggressive_memory_decommit", 1) == 0) return false;
  release();
  return true;
}

TEST(CacheMemory, PeakOfStageTwoIsTheSameForAThousandTimesLargerSets) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  if (!reset_peak()) GTEST_SKIP() << "this kernel does not reset a process's peak memory";
  if (!give_freed_memory_back()) GTEST_SKIP() << "this program was linked without tcmalloc";
  EstimatorConfig config;
  config.embedder.kind = "cnn";
  config.embedder.channels = {4, 8};
  config.embedder.kernels = {3, 3};
  config.embedder.size = 8;
  config.head.hidden = 8;
  Estimator estimator(make_task("digits"), config, 1);
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("pairs-memory-{}", ::getpid());
  std::filesystem::create_directories(folder);
  // Both write the same number of bytes. A million images a set with PAIRS_LONG_TESTS=1, else a tenth of that.
  const std::int64_t large = std::getenv("PAIRS_LONG_TESTS") != nullptr ? 1000000 : 100000;
  const auto peak = [&](std::int64_t n) {
    CacheGroup group;
    group.n = n;
    group.training = 1;
    group.validation = 1;
    group.blocks = {n / 2};
    const double before = megabytes("VmRSS:");
    reset_peak();
    write_cache(folder / fmt::format("{}.cache", n), estimator, {group}, 1, 0, 2048, [] { return false; }, {});
    return megabytes("VmHWM:") - before;
  };
  peak(4096);  // pages that the libraries touch once
  const double small_peak = peak(4098), large_peak = peak(large);
  std::filesystem::remove_all(folder);
  RecordProperty("small_mb", std::to_string(small_peak));
  RecordProperty("large_mb", std::to_string(large_peak));
  std::printf("peak above the program's own: %.1f MB at N = 4,098, %.1f MB at N = %ld\n", small_peak, large_peak,
              static_cast<long>(large));
  EXPECT_LT(large_peak, small_peak * 1.1 + 1);
}

}  // namespace
}  // namespace pairs
