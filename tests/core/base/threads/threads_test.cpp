#include "core/base/threads/threads.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <functional>
#include <set>
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

using Cores = std::vector<std::optional<int>>;

TEST(Threads, OfOneCoreAreMovedToFreeOnes) {
  EXPECT_EQ(moved_apart({0, 1, 2}, {0, 1, 2, 3}), Cores(3));
  EXPECT_EQ(moved_apart({1, 1}, {0, 1}), (Cores{std::nullopt, 0}));
  EXPECT_EQ(moved_apart({5, 7, 5, 5}, {4, 5, 6, 7}), (Cores{std::nullopt, std::nullopt, 4, 6}));
  EXPECT_EQ(moved_apart({2, 2, 2}, {2, 3}), (Cores{std::nullopt, 3, std::nullopt})) << "as far as there are cores";
  EXPECT_EQ(moved_apart({}, {0}), Cores());
}

// Where each thread of a parallel loop runs, after `move` was called by each.
std::set<int> cores_after(int threads, const std::function<void()>& move) {
  std::vector<int> cores(static_cast<std::size_t>(threads));
  at::parallel_for(0, threads, 1, [&](std::int64_t begin, std::int64_t) {
    move();
    cores[static_cast<std::size_t>(begin)] = ::sched_getcpu();
  });
  return {cores.begin(), cores.end()};
}

// Threads that were put on one core are found on two, and may go anywhere again. Where other processes want the cores
// the system may move a thread at any moment, so that of five times more than half count.
TEST(Threads, AreKeptApart) {
  if (usable_cores() < 2) GTEST_SKIP() << "needs two cores";
  constexpr int kTries = 5, kMostRounds = 50;
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  // A busy machine may move threads together again for a while: the best of several attempts counts.
  int tries = 0, apart = 0;
  for (int attempt = 0; attempt < 10 && apart <= kTries / 2; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    tries = apart = 0;
    for (int round = 0; round < kMostRounds && tries < kTries; ++round)
      std::thread([&] {  // whose loops have threads of their own
        use_threads(2);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(::sched_getcpu(), &one);
        const std::set<int> together = cores_after(2, [&] {
          (void)::sched_setaffinity(0, sizeof one, &one);
          (void)::sched_setaffinity(0, sizeof before, &before);
        });
        if (together.size() > 1) return;
        ++tries;
        keep_threads_apart();
        apart += cores_after(2, [] {}).size() == 2;
        cores_after(2, [&] {
          cpu_set_t now;
          EXPECT_EQ(::sched_getaffinity(0, sizeof now, &now), 0);
          EXPECT_TRUE(CPU_EQUAL(&now, &before));
        });
      })
          .join();
  }
  EXPECT_EQ(tries, kTries);
  EXPECT_GT(apart, kTries / 2);
}

}  // namespace
}  // namespace pairs
