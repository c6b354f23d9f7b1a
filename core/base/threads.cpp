#include "core/base/threads.h"

#include <ATen/Parallel.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "core/base/cgroup.h"
#include "core/base/log.h"

namespace pairs {
namespace {

std::atomic<std::int64_t> background_threads{0};
std::atomic<std::uint64_t> background_version{0};

// What a Slurm job may use of the machine for each of its tasks; 0: it does not say, or this is none.
std::int64_t job_cores() {
  const char* text = std::getenv("SLURM_CPUS_PER_TASK");
  std::int64_t value = 0;
  if (!text) return 0;
  const auto read = std::from_chars(text, text + std::strlen(text), value);
  return read.ec == std::errc() ? value : 0;
}

}  // namespace

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (::sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
  // Asked once: a container's limit does not change under a process, and this is called often.
  static const std::optional<double> limit = container_cores();
  if (limit) cores = std::min(cores, static_cast<int>(std::ceil(*limit)));
  if (const std::int64_t job = job_cores(); job > 0) cores = static_cast<int>(std::min<std::int64_t>(cores, job));
  return std::max(1, cores);
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
