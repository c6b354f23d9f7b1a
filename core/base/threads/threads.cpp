#include "core/base/threads/threads.h"

#include <ATen/Parallel.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <thread>

#include "core/base/text/log.h"
#include "core/base/threads/cgroup.h"
#include "core/base/threads/clock.h"

namespace pairs {
namespace {

std::atomic<std::int64_t> set_number{0};
std::atomic<std::uint64_t> background_version{0};

// The cores per task that Slurm grants a job; 0 if unknown, or outside a job.
std::int64_t job_cores() {
  const char* text = std::getenv("SLURM_CPUS_PER_TASK");
  std::int64_t value = 0;
  if (!text) return 0;
  const auto read = std::from_chars(text, text + std::strlen(text), value);
  return read.ec == std::errc() ? value : 0;
}

constexpr double kLooked = 0.1;  // seconds between two checks

// Runs work(t) on each of the threads of parallel loops.
void on_each_thread(const std::function<void(std::size_t)>& work) {
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) work(static_cast<std::size_t>(t));
  });
}

std::vector<int> cores_in(const cpu_set_t& set) {
  std::vector<int> out;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) out.push_back(core);
  return out;
}

// Moves the calling thread to a core, and allows it to leave again at once. Returns the core that it reached; nothing
// if it may not go there.
std::optional<int> visit_core(int core) {
  cpu_set_t mine, one;
  CPU_ZERO(&mine);
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0 || !CPU_ISSET(core, &mine)) return std::nullopt;
  if (::sched_setaffinity(0, sizeof one, &one) != 0) return std::nullopt;
  const int reached = current_core();
  (void)::sched_setaffinity(0, sizeof mine, &mine);
  return reached;
}

}  // namespace

int current_core() {
  return ::sched_getcpu();
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (::sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
  // Read once: a container's limit does not change during a process, and this is called often.
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

std::vector<std::optional<int>> moved_apart(const std::vector<int>& at, const std::vector<int>& usable) {
  std::set<int> taken, free(usable.begin(), usable.end());
  for (const int core : at) free.erase(core);
  std::vector<std::optional<int>> out(at.size());
  for (std::size_t t = 0; t < at.size() && !free.empty(); ++t)
    if (!taken.insert(at[t]).second) out[t] = free.extract(free.begin()).value();
  return out;
}

std::vector<int> keep_threads_apart(const std::function<int()>& core_of_thread) {
  thread_local std::optional<Stopwatch> looked;
  const auto threads = static_cast<std::size_t>(at::get_num_threads());
  if (threads < 2 || at::in_parallel_region() || (looked && looked->seconds() < kLooked)) return {};
  looked.emplace();
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return {};
  const std::vector<int> usable = cores_in(mine);
  if (usable.size() < threads) return {};
  std::vector<int> at(threads, -1);
  on_each_thread([&](std::size_t t) { at[t] = core_of_thread(); });
  const std::vector<std::optional<int>> to = moved_apart(at, usable);
  std::vector<std::optional<int>> reached(threads);
  if (std::any_of(to.begin(), to.end(), [](const auto& core) { return core.has_value(); }))
    on_each_thread([&](std::size_t t) {
      if (to[t]) reached[t] = visit_core(*to[t]);
    });
  std::vector<int> out;
  for (const std::optional<int>& core : reached)
    if (core) out.push_back(*core);
  return out;
}

void set_background_threads(std::int64_t wanted) {
  set_number = wanted;
  ++background_version;
}

void follow_background_threads() {
  thread_local std::uint64_t seen = 0;
  const std::uint64_t version = background_version;
  if (version == seen) return;
  seen = version;
  use_threads(set_number);
}

}  // namespace pairs
