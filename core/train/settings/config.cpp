#include "core/train/settings/config.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/periodic.h"
#include "core/target_model.h"
#include "core/train/settings/config_keys.h"
#include "core/train/settings/curriculum.h"

namespace pairs {
namespace {

constexpr const char* kTaskTable = "task.";
constexpr double kMostSlots = 4096;

std::vector<Field> optimizer_fields(const std::string& table, OptimizerConfig& o, const std::string& steps,
                                    double fewest_epochs, double fewest_steps) {
  const auto key = [&](const char* name) { return table + "." + name; };
  return {
      Field{key("epochs"), &o.epochs, "Groups of steps, each with a validation at its end", fewest_epochs, 1e9}.titled(
          "Epochs"),
      {key("steps"), &o.steps, steps, fewest_steps, 1e9},
      Field{key("batch"), &o.batch, "Batch size (sets)", 1, 1e7}.titled("Batch size (sets)"),
      Field{key("rate"), &o.rate, "Initial learning rate of AdamW", 1e-12, 10}.titled("Learning rate"),
      {key("floor"), &o.floor, "The cosine ends at rate * floor", 0, 1},
      {key("weight_decay"), &o.weight_decay, "Decoupled weight decay", 0, 10},
      {key("warmup"), &o.warmup, "Share of all steps with a rising rate", 0, 0.99},
      {key("clip"), &o.clip, "Largest global gradient norm, 0 = off", 0, 1e9},
      {key("patience"), &o.patience, "Steps without a better validation loss before stopping, 0 = never", 0, 1e9},
      {key("ema"), &o.ema, "Decay per step of the moving average of the weights, which is what is kept; 0 = off", 0,
       0.999999},
  };
}

std::int64_t biggest(const std::vector<std::int64_t>& values) {
  return *std::max_element(values.begin(), values.end());
}

void check_sizes(const std::vector<std::int64_t>& sizes, const char* key) {
  if (sizes.empty()) fail_usage("{} is empty; list at least one set size", SettingKey{key});
}

// Whether a head's loss is the squared error of a point, whose spread is fitted afterwards.
bool predicts_points(const HeadConfig& head) {
  return head_kind(head.kind).sees_log_n;
}

void check_slots(const RunConfig& c, const Strategy& plan) {
  if (c.slots == 0) return;
  if ((c.slots & (c.slots - 1)) != 0)
    fail_usage("{} = {} is no power of two; choose 1, 2, 4, 8 and so on, or 0 for none", "slots"_key, c.slots);
  const auto check_batch = [&](std::int64_t batch, const SettingKey& key) {
    if (batch < c.slots)
      fail_usage("{} = {} is fewer sets than {} = {}; raise it or lower the slots", key, batch, "slots"_key, c.slots);
  };
  if (c.pretrain.epochs > 0) check_batch(c.pretrain.batch, "pretrain.batch"_key);
  if (plan.stages_2_and_3 && !keeps_regression(c)) check_batch(c.finetune.batch, "finetune.batch"_key);
}

// Sets of exactly a listed size are made of equal blocks.
void check_pieces(const RunConfig& c) {
  if (c.cache.mode == "fixed" || c.finetune.size_distribution != "list") return;
  for (const std::int64_t n : c.cache.sizes)
    if (const std::int64_t pieces = std::min(c.cache.pieces, n); n % pieces != 0)
      fail_usage("{} = {} does not divide the set size {} of {}; choose a divisor", "cache.pieces"_key, pieces, n,
                 "cache.sizes"_key);
}

}  // namespace

std::int64_t finite_sets(const PretrainConfig& c) {
  if (c.sets > 0) return c.sets;
  return c.budget > 0 ? c.budget / biggest(c.sizes) : 0;
}

bool keeps_regression(const RunConfig& c) {
  return strategy(c.strategy).stages_2_and_3 && predicts_points(c.estimator.head) && c.finetune.regression == "sigma";
}

bool replaces_regression(const RunConfig& c) {
  return predicts_points(c.estimator.head) && c.finetune.regression != "sigma" && c.finetune.regression != "trained" &&
         strategy(c.strategy).stages_2_and_3;
}

HeadConfig head_of_stage(const RunConfig& c, bool finetuned) {
  HeadConfig head = c.estimator.head;
  if (finetuned && replaces_regression(c)) head.kind = c.finetune.regression;
  return head;
}

std::shared_ptr<const Task> RunConfig::make_task() const {
  PAIRS_CHECK(tasks, "The settings of a run of {} came without the tasks that it is one of", task);
  return tasks->make(task, task_options());
}

namespace {

template <class Name>
void check_counts(std::size_t numbers, std::size_t sizes, const Name& name) {
  if (numbers != 1 && numbers != sizes)
    fail_usage("{} holds {} for {}; give one for all, or one per size", name, counted(numbers, "number"),
               counted(sizes, "size"));
}

}  // namespace

void check_per_size(std::size_t numbers, std::size_t sizes, const SettingKey& setting) {
  check_counts(numbers, sizes, setting);
}

void check_per_size(std::size_t numbers, std::size_t sizes, const std::string& name) {
  check_counts(numbers, sizes, name);
}

std::vector<Field> fields(RunConfig& c) {
  if (c.task_settings.empty() && c.tasks) c.task_settings = c.tasks->default_settings(c.task);
  std::vector<Field> all = {{kTaskName, &c.task, "Task"}};
  for (Field& own : c.task_settings.fields()) {
    own.key = kTaskTable + own.key;
    all.push_back(std::move(own));
  }
  const auto append = [&](std::vector<Field> more) {
    for (Field& f : more) all.push_back(std::move(f));
  };
  append({
      {"preset", &c.preset, "Preset the settings started from"},
      {"strategy", &c.strategy, "Which N the embedder saw, and with which head"},
      Field{"seed", &c.seed, "Seed of everything random", 0, 9007199254740992.0}.titled("Seed"),
      Field::choice("device", &c.device, "auto, cpu or cuda", {"auto", "cpu", "cuda"}).titled("Device"),
      {"threads", &c.threads, "CPU threads, 0 = all cores", 0, 4096},
      Field{"recorded_steps", &c.recorded_steps,
            "A GPU records a step's operators and repeats them as a whole: faster, to the same weights"}
          .rarely_shown(),
      Field{"slots", &c.slots,
            "Parts of a step's batch that several ranks can share, a power of two; 0 = the batch as a whole, for one "
            "rank",
            0, kMostSlots}
          .rarely_shown(),
      {"checkpoint", &c.checkpoint, "Seconds between checkpoints of stages 1 and 3", 0, 1e6},
      {"data", &c.data, "Folder of real data, empty = none"},
      {kTaskFile, &c.task_file, "File of a task of your own, empty = built in"},
      Field{"note", &c.note, "Free text"}.titled("Note"),
  });
  append(fields(c.estimator));
  append({Field{"pretrain.sizes", &c.pretrain.sizes, "Set sizes, drawn equally often", 1, 1e9}.titled("Set sizes N")});
  append(optimizer_fields("pretrain", c.pretrain, "Steps an epoch", 0, 1));
  append({
      {"pretrain.from", &c.pretrain.from, "Run whose weights stage 1 starts from, empty = fresh weights"},
      {"pretrain.budget", &c.pretrain.budget, "Observations of sets that come again, 0 = as pretrain.sets states", 0,
       1e12},
      {"pretrain.sets", &c.pretrain.sets, "Sets that come again, a fifth for validation; 0 = they never repeat", 0,
       1e10},
      {"pretrain.curriculum", &c.pretrain.curriculum,
       "Easier task first: its settings and their share of the epochs, \"key=value: 10 %; key=value: 30 %\""},
      {"pretrain.rotate", &c.pretrain.rotate, "Each visit rotates all images of a set by quarter turns, drawn anew"},
      {"pretrain.validation_sets", &c.pretrain.validation_sets, "Validation sets where the source is unlimited", 1,
       1e9},
      Field::choice("cache.mode", &c.cache.mode,
                    "fixed: one aggregate a set; blocks: sums of blocks, any union of which is a set",
                    {"fixed", "blocks"}),
      Field{"cache.sizes", &c.cache.sizes, "Largest set size of each group of cached sets", 1, 1e9}.titled("Largest N"),
      Field{"cache.sets", &c.cache.sets, "Cached sets: one number for all groups, or one a group", 1, 1e10}.titled(
          "Cached sets"),
      {"cache.oversample", &c.cache.oversample, "blocks: observations cached a set over its size", 1, 100},
      {"cache.copies", &c.cache.copies, "blocks: blocks of each size below the largest", 1, 1000},
      {"cache.pieces", &c.cache.pieces, "blocks: largest block is the set size over this", 1, 1000},
      Field{"cache.refresh", &c.cache.refresh, "Epochs after which the training sets are simulated anew, 0 = never", 0,
            1e9}
          .titled("Renewed every"),
      {"cache.chunk", &c.cache.chunk, "Observations embedded at once, 0 = by their size", 0, 1e9},
      {"cache.validation", &c.cache.validation, "Share of the sets kept for validation", 0.001, 0.9},
  });
  append(optimizer_fields("finetune", c.finetune, "Steps an epoch; 0 = one pass over the cached sets", 1, 0));
  append({
      Field::choice("finetune.heads", &c.finetune.heads, "One head for all N, or one for each of cache.sizes",
                    {"amortized", "per-n"})
          .titled("Heads"),
      Field::choice("finetune.start", &c.finetune.start,
                    "Weights stage 3 starts from; linear: fresh, on a least-squares residual",
                    {"pretrained", "fresh", "linear"}),
      Field::choice("finetune.regression", &c.finetune.regression,
                    "Gaussian regression: fit sigma for each N, train it on, or a density on its features",
                    {"sigma", "trained", "spline", "umnn"}),
      Field::choice("finetune.size_distribution", &c.finetune.size_distribution,
                    "Distribution of N: uniform in log N, in its square root or in N, from 1; or the cache's sizes",
                    {"log-uniform", "root-uniform", "uniform", "list"}),
      {"finetune.validation_draws", &c.finetune.validation_draws, "Aggregates drawn once from the held-out sets", 16,
       1e8},
      {"evaluate.sizes", &c.evaluate.sizes, "Set sizes", 1, 1e9},
      {"evaluate.sets", &c.evaluate.sets, "Test sets: one number for all sizes, or one per size", 2, 1e9},
      {"evaluate.extrapolate", &c.evaluate.extrapolate,
       "Score set sizes that training did not see as well: extrapolation"},
      {"evaluate.samples", &c.evaluate.samples, "Posterior samples a set", 2, 1e7},
  });
  append(fields(c.likelihood));
  return all;
}

void validate(const RunConfig& c) {
  const Strategy& plan = strategy(c.strategy);
  check_sizes(c.pretrain.sizes, "pretrain.sizes");
  check_sizes(c.evaluate.sizes, "evaluate.sizes");
  check_per_size(c.evaluate.sets.size(), c.evaluate.sizes.size(), "evaluate.sets"_key);
  if (c.pretrain.epochs == 0 && c.pretrain.from.empty())
    fail_usage("{} = 0 trains nothing; set it to 1 or more, or name a run in {}", "pretrain.epochs"_key,
               "pretrain.from"_key);
  if (c.pretrain.budget > 0 && c.pretrain.sets > 0)
    fail_usage("{} = {} and {} = {} both set how many sets there are; set one of them to 0", "pretrain.budget"_key,
               c.pretrain.budget, "pretrain.sets"_key, c.pretrain.sets);
  if (c.pretrain.sets > 0 && c.pretrain.sets < 10)
    fail_usage("{} = {} is fewer than 10 sets; raise it or set it to 0", "pretrain.sets"_key, c.pretrain.sets);
  if (c.pretrain.budget > 0 && c.pretrain.budget / biggest(c.pretrain.sizes) < 10)
    fail_usage("{} = {} observations make fewer than 10 sets of {}; raise it or set it to 0", "pretrain.budget"_key,
               c.pretrain.budget, biggest(c.pretrain.sizes));
  validate(c.estimator.head);
  validate(head_of_stage(c, true));
  check_slots(c, plan);
  if (c.estimator.encoding == "none" && c.pretrain.sizes.size() > 1)
    fail_usage("{} = \"none\" hides N from the head, so {} may hold one size only", "encoding"_key,
               "pretrain.sizes"_key);
  if (!plan.stages_2_and_3) return;
  check_sizes(c.cache.sizes, "cache.sizes");
  check_per_size(c.cache.sets.size(), c.cache.sizes.size(), "cache.sets"_key);
  if (!std::is_sorted(c.cache.sizes.begin(), c.cache.sizes.end()) ||
      std::adjacent_find(c.cache.sizes.begin(), c.cache.sizes.end()) != c.cache.sizes.end())
    fail_usage("{} must grow from one to the next", "cache.sizes"_key);
  for (std::int64_t sets : c.cache.sets)
    if (static_cast<double>(sets) * c.cache.validation < 2 || static_cast<double>(sets) * (1 - c.cache.validation) < 2)
      fail_usage("{} = {} leaves fewer than two sets for training or validation; raise it", "cache.sets"_key, sets);
  if (c.finetune.size_distribution != "list" && c.cache.mode == "fixed")
    fail_usage("{} = \"{}\" needs {} = \"blocks\": a fixed cache only holds its own sizes",
               "finetune.size_distribution"_key, c.finetune.size_distribution, "cache.mode"_key);
  check_pieces(c);
  const HeadConfig last = head_of_stage(c, true);
  if (c.finetune.start == "linear" && !keeps_regression(c) && confines(last))
    fail_usage("{} = \"linear\" shifts the target, which {} = \"box\" does not allow; use \"pretrained\" or \"fresh\"",
               "finetune.start"_key, "head.support"_key);
  if (c.finetune.heads == "per-n" && c.finetune.size_distribution != "list")
    fail_usage("{} = \"per-n\" needs {} = \"list\": each head is trained at one size", "finetune.heads"_key,
               "finetune.size_distribution"_key);
  const bool mixed = !keeps_regression(c) && c.finetune.heads == "amortized" &&
                     (c.finetune.size_distribution != "list" || c.cache.sizes.size() > 1);
  if (c.estimator.encoding == "none" && mixed)
    fail_usage(
        "{} = \"none\" hides N from the head, but stage 3 mixes sizes; use \"log\" or \"linear\", or {} = \"per-n\" "
        "with {} = \"list\"",
        "encoding"_key, "finetune.heads"_key, "finetune.size_distribution"_key);
}

void validate(const RunConfig& c, const TaskInfo& task) {
  const Strategy& plan = strategy(c.strategy);
  const auto check_reach = [&](const std::vector<std::int64_t>& sizes, const char* key) {
    if (!sizes.empty() && biggest(sizes) > task.max_n)
      fail_usage("{} asks for N = {}, beyond the largest N of task {}, which is {}", SettingKey{key}, biggest(sizes),
                 task.name, task.max_n);
  };
  check_reach(c.pretrain.sizes, "pretrain.sizes");
  if (task.pretrain_max_n > 0 && !c.pretrain.sizes.empty() && biggest(c.pretrain.sizes) > task.pretrain_max_n)
    fail_usage("{} asks for N = {}, but task {} has only {} ready for a set of stage 1", "pretrain.sizes"_key,
               biggest(c.pretrain.sizes), task.name,
               counted(static_cast<std::size_t>(task.pretrain_max_n), "observation"));
  check_reach(c.evaluate.sizes, "evaluate.sizes");
  if (plan.stages_2_and_3) check_reach(c.cache.sizes, "cache.sizes");
  validate(c);
  const TargetModel& target = target_model(task);
  if (!target.modeled_by(head_kind(c.estimator.head.kind)))
    fail_usage("{} = \"{}\"{} does not model the target of task {}, which is {}", "head.kind"_key,
               c.estimator.head.kind, plan.head.empty() ? "" : fmt::format(" (strategy {})", c.strategy), task.name,
               target.refusal());
  curriculum(c);
  if (c.pretrain.rotate && !task.rotation_invariant)
    fail_usage("{} = true would change what task {} asks for or what its sets are like; set it to false",
               "pretrain.rotate"_key, task.name);
  if (const std::string why = target.not_linear(task); !why.empty() && c.finetune.start == "linear")
    fail_usage("{} = \"linear\" cannot fit the target of task {}, which is {}; use \"pretrained\" or \"fresh\"",
               "finetune.start"_key, task.name, why);
  if (any_periodic(task.targets) && !head_kind(c.estimator.head.kind).loss_is_nll)
    fail_usage("{} = \"{}\" does not model a periodic target: use \"spline\", \"mixture\" or \"umnn\"", "head.kind"_key,
               c.estimator.head.kind);
}

}  // namespace pairs
