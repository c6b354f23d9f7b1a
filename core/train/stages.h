#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "core/train/config.h"
#include "core/train/events.h"

namespace pairs {

// What a stage tells and asks while it runs. Called on the worker thread, between steps.
class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void event(const Event& event) = 0;
  virtual void progress(const Progress& progress) = 0;
  // Blocks while paused. Returns true when the stage must save and leave.
  virtual bool should_stop() = 0;
};

// The three stages as plain functions on a run folder that holds run.toml. Each continues from the folder's last
// checkpoint when there is one, writes its result atomically, and throws Stopped after saving when asked to stop.
// `config` must equal the folder's run.toml.
void pretrain(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);
void build_cache(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);
void finetune(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);

// What a run is expected to need, from FLOP counts and a short measurement of this machine.
struct Expectation {
  double pretrain_seconds, cache_seconds, finetune_seconds;
  double cache_bytes;
  double gflop;  // all stages
};
Expectation expect(const RunConfig& config);

}  // namespace pairs
