#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/fields/fields.h"
#include "core/estimator.h"
#include "core/task_library.h"
#include "core/train/events/events.h"
#include "core/train/settings/likelihood_config.h"

namespace pairs {

// Optimization of one stage: AdamW, linear warm-up, cosine annealing, clipping, patience.
struct OptimizerConfig {
  std::int64_t epochs = 10;
  std::int64_t steps = 100;  // per epoch; stage 3: 0 = one pass over the cached sets
  std::int64_t batch = 256;  // sets per step
  double rate = 1e-3;        // initial learning rate
  double floor = 0;          // cosine ends at rate * floor
  double weight_decay = 1e-4;
  double warmup = 0;          // share of all steps
  double clip = 0;            // global gradient norm; 0 = off
  std::int64_t patience = 0;  // steps without a better validation loss before stopping; 0 = never
  // Decay per step of an exponential moving average of the weights, which is then validated and kept; 0 = off. The
  // first steps use the faster decay (1 + t) / (10 + t), so that the initial weights soon lose their influence.
  double ema = 0;
};

// Stage 1. It takes epochs * steps steps for every strategy: the number of sets only changes how often each is reused
// (paper, Epoch scaling and gradient-step budget).
struct PretrainConfig : OptimizerConfig {
  // Run folder, or task with shipped weights, whose weights training starts from (those after stage 3 if there are
  // any): the embedder, and the head with its standardizer if encoding and head have the same settings. epochs = 0 then
  // keeps them unchanged. They are copied when the run is created.
  std::string from;
  std::vector<std::int64_t> sizes = {1, 2};  // N per set, stratified; the strategy sets this
  // A finite number of sets, reused in every pass, of which the last fifth is for validation: P / (largest size) for a
  // budget of P observations, or `sets`. If both are 0, sets never repeat.
  std::int64_t budget = 0, sets = 0;
  std::string
      curriculum;  // easier settings of the task for the first epochs (core/train/settings/curriculum.h); "" = none
  // Each visit rotates all images of a training set by random quarter turns (paper, Circle Radius).
  bool rotate = false;
  std::int64_t validation_sets = 20000;  // used if sets never repeat
};
// The number of sets in stage 1, including validation; 0: they never repeat.
std::int64_t finite_sets(const PretrainConfig& config);

// Stage 2: groups of sets; group k caches `sets[k]` sets for sizes up to `sizes[k]`.
struct CacheConfig {
  std::string mode = "blocks";  // fixed: one aggregate of exactly sizes[k]; blocks: sums of blocks, any union
  std::vector<std::int64_t> sizes = {100};
  std::vector<std::int64_t> sets = {20000};  // one number for all groups, or one per group
  double oversample = 2;     // blocks: cached observations per set relative to sizes[k]; > 1: new subsets
  std::int64_t copies = 4;   // blocks: of each size below the largest
  std::int64_t pieces = 8;   // blocks: largest block is sizes[k] / pieces
  std::int64_t refresh = 0;  // epochs of stage 3 after which training sets are simulated anew; 0 = never
  std::int64_t chunk = 0;    // observations embedded at once; 0 = chosen by the observation's size
  double validation = 0.2;   // share of each group's sets, the last ones
};

// Stage 3.
struct FinetuneConfig : OptimizerConfig {
  std::string heads = "amortized";  // amortized: one head for all N; per-n: one for each of cache.sizes
  // pretrained (with the standardizer folded in), fresh, or linear: fresh, on the residual of the least-squares map
  // from aggregates to the target (see linear_start.h).
  std::string start = "pretrained";
  // What stage 3 does with a head that predicts points (head.kind = "gaussian"): sigma keeps it unchanged and fits one
  // standard deviation per N on held-out sets (paper, Gaussian regression baseline); trained continues to train it;
  // spline and umnn train a fresh density of that kind on its features.
  std::string regression = "sigma";
  std::string size_distribution = "log-uniform";  // distribution of N (core/train/settings/size_distribution.h)
  std::int64_t validation_draws = 8192;           // aggregates drawn once from the held-out sets
};

struct EvaluateConfig {
  std::vector<std::int64_t> sizes = {1, 2, 5, 10, 25, 50, 100};
  std::vector<std::int64_t> sets = {2000};  // one number for all sizes, or one per size
  std::int64_t samples = 499;               // one less than a multiple of 20: rank tests have even bins
  bool extrapolate = false;                 // also evaluates sizes that were not in training
};

// A run whose estimator is a member of an ensemble.
struct EnsembleMember {
  std::string run;  // its name when the ensemble was made
  std::int64_t seed = 0;
  std::string weights;  // checksum of its weights
};

// All settings of a run, as stored in run.toml. Keys are those of fields().
struct RunConfig {
  Tasks tasks;  // the library of its task; null: the task's own settings are unknown. Not a setting
  std::string task, strategy = "pairs", preset = "quick", device = "auto";
  std::string note;  // free text
  std::int64_t seed = 1;
  std::int64_t threads = 0;    // 0 = all cores
  bool recorded_steps = true;  // a GPU replays recorded steps (core/train/steps/recorded_steps.h)
  // Equal parts of each step's batch, by index, whose gradients are summed in a fixed order, whichever rank computes
  // them: this lets several ranks share a step (core/train/stages/slot_gradients.h). 0: the batch as a whole.
  std::int64_t slots = 0;
  double checkpoint = 20;      // seconds between checkpoints of stages 1 and 3
  std::string data;            // folder of real data; "" = none
  std::string task_file;       // absolute path of the file that describes a custom task; "": the task is built in
  std::string task_copy;       // the run's copy of that file, which is read instead; not a setting
  TaskSettings task_settings;  // the task's own settings, or its defaults if empty: the table [task]
  EstimatorConfig estimator;
  PretrainConfig pretrain;
  CacheConfig cache;
  FinetuneConfig finetune;
  EvaluateConfig evaluate;
  LikelihoodConfig likelihood;
  // Members of the equal mixture that is the run's estimator (core/ensemble.h); the other settings are those of the
  // first member. Empty for a trained run. Not a setting; the table [ensemble].
  std::vector<EnsembleMember> ensemble;

  TaskOptions task_options() const { return {data, task_settings, task_copy.empty() ? task_file : task_copy}; }
  // Throws Error if there are no `tasks`, and as TaskLibrary::make does.
  std::shared_ptr<const Task> make_task() const;
};

// Throws a usage error unless there is one number for all set sizes or one per size: for a setting, and for an argument
// with another name.
void check_per_size(std::size_t numbers, std::size_t sizes, const SettingKey& setting);
void check_per_size(std::size_t numbers, std::size_t sizes, const std::string& name);

// The configuration as fields bound to `config`, which must outlive them. Empty task settings become the task's
// defaults first.
std::vector<Field> fields(RunConfig& config);

// Throws a usage error if settings contradict each other, e.g. encoding "none" with mixed sizes, log-uniform sizes on a
// fixed cache.
void validate(const RunConfig& config);
// Also throws if they contradict the task, e.g. a size beyond its maximum.
void validate(const RunConfig& config, const TaskInfo& task);

// Whether stage 3 keeps the head of stage 1 and only fits the spread of its predictions.
bool keeps_regression(const RunConfig& config);
// Whether stage 3 replaces the regression of stage 1 by a density on its features.
bool replaces_regression(const RunConfig& config);
// The head that a stage trains: that of stage 3 if `finetuned`.
HeadConfig head_of_stage(const RunConfig& config, bool finetuned);

// A strategy: which N the embedder sees, and with which head. Data, not code.
struct Strategy {
  std::string name;                 // "n1", "pairs", "n1-5", "n1-10", "e2e", "gaussian"
  std::string title;                // "PAIRS", "Trained on N = 1", ...
  std::vector<std::int64_t> sizes;  // sizes in stage 1; empty keeps the preset's (e2e: only its largest cache size)
  std::string head;                 // "" keeps the preset's
  bool stages_2_and_3;              // end-to-end has none
};
const std::vector<Strategy>& strategies();
const Strategy& strategy(const std::string& name);  // throws a usage error naming the nearest

// Names of a task's presets in order: quick, small, paper.
std::vector<std::string> preset_names();
// The settings of a preset of one of `tasks`: from assets/presets/TASK/PRESET.toml, or generated for a custom task. In
// this order it applies the preset's values for runs on several targets, if `task` has several ([joint.head]); the
// strategy with its sizes, its head and, for several sizes, an encoding of N; and the preset's values for the strategy
// ([e2e.pretrain]). Not validated, because preset and strategy may need further assignments. The sizes of end-to-end
// training are empty if the preset names none.
RunConfig preset_values(const Tasks& tasks, const TaskInfo& task, const std::string& preset,
                        const std::string& strategy);
// preset_values with the "key=value" assignments applied, validated.
RunConfig load_preset(const Tasks& tasks, const TaskInfo& task, const std::string& preset, const std::string& strategy,
                      const std::vector<std::string>& assignments);

// The settings as recorded with a stage's result and in its checkpoints.
std::string training_settings(const RunConfig& config);
// A sentence on the first setting that affects the weights at the end of a stage and differs between `config` and the
// record in the file `where`; "" if there is none. Where and how often files are written and progress is reported has
// no effect, nor do later stages. Settings missing from the record count as defaults.
std::string changed_setting(const std::string& recorded, const RunConfig& config, Stage stage,
                            const std::string& where);
// The remaining differences, "evaluate.sets = [2000], not [9000]; …", except data and the task's file; "" if there are
// none.
std::string edited_settings(const std::string& recorded, const RunConfig& config, Stage stage,
                            const std::string& where);

// The text of run.toml, with versions and configuration; and its inverse, which also validates. Throws Error if the
// file names an unknown task.
std::string write_run_toml(const RunConfig& config, const std::string& numerics);
RunConfig read_run_toml(const Tasks& tasks, const std::filesystem::path& file);
// The task of a run whose run.toml is `file`. Throws a usage error if its settings contradict the task.
std::shared_ptr<const Task> make_run_task(const RunConfig& config, const std::filesystem::path& file);

}  // namespace pairs
