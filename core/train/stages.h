#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "core/train/config.h"
#include "core/train/events.h"

namespace pairs {

class Ranks;

// An estimator in the middle of its training.
struct Preview {
  Stage stage;
  std::int64_t n;        // a size that it is being trained at: the largest of the stage, or its head's own
  Estimator& estimator;  // in evaluation mode, without gradients
};

// What a stage tells and asks while it runs. Called on the worker thread, between steps.
class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void event(const Event& event) = 0;
  virtual void progress(const Progress& progress) = 0;
  // Blocks while paused. Returns true when the stage must save and leave.
  virtual bool should_stop() = 0;
  // Whether the client wants a look at the estimator now; asked before every step of stages 1 and 3.
  virtual bool wants_preview() { return false; }
  // A look at it, which must change nothing about it and not throw. Training goes on bit for bit as without.
  virtual void preview(const Preview&) {}
  // The processes that train the run together with this one; null: it trains alone.
  virtual Ranks* ranks() { return nullptr; }
  // Whether this process was asked to stop, which ranks tell each other before all of them should_stop().
  virtual bool wants_stop() { return should_stop(); }
};

// Has the task make what its sets are drawn from (Task::prepare), before the first stage. Tells progress, and once that
// took something an event "prepared" with how many of each kind were made and in what time.
void prepare_data(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);

// The three stages as plain functions on a run folder that holds run.toml. Each continues from the folder's last
// checkpoint when there is one, writes its result atomically, and throws Stopped after saving when asked to stop.
// `config` must equal the folder's run.toml.
void pretrain(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);
void build_cache(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);
void finetune(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);

// What a run is expected to need, from FLOP counts and a short measurement of this machine.
struct ExpectedCost {
  double pretrain_seconds, cache_seconds, finetune_seconds;
  double cache_bytes;
  double gflop;  // all stages
  // What other processes took meanwhile, of the machine's cores: beside them everything takes longer.
  double others = 0, cores = 0;
  // Observations that are simulated while a run trains, and the seconds that each takes; 0 where they are stored or
  // prepared once.
  double draws = 0, draw_seconds = 0;
  // Of the simulations within a budget, which are made before stage 1. Whoever has measured the simulator's pace fills it
  // in: that takes simulations which no budget counts.
  double simulate_seconds = 0;
  std::int64_t measured = 0;  // when, in seconds since 1970
};
// The cost that this machine measured earlier for the same settings (KnownCosts), or measures now, which takes a second
// or two: `measuring` is called before that. The machine's load is the present one. Throws Stopped once `stop` says so.
ExpectedCost expected_cost(const RunConfig& config, const std::function<bool()>& stop = {},
                           const std::function<void()>& measuring = {});
// Seconds of all that a run does before it is finished.
double whole_seconds(const ExpectedCost& cost);

}  // namespace pairs
