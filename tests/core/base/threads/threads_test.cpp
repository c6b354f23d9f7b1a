#include "core/base/threads/threads.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

namespace pairs {
namespace {

TEST(Threads, AreAtMostOneACore) {
  const int before = at::get_num_threads(), cores = usable_cores();
  EXPECT_GE(cores, 1);
  use_threads(1);
  EXPECT_EQ(at::get_num_threads(), 1);
  use_threads(0);
  EXPECT_EQ(at::get_num_threads(), cores);
  use_threads(1);
  use_threads(4096);
  EXPECT_EQ(at::get_num_threads(), cores);
  at::set_num_threads(before);
}

// A core of the set that is not `core`.
int other_core(const cpu_set_t& cores, int core) {
  for (int other = 0; other < CPU_SETSIZE; ++other)
    if (other != core && CPU_ISSET(other, &cores)) return other;
  return core;
}

using Cores = std::vector<std::optional<int>>;

TEST(Threads, OfOneCoreAreMovedToFreeOnes) {
  EXPECT_EQ(moved_apart({0, 1, 2}, {0, 1, 2, 3}), Cores(3));
  EXPECT_EQ(moved_apart({1, 1}, {0, 1}), (Cores{std::nullopt, 0}));
  EXPECT_EQ(moved_apart({5, 7, 5, 5}, {4, 5, 6, 7}), (Cores{std::nullopt, std::nullopt, 4, 6}));
  EXPECT_EQ(moved_apart({2, 2, 2}, {2, 3}), (Cores{std::nullopt, 3, std::nullopt})) << "as far as there are cores";
  EXPECT_EQ(moved_apart({}, {0}), Cores());
}

// Threads that run on one core move to two, and may go anywhere again. Where they run is given here, because the system
// moves threads whenever other processes want their cores.
TEST(Threads, AreMovedApart) {
  if (usable_cores() < 2) GTEST_SKIP() << "needs two cores";
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const int here = current_core();
  std::thread([&] {  // whose loops have threads of their own
    use_threads(2);
    const std::vector<int> reached = keep_threads_apart([&] { return here; });
    ASSERT_EQ(reached.size(), 1U) << "one of the two may stay";
    EXPECT_NE(reached[0], here);
    EXPECT_TRUE(CPU_ISSET(reached[0], &before));
    at::parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
      cpu_set_t now;
      EXPECT_EQ(::sched_getaffinity(0, sizeof now, &now), 0);
      EXPECT_TRUE(CPU_EQUAL(&now, &before));
    });
    EXPECT_TRUE(keep_threads_apart([&] { return here; }).empty()) << "at most ten checks a second";
  })
      .join();
  std::thread([&] {
    use_threads(2);
    std::atomic<int> next{0};
    int at[2] = {here, other_core(before, here)};
    EXPECT_TRUE(keep_threads_apart([&] { return at[next++ % 2]; }).empty()) << "threads on two cores stay";
  }).join();
}

}  // namespace
}  // namespace pairs
