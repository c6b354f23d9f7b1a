#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/train/events/events.h"
#include "core/train/settings/config.h"

namespace pairs {

class Ranks;

// An estimator in the middle of its training.
struct Preview {
  Stage stage;
  std::int64_t n;        // a size in its training: the largest of the stage, or its head's own
  Estimator& estimator;  // in evaluation mode, without gradients
};

// Receives a stage's reports and controls it. Called on the worker thread, between steps.
class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void event(const Event& event) = 0;
  virtual void progress(const Progress& progress) = 0;
  // Blocks while paused. Returns true if the stage must save and end.
  virtual bool should_stop() = 0;
  // Whether the client requests a preview of the estimator; called before every step of stages 1 and 3.
  virtual bool wants_preview() { return false; }
  // Shows the estimator, which must not be changed; must not throw. Training continues bit for bit as without a
  // preview.
  virtual void preview(const Preview&) {}
  // The processes that train the run together with this one; null: it trains alone.
  virtual Ranks* ranks() { return nullptr; }
  // Whether this process was asked to stop; ranks exchange this before all of them should_stop().
  virtual bool wants_stop() { return should_stop(); }
};

// Makes the task prepare its data (Task::prepare) before the first stage. Reports progress and, if anything was made,
// an event "prepared" with the counts of each kind and the time.
void prepare_data(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);

// The three stages as plain functions on a run folder that holds run.toml. Each continues from the folder's last
// checkpoint if there is one, writes its result atomically, and when asked to stop saves and throws Stopped. `config`
// must equal the folder's run.toml.
void pretrain(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);
void build_cache(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);
void finetune(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);

// Learns the likelihood that a finished run's settings want, where its task may have one, and compares posteriors with
// and without it (core/train/stages/likelihood_stage.h). A run serves without it: where it cannot be learned, `log`
// receives a warning. Throws Stopped.
void learn_likelihood(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor, Monitor& log);

// The expected cost of a run, from FLOP counts and a short measurement on this machine.
struct ExpectedCost {
  double pretrain_seconds, cache_seconds, finetune_seconds;
  double likelihood_seconds = 0;  // 0: none is learned
  double cache_bytes;
  double gflop;  // stages 1 to 3
  // Load of other processes during the measurement, and the machine's cores: under load everything takes longer.
  double others = 0, cores = 0;
  // Observations that are simulated during training, and the seconds for each; 0 if they are stored or prepared once.
  double draws = 0, draw_seconds = 0;
  // Time for the simulations within a budget, which are made before stage 1. Filled in by a caller that has measured
  // the simulator's pace, because that takes simulations outside any budget.
  double simulate_seconds = 0;
  std::int64_t measured = 0;  // the time of the measurement, in seconds since 1970
};
// The cost measured earlier on this machine for the same settings (KnownCosts), or measured now, which takes a second
// or two: `measuring` is called before that. The machine's load is the present one. Throws Stopped once `stop` returns
// true.
ExpectedCost expected_cost(const RunConfig& config, const std::function<bool()>& stop = {},
                           const std::function<void()>& measuring = {});
// Total seconds until a run is finished, with its likelihood.
double whole_seconds(const ExpectedCost& cost);
// The seconds of each stage: pretrain, cache, finetune, likelihood.
std::vector<double> stage_seconds(const ExpectedCost& cost);

}  // namespace pairs
