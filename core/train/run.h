#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/train/stages.h"

namespace pairs {

// How far a run on disk is.
struct RunStatus {
  bool pretrained = false, cached = false, finished = false;
};

namespace run_file {
inline constexpr const char* config = "run.toml";
inline constexpr const char* events = "events.jsonl";
inline constexpr const char* pretrained = "pretrained.safetensors";
inline constexpr const char* estimator = "estimator.safetensors";
inline constexpr const char* resume = "resume.safetensors";
inline constexpr const char* partial = "heads.safetensors";  // heads done so far, one head for each N
inline constexpr const char* cache = "aggregates.cache";
inline constexpr const char* metrics = "metrics.json";
}  // namespace run_file

// Makes a new run folder with run.toml. `folder` empty: runs/<task>-<time> below the current folder. Refuses a folder
// that already holds a run, naming --resume.
std::filesystem::path create_run(const RunConfig& config, const std::filesystem::path& folder);
RunStatus run_status(const std::filesystem::path& run);

// Runs every stage that is missing, up to and including `until`, under the folder's lock. Throws Stopped (saved) or
// Error.
void execute_run(const std::filesystem::path& run, Monitor& monitor, Stage until = Stage::finetune);

// A finished run ready to use: from a run folder, or a task's name for its shipped weights.
struct LoadedRun {
  std::filesystem::path folder;
  RunConfig config;
  std::shared_ptr<const Task> task;
  std::shared_ptr<Estimator> estimator;
  std::string name;  // for people: folder name or "gaussian (shipped)"
  bool finetuned;    // false: stage 1 only
};
struct RunFolder {
  std::filesystem::path folder;
  std::string name;  // as LoadedRun::name
};
// The run folder `run`, or the shipped weights of the task `run`. Throws a usage error when it is neither.
RunFolder find_run(const std::string& run);
// `data` replaces the run's data folder when not empty. Throws Error saying what is missing and how to get it.
LoadedRun load_run(const std::string& run, const std::string& data = "", const std::string& device = "auto");

}  // namespace pairs
