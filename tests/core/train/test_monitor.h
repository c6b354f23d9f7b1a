#pragma once

#include <vector>

#include "core/base/numbers/random.h"
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

}  // namespace pairs
