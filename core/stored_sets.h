#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/numbers/random.h"

namespace pairs {

class Task;

// Shares of stored sets, out of five on average: training (all stages), validation, evaluations.
struct StoredShares {
  static constexpr std::int64_t training = 3, validation = 1, test = 1, all = 5;
};

// Sets that a run will use, as far as that is known before it begins.
struct SetDemand {
  Purpose purpose = Purpose::pretrain;
  std::int64_t first = 0, end = 0;  // their indices lie in [first, end)
  std::int64_t sets = 0;            // how many are drawn
  std::int64_t n = 0;               // observations that each must hold
  std::string use = {};             // "stage 1": its name in sentences
};

// How a demand is met: `held` stored sets hold enough observations, and each is drawn sets / held times.
struct SetService {
  SetDemand demand;
  std::int64_t held = 0;
  std::string text;  // a sentence that describes it
};

// A file of stored sets, and the state that shows whether it has changed.
struct StoredState {
  std::string file, state;
};

// A task's sets that are stored instead of simulated (Task::stored). They are divided once: training sets serve all
// stages, others are for validation, and others only for evaluations.
class StoredSets {
 public:
  virtual ~StoredSets() = default;

  // The task with the sets of each demand drawn from all sets that hold enough observations. Throws a usage error that
  // names the largest usable N if there are none.
  virtual std::shared_ptr<const Task> serving(std::span<const SetDemand> demands) const = 0;
  // How these demands are met, one entry per demand.
  virtual std::vector<SetService> service(std::span<const SetDemand> demands) const = 0;

  // How many different sets a purpose has that hold n observations or more.
  virtual std::int64_t sets(Purpose purpose, std::int64_t n) const = 0;
  // How many observations the set of an index holds, for a task that serves demands.
  virtual std::int64_t held(std::uint64_t seed, Purpose purpose, std::int64_t index) const = 0;
  // The largest n for which every purpose has a set.
  virtual std::int64_t largest_n() const = 0;
  // How many observations a cached set of at least n should hold, at most `wanted`: as many as at least half of the
  // sets of n or more have; 0 if no set holds n.
  virtual std::int64_t observations(std::int64_t n, std::int64_t wanted) const = 0;

  // Whether the observations of a set are in the order in which they were simulated; that of a file may be any other.
  virtual bool in_order() const = 0;

  // The files as they were when the task was made, in order.
  virtual std::vector<StoredState> state() const = 0;
  // Notes on the stored sets, one sentence each: copies, repeated parameters.
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace pairs
