#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/estimator.h"
#include "core/task_library.h"
#include "core/train/events.h"

namespace pairs {

// Optimisation of one stage: AdamW, linear warm-up, cosine annealing, clipping, patience.
struct OptimiserConfig {
  std::int64_t epochs = 10;
  std::int64_t steps = 100;  // an epoch; stage 3: 0 = one pass over the cached sets
  std::int64_t batch = 256;  // sets a step
  double rate = 1e-3;        // initial learning rate
  double floor = 0;          // cosine ends at rate * floor
  double weight_decay = 1e-4;
  double warmup = 0;          // share of all steps
  double clip = 0;            // global gradient norm; 0 = off
  std::int64_t patience = 0;  // steps without a better validation loss before stopping; 0 = never
  // Decay a step of the weights' exponential moving average, which is then what is validated and kept; 0 = off. The
  // first steps forget faster, by (1 + t) / (10 + t), so that the initial weights soon count for nothing.
  double ema = 0;
};

// Stage 1. It takes epochs * steps steps whatever the strategy: how many sets there are changes how often each comes
// again, and nothing else (paper, Epoch scaling and gradient-step budget).
struct PretrainConfig : OptimiserConfig {
  // Run folder, or task with shipped weights, whose weights training starts from, those of stage 3 where it has them:
  // the embedder's, and the head's with its standardiser where encoding and head have the same settings. With it
  // epochs = 0 keeps them as they are. They are copied when the run is made.
  std::string from;
  std::vector<std::int64_t> sizes = {1, 2};  // N drawn per set, stratified; the strategy sets this
  // Sets that come again in every pass, the last fifth of them for validation: P / (largest size) of a budget of P
  // observations, or as many as `sets` says. Both 0: sets that never repeat.
  std::int64_t budget = 0, sets = 0;
  std::string curriculum;  // easier settings of the task for the first epochs (core/train/curriculum.h); "" = none
  // Each visit rotates all images of a training set by quarter turns, drawn anew (paper, Circle Radius).
  bool rotate = false;
  std::int64_t validation_sets = 20000;  // where sets never repeat
};
// How many sets stage 1 has, validation included; 0: they never repeat.
std::int64_t finite_sets(const PretrainConfig& config);

// Stage 2: groups of sets; group k caches `sets[k]` sets good for sizes up to `sizes[k]`.
struct CacheConfig {
  std::string mode = "blocks";  // fixed: one aggregate of exactly sizes[k]; blocks: sums of blocks, any union
  std::vector<std::int64_t> sizes = {100};
  std::vector<std::int64_t> sets = {20000};  // one number for all groups, or one a group
  double oversample = 2;                     // blocks: observations cached a set over sizes[k], > 1 for fresh subsets
  std::int64_t copies = 4;                   // blocks: of each size below the largest
  std::int64_t pieces = 8;                   // blocks: largest block is sizes[k] / pieces
  std::int64_t refresh = 0;  // epochs of stage 3 after which training sets are simulated anew; 0 = never
  std::int64_t chunk = 0;    // observations embedded at once; 0 = chosen by the observation's size
  double validation = 0.2;   // share of each group's sets, its last ones
};

// Stage 3.
struct FinetuneConfig : OptimiserConfig {
  std::string heads = "amortised";  // amortised: one head for all N; per-n: one for each of cache.sizes
  // pretrained (standardiser folded in), fresh, or linear: fresh, on the residual of the least-squares map from
  // aggregates to the target (see linear_start.h).
  std::string start = "pretrained";
  // What becomes of a head that predicts points (head.kind = "gaussian"): sigma keeps it as stage 1 left it and fits
  // one standard deviation for each N on held-out sets (paper, Gaussian regression baseline); trained trains it on;
  // spline and umnn train a fresh density of that kind on its features.
  std::string regression = "sigma";
  std::string size_distribution = "log-uniform";  // of N (core/train/size_distribution.h)
  std::int64_t validation_draws = 8192;           // aggregates drawn once from the held-out sets
};

struct EvaluateConfig {
  std::vector<std::int64_t> sizes = {1, 2, 5, 10, 25, 50, 100};
  std::vector<std::int64_t> sets = {2000};  // one number for all sizes, or one a size
  std::int64_t samples = 499;               // one less than a multiple of 20: rank tests have even bins
  bool extrapolate = false;                 // sizes that training did not see are scored, too
};

// A run whose estimator is part of an ensemble's.
struct EnsembleMember {
  std::string run;  // its name, as people knew it
  std::int64_t seed = 0;
  std::string weights;  // their checksum
};

// Everything that decides a run; run.toml holds it. Keys are those of fields().
struct RunConfig {
  Tasks tasks;  // which its task is one of; null: nothing is known of the task's own settings. No setting
  std::string task, strategy = "pairs", preset = "quick", device = "auto";
  std::string note;  // free text for people
  std::int64_t seed = 1;
  std::int64_t threads = 0;    // 0 = all cores
  bool recorded_steps = true;  // a GPU repeats what it recorded (core/train/recorded_steps.h)
  // Equal parts of each step's batch, by index, whose gradients are added up in one order whoever computes which: what
  // several ranks share (core/train/slot_gradients.h). 0: the batch as a whole.
  std::int64_t slots = 0;
  double checkpoint = 20;      // seconds between checkpoints of stages 1 and 3
  std::string data;            // folder of real data; "" = none
  std::string task_file;       // a person's own that describes the task, absolute; "": the task is built in
  std::string task_copy;       // the copy of it that the run keeps, which is read in its place; no setting
  TaskSettings task_settings;  // the task's own, its defaults while empty: the table [task]
  EstimatorConfig estimator;
  PretrainConfig pretrain;
  CacheConfig cache;
  FinetuneConfig finetune;
  EvaluateConfig evaluate;
  // Of which the run's estimator is the equal mixture (core/ensemble.h), and whose settings, the first one's, these
  // are; none of a run that was trained. No setting; the table [ensemble].
  std::vector<EnsembleMember> ensemble;

  TaskOptions task_options() const { return {data, task_settings, task_copy.empty() ? task_file : task_copy}; }
  // Throws Error where there are no `tasks`, and as TaskLibrary::make.
  std::shared_ptr<const Task> make_task() const;
};

// Refuses, as a usage error, other than one number for all set sizes or one a size: of a setting, and of what a person
// typed under another name.
void check_per_size(std::size_t numbers, std::size_t sizes, const SettingKey& setting);
void check_per_size(std::size_t numbers, std::size_t sizes, const std::string& name);

// The configuration as a table of fields bound to `config` (which must outlive it). Where the task's settings are empty
// they become its defaults first.
std::vector<Field> fields(RunConfig& config);

// Throws a usage error when settings contradict each other, e.g. encoding "none" with mixed sizes, log-uniform sizes on
// a fixed cache.
void validate(const RunConfig& config);
// The same, and when they contradict the task, e.g. a size beyond its maximum.
void validate(const RunConfig& config, const TaskInfo& task);

// Whether stage 3 keeps the head that stage 1 trained and fits the spread of its predictions alone.
bool keeps_regression(const RunConfig& config);
// Whether stage 3 trains a density on the features of the regression that stage 1 trained, in its place.
bool replaces_regression(const RunConfig& config);
// The head that a stage trains.
HeadConfig head_of_stage(const RunConfig& config, bool finetuned);

// Strategies: which N the embedder sees, and with which head. Data, not code.
struct Strategy {
  std::string name;                 // "n1", "pairs", "n1-5", "n1-10", "e2e", "gaussian"
  std::string title;                // "PAIRS", "Trained on N = 1", ...
  std::vector<std::int64_t> sizes;  // of stage 1; empty keeps the preset's (e2e: its largest cache size alone)
  std::string head;                 // "" keeps the preset's
  bool stages_2_and_3;              // end-to-end has none
};
const std::vector<Strategy>& strategies();
const Strategy& strategy(const std::string& name);  // usage error naming the nearest

// Names of a task's presets in order: quick, small, paper.
std::vector<std::string> preset_names();
// Of one of `tasks`: reads assets/presets/TASK/PRESET.toml, or has a preset made where the task is a person's own, and
// applies what it holds for runs on several targets, if `task` has several ([joint.head]), the strategy: its sizes, its
// head, an encoding of N where its sizes are several, and last what the preset holds under the strategy's name
// ([e2e.pretrain]). Not checked: the two may need further assignments. The sizes of
// end-to-end training are empty where the preset names none.
RunConfig preset_values(const Tasks& tasks, const TaskInfo& task, const std::string& preset,
                        const std::string& strategy);
// The same, then each "key=value", then checks everything.
RunConfig load_preset(const Tasks& tasks, const TaskInfo& task, const std::string& preset, const std::string& strategy,
                      const std::vector<std::string>& assignments);

// The settings as a stage's product and its checkpoints record them.
std::string training_settings(const RunConfig& config);
// A sentence on the first setting in which the record in the file `where` differs from `config`, "" when there is none
// that decides the weights at the end of a stage: where and how often things are kept and told does not, nor do later
// stages. Settings that the record does not hold count as their defaults.
std::string changed_setting(const std::string& recorded, const RunConfig& config, Stage stage,
                            const std::string& where);
// The other settings that these have other values of, "evaluate.sets = [2000], not [9000]; …", data and the task's file
// apart; "" where there are none.
std::string edited_settings(const std::string& recorded, const RunConfig& config, Stage stage,
                            const std::string& where);

// run.toml's text: the versions and the configuration; and reading it back without contradictions. Throws Error where
// the file names a task that the program does not have.
std::string write_run_toml(const RunConfig& config, const std::string& numerics);
RunConfig read_run_toml(const Tasks& tasks, const std::filesystem::path& file);
// The task of a run whose run.toml is `file`. Throws a usage error where its settings contradict the task.
std::shared_ptr<const Task> make_run_task(const RunConfig& config, const std::filesystem::path& file);

}  // namespace pairs
