#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/train/settings/stages.h"

namespace pairs {

// How far a run on disk has come.
struct RunStatus {
  bool pretrained = false, cached = false, finished = false;
};

namespace run_file {
inline constexpr const char* config = "run.toml";
inline constexpr const char* task = "task.toml";  // copy of the file that describes a custom task
inline constexpr const char* events = "events.jsonl";
inline constexpr const char* start = "start.safetensors";  // weights that stage 1 starts from, removed once it is done
inline constexpr const char* pretrained = "pretrained.safetensors";
inline constexpr const char* estimator = "estimator.safetensors";
inline constexpr const char* resume = "resume.safetensors";
inline constexpr const char* partial = "heads.safetensors";  // heads finished so far, with one head per N
inline constexpr const char* cache = "aggregates.cache";
inline constexpr const char* pool = "embeddings.cache";  // embeddings of single observations, if sets are drawn from a
                                                         // pool
inline constexpr const char* stored = "stored.json";     // state of the files that its sets are read from
inline constexpr const char* metrics = "metrics.json";
}  // namespace run_file

// Whether a file of this name is a later generation of the cache: aggregates-2.cache, aggregates-N10-2.cache.
bool is_later_cache(std::string_view name);

// Refuses a folder for a new run that already holds a run, naming --resume, or any other file.
void check_new_run(const std::filesystem::path& folder);
// Throws a usage error if the weights in pretrain.from are missing or do not fit the configuration.
void check_start(const RunConfig& config);
// Creates a new run folder with run.toml, after check_new_run and check_start. `folder` empty: runs/<task>-<time> below
// the current folder. Copies the weights of pretrain.from into it, so that the run does not depend on any other
// afterwards; they are checked before anything is written.
std::filesystem::path create_run(const RunConfig& config, const std::filesystem::path& folder);
// The folder of a new run, created if needed; `wanted` empty: a folder runs/<task>-<time> that only this process uses,
// however many start at once. Throws Error if it cannot be created.
std::filesystem::path make_run_folder(const RunConfig& config, const std::filesystem::path& wanted);
// Guards the creation of a run's folder: removes what was written, and the folder if it was created for the run, unless
// keep() was called.
class UnmadeRun {
 public:
  // `there`: the folder existed before.
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

// Runs every missing stage of a run of one of `tasks`, up to and including `until`, under the folder's lock. With
// several `ranks`, which all execute the same run, the first writes its folder and the others read it; it alone learns
// the likelihood, if the settings want one. Throws Stopped (saved) or Error.
void execute_run(const Tasks& tasks, const std::filesystem::path& run, Monitor& monitor,
                 Stage until = Stage::likelihood, Ranks* ranks = nullptr);

// A finished run ready to use: from a run folder, or the shipped weights of a task that fit its data.
struct LoadedRun {
  std::filesystem::path folder;
  RunConfig config;
  std::shared_ptr<const Task> task;
  std::shared_ptr<Estimator> estimator;
  std::string name;  // its readable name: the folder's name or "gaussian (shipped)"
  bool finetuned;    // false: stage 1 only
};
// The metadata of converted weights: the checksum of the file as it was first written.
inline constexpr const char* kWeightsChecksum = "weights_checksum";
// Checksum of the run's weights, by which other files identify them: of the whole file, or that in kWeightsChecksum.
std::string weights_checksum(const LoadedRun& run);
std::string weights_checksum(const std::filesystem::path& weights);  // of a weights file
// Whether the run was not trained for sets of n: end-to-end training, and stage 1 alone, see only a few sizes.
bool extrapolates(const LoadedRun& run, std::int64_t n);
struct RunFolder {
  std::filesystem::path folder;
  std::string name;  // see LoadedRun::name
};
// Resolves `run`: a run folder, the shipped weights of the task `run` that fit the data folder `data`
// (fitting_weights), or shipped weights whose folder has that name. Throws a usage error if it is none of these.
RunFolder find_run(const Tasks& tasks, const std::string& run, const std::string& data = "");
// `data`, if not empty, replaces the run's data folder. Throws Error stating what is missing and how to get it.
LoadedRun load_run(const Tasks& tasks, const std::string& run, const std::string& data = "",
                   const std::string& device = "auto");

}  // namespace pairs
