#include "core/base/threads.h"

#include <ATen/Parallel.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/base/log.h"

namespace pairs {
namespace {

std::atomic<std::int64_t> background_threads{0};
std::atomic<std::uint64_t> background_version{0};

}  // namespace

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void use_threads(std::int64_t wanted) {
  const int cores = usable_cores();
  if (wanted > cores)
    spdlog::warn("{} threads are asked for, but this process has {} core{}: that many are used", wanted, cores,
                 cores == 1 ? "" : "s");
  const int threads = wanted > 0 ? static_cast<int>(std::min<std::int64_t>(wanted, cores)) : cores;
  if (at::get_num_threads() != threads) at::set_num_threads(threads);
}

void set_background_threads(std::int64_t wanted) {
  background_threads = wanted;
  ++background_version;
}

void follow_background_threads() {
  thread_local std::uint64_t seen = 0;
  const std::uint64_t version = background_version;
  if (version == seen) return;
  seen = version;
  use_threads(background_threads);
}

}  // namespace pairs
