#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/random.h"

namespace pairs {

class Task;

// How stored sets are divided, of five on average: training (all stages), validation, evaluations.
struct StoredShares {
  static constexpr std::int64_t training = 3, validation = 1, test = 1, all = 5;
};

// Sets that a run is going to draw, as far as that is known before it begins.
struct SetDemand {
  Purpose purpose = Purpose::pretrain;
  std::int64_t first = 0, end = 0;  // their indices lie in [first, end)
  std::int64_t sets = 0;            // how many are drawn
  std::int64_t n = 0;               // observations that each must hold
  std::string use = {};             // "stage 1": where sentences name it
};

// How one demand is met: `held` stored sets hold enough observations, each of which is drawn sets / held times.
struct SetService {
  SetDemand demand;
  std::int64_t held = 0;
  std::string text;  // for people, one sentence
};

// A file that sets are read from, and what tells whether it is still the same.
struct StoredState {
  std::string file, state;
};

// What a task holds of sets that are stored instead of simulated (Task::stored). Sets are divided once: those of
// training serve the stages, others validate them, and others again are for evaluations alone.
class StoredSets {
 public:
  virtual ~StoredSets() = default;

  // The same task, drawing the sets of each demand's indices from all those that hold enough observations. Throws a
  // usage error that says at which N it must stop where there are none.
  virtual std::shared_ptr<const Task> serving(std::span<const SetDemand> demands) const = 0;
  // How these demands are met, one a demand.
  virtual std::vector<SetService> service(std::span<const SetDemand> demands) const = 0;

  // How many different sets a purpose has that hold n observations or more.
  virtual std::int64_t sets(Purpose purpose, std::int64_t n) const = 0;
  // The largest n for which every purpose has a set.
  virtual std::int64_t largest_n() const = 0;
  // How many observations a cached set that must hold n is made of, at most `wanted`: as many as at least half of the
  // sets that hold n have; 0 where no set holds n.
  virtual std::int64_t observations(std::int64_t n, std::int64_t wanted) const = 0;

  // The files as they were when the task was made, in order.
  virtual std::vector<StoredState> state() const = 0;
  // What is worth knowing of what is stored, a sentence each: copies, parameters that repeat.
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace pairs
