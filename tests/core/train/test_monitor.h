#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "core/train/settings/stages.h"

namespace pairs {

// Asks to stop with a probability of 1 / `one_in` at each poll (0: never); records the events.
class TestMonitor : public Monitor {
 public:
  explicit TestMonitor(std::uint64_t one_in = 0, std::uint64_t seed = 0)
      : one_in_(one_in), stream_(stream_key(seed, Purpose::check), 0) {}
  void event(const Event& event) override { events.push_back(event); }
  void progress(const Progress&) override {}
  bool should_stop() override { return one_in_ > 0 && stream_.below(one_in_) == 0; }

  std::vector<Event> events;

 private:
  std::uint64_t one_in_;
  Stream stream_;
};

// Executes the run in `folder`, which is stopped again and again, once in `one_in` polls. Returns the number of
// stops.
inline int execute_with_stops(const Tasks& tasks, const std::filesystem::path& folder, std::uint64_t one_in) {
  constexpr int kMostStops = 300;
  for (int stops = 0; stops < kMostStops; ++stops) {
    TestMonitor monitor(one_in, static_cast<std::uint64_t>(stops) + 1);
    try {
      execute_run(tasks, folder, monitor);
      return stops;
    } catch (const Stopped&) {
      // The next round goes on.
    }
  }
  ADD_FAILURE() << folder << " was not done after " << kMostStops << " stops";
  return kMostStops;
}

}  // namespace pairs
