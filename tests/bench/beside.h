#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace pairs::bench {

// Median seconds of one call: by the wall clock, and of this process's processors, all threads together.
struct Spent {
  double wall = 0, processor = 0;
};

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline Spent time_calls(const std::function<void()>& call, int calls) {
  const auto processor = [] {
    timespec at{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
  };
  const auto start = std::chrono::steady_clock::now();
  const double before = processor();
  for (int i = 0; i < calls; ++i) call();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {wall / calls, (processor() - before) / calls};
}

// The contestants take turns for about `seconds` in all, 7 times at least, so that a busy machine slows all alike;
// medians of what each needs.
inline std::vector<Spent> extra(const std::vector<std::function<void()>>& contestants, double seconds = 0.3) {
  constexpr double kTurn = 2e-3;
  std::vector<int> calls;
  double round = 0;
  for (const auto& call : contestants) {
    call();
    const double once = std::min(time_calls(call, 1).wall, time_calls(call, 1).wall);
    calls.push_back(std::max(1, static_cast<int>(kTurn / std::max(once, 1e-9))));
    round += once * calls.back();
  }
  const int rounds = std::clamp(static_cast<int>(seconds / round), 7, 101);
  std::vector<std::vector<double>> wall(contestants.size()), processor(contestants.size());
  for (int r = 0; r < rounds; ++r)
    for (std::size_t k = 0; k < contestants.size(); ++k) {
      const Spent spent = time_calls(contestants[k], calls[k]);
      wall[k].push_back(spent.wall);
      processor[k].push_back(spent.processor);
    }
  std::vector<Spent> out;
  for (std::size_t k = 0; k < contestants.size(); ++k) out.push_back({median(wall[k]), median(processor[k])});
  return out;
}

}  // namespace pairs::bench
