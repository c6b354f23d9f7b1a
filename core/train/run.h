#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/train/stages.h"

namespace pairs {

// How far a run on disk is.
struct RunStatus {
  bool pretrained = false, cached = false, finished = false;
};

namespace run_file {
inline constexpr const char* config = "run.toml";
inline constexpr const char* task = "task.toml";  // copy of the file of a task of a person's own
inline constexpr const char* events = "events.jsonl";
inline constexpr const char* start = "start.safetensors";  // weights that stage 1 starts from, until it is done
inline constexpr const char* pretrained = "pretrained.safetensors";
inline constexpr const char* estimator = "estimator.safetensors";
inline constexpr const char* resume = "resume.safetensors";
inline constexpr const char* partial = "heads.safetensors";  // heads done so far, one head for each N
inline constexpr const char* cache = "aggregates.cache";
inline constexpr const char* pool = "embeddings.cache";  // of single observations, where sets are drawn from a pool
inline constexpr const char* stored = "stored.json";     // the files that its sets are read from, as they were
inline constexpr const char* metrics = "metrics.json";
}  // namespace run_file

// Whether a file of this name is a later generation of the cache: aggregates-2.cache, aggregates-N10-2.cache.
bool is_later_cache(std::string_view name);

// Refuses a folder for a new run that already holds one, naming --resume, or any other file.
void check_new_run(const std::filesystem::path& folder);
// Refuses, as a usage error, weights named by pretrain.from that are not there or do not fit the configuration.
void check_start(const RunConfig& config);
// Makes a new run folder with run.toml, after this check. `folder` empty: runs/<task>-<time> below the current folder.
// The weights of pretrain.from are copied into it, so that the run depends on no other from then on; they are refused
// before anything is written.
std::filesystem::path create_run(const RunConfig& config, const std::filesystem::path& folder);
// The folder of a new run, made where it is not there; `wanted` empty: runs/<task>-<time> of this process alone,
// however many start at once. Throws Error where it cannot be made.
std::filesystem::path make_run_folder(const RunConfig& config, const std::filesystem::path& wanted);
// For those who fill a new run's folder: takes what was written there away again, and the folder where it was made for
// the run, unless keep() says that the run is whole.
class UnmadeRun {
 public:
  // `there`: the folder stood there before.
  UnmadeRun(std::filesystem::path folder, bool there) : folder_(std::move(folder)), there_(there) {}
  ~UnmadeRun();
  UnmadeRun(const UnmadeRun&) = delete;
  UnmadeRun& operator=(const UnmadeRun&) = delete;
  void keep() { kept_ = true; }

 private:
  std::filesystem::path folder_;
  bool there_, kept_ = false;
};
RunStatus run_status(const std::filesystem::path& run);

// Runs every stage of a run of one of `tasks` that is missing, up to and including `until`, under the folder's lock.
// Of several `ranks`, which all execute the same run, the first writes its folder and the others read it. Throws
// Stopped (saved) or Error.
void execute_run(const Tasks& tasks, const std::filesystem::path& run, Monitor& monitor, Stage until = Stage::finetune,
                 Ranks* ranks = nullptr);

// A finished run ready to use: from a run folder, or a task's name for the shipped weights that fit its data.
struct LoadedRun {
  std::filesystem::path folder;
  RunConfig config;
  std::shared_ptr<const Task> task;
  std::shared_ptr<Estimator> estimator;
  std::string name;  // for people: folder name or "gaussian (shipped)"
  bool finetuned;    // false: stage 1 only
};
// Checksum of the run's weights, as files beside them name those that they are about.
std::string weights_checksum(const LoadedRun& run);
std::string weights_checksum(const std::filesystem::path& weights);  // of a file of weights
// Whether sets of n are none that the run was trained for: end-to-end training, and stage 1 alone, see a few sizes
// only.
bool extrapolates(const LoadedRun& run, std::int64_t n);
struct RunFolder {
  std::filesystem::path folder;
  std::string name;  // as LoadedRun::name
};
// The run folder `run`, the shipped weights of the task `run` that fit the data folder `data` (fitting_weights), or
// those whose folder is called `run`. Throws a usage error when it is none of them.
RunFolder find_run(const Tasks& tasks, const std::string& run, const std::string& data = "");
// `data` replaces the run's data folder when not empty. Throws Error saying what is missing and how to get it.
LoadedRun load_run(const Tasks& tasks, const std::string& run, const std::string& data = "",
                   const std::string& device = "auto");

}  // namespace pairs
