// Every setting that something reads has an effect: on the observations, on the network or what it gives, on the plan
// of a run, or on what training leaves. What nothing reads is refused (tests/training/unread_test.cpp).
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/estimator.h"
#include "core/nn/precision.h"
#include "core/target_choice.h"
#include "core/train/run/run.h"
#include "core/train/settings/unread.h"
#include "core/train/stages/plan.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/read_settings.h"

namespace pairs {
namespace {

// Where a run is made and what it is called: nothing that it learns.
const std::set<std::string> kNames = {"task.name", "task_file", "preset",  "strategy",   "note",
                                      "data",      "device",    "threads", "checkpoint", "recorded_steps"};
// How much is held in memory at once, and what an evaluation draws: tested where they are read.
const std::set<std::string> kElsewhere = {"cache.chunk", "evaluate.extrapolate", "evaluate.samples", "pretrain.from"};

// Legal values that differ from that of the field, most likely first the one that fits the other settings.
std::vector<std::string> other_values(const Field& field) {
  const std::string now = field_text(field);
  std::vector<std::string> values;
  const auto within = [&](double value) { return value >= field.low && value <= field.high; };
  if (field.key == "pretrain.clip" || field.key == "finetune.clip") return {"1e-4"};
  if (field.key == kTaskTargets) return {"psi", "theta1,psi11", "x"};
  if (field.key == "pretrain.curriculum") return {"convention=covariance: 1"};
  for (const std::string& choice : field.choices)
    if (now != '"' + choice + '"') values.push_back(choice);
  if (std::holds_alternative<bool*>(field.slot)) return {now == "true" ? "false" : "true"};
  if (const auto* whole = std::get_if<std::int64_t*>(&field.slot))
    for (const std::int64_t value : {**whole + 2, **whole * 2, **whole - 1, **whole + 1, **whole + 30, std::int64_t{1}})
      if (value != **whole && within(static_cast<double>(value))) values.push_back(std::to_string(value));
  if (const auto* real = std::get_if<double*>(&field.slot))
    for (const double value : {**real * 0.5, **real + 0.25, **real + 1})
      if (value != **real && within(value)) values.push_back(fmt::format("{}", value));
  if (const auto* list = std::get_if<std::vector<std::int64_t>*>(&field.slot)) {
    for (const std::int64_t more : {1, 2, -1, 8, 32}) {
      std::vector<std::int64_t> other = **list;
      for (std::int64_t& one : other) one = more < 0 ? std::max<std::int64_t>(1, one + more) : one + more;
      if (other.empty()) other = {8};
      if (other != **list) values.push_back(fmt::format("[{}]", fmt::join(other, ",")));
    }
    values.emplace_back("[2]");
  }
  return values;
}

void add(std::string& text, const torch::Tensor& tensor) {
  if (!tensor.defined()) return;
  const torch::Tensor whole = tensor.detach().cpu().contiguous();
  text += fmt::format("[{}] ", fmt::join(whole.sizes(), ","));
  text.append(static_cast<const char*>(whole.const_data_ptr()), whole.nbytes());
}

// The observations, fresh networks, and what these give in training and when asked.
std::string network(const RunConfig& config, bool last) {
  const std::shared_ptr<const Task> task = built_in_tasks()->make(config.task, config.task_options());
  EstimatorConfig chosen = config.estimator;
  chosen.head = head_of_stage(config, last);
  Estimator estimator(task, chosen, static_cast<std::uint64_t>(config.seed));
  std::string text;
  for (const auto& [name, tensor] : estimator.state()) add(text += name, tensor);
  text += fmt::format(" {} {} ", estimator.embedder_flops(), estimator.head_flops());
  const std::int64_t sets[] = {0, 1, 2, 3}, n = 2;
  const Latents latents = task->latents(1, Purpose::pretrain, sets);
  std::vector<SetRange> ranges;
  for (const std::int64_t set : sets) ranges.push_back({set, 0, n});
  const Observations x = task->observe(latents, 1, Purpose::pretrain, ranges, torch::kCPU);
  {  // away from weights that begin at zero
    at::NoGradGuard no_grad;
    auto generator = at::detail::createCPUGenerator(5);
    std::map<std::string, torch::Tensor> weights = estimator.embedder_parameters();
    weights.merge(estimator.head_parameters());
    for (auto& [name, weight] : weights) weight.add_(at::randn(weight.sizes(), generator), 0.05);
  }
  estimator.set_noise(7);
  estimator.train(true);
  const torch::Tensor trained = estimator.embedder().forward(x);
  add(text, trained);
  const torch::Tensor aggregates = trained.view({4, n, -1}).mean(1), sizes = torch::full({4}, n, torch::kInt64);
  const Loss loss = estimator.loss(0, latents.theta, aggregates, sizes, latents.given);
  add(text, loss.value);
  add(text, loss.auxiliary);
  estimator.train(false);
  at::NoGradGuard no_grad;
  if (ResidualSpread* spread = face<ResidualSpread>(estimator.head(0)))
    spread->set_sigma(torch::tensor({std::int64_t{2}}), torch::ones({1, latents.theta.size(1)}));
  add(text, estimator.embed(x));
  add(text, estimator.sample(aggregates, sizes, 2, 3, latents.given));
  if (estimator.has_density()) add(text, estimator.log_prob(latents.theta, aggregates, sizes, latents.given));
  return text;
}

std::string plan(const RunConfig& config) {
  const std::shared_ptr<const Task> task = built_in_tasks()->make(config.task, config.task_options());
  std::string text;
  for (const StagePlan& stage : stage_plans(config, task))
    text += fmt::format("{} {} {} {}\n", static_cast<int>(stage.stage), stage.steps, stage.epochs, stage.gflop);
  for (const SetDemand& demand : set_demands(config, task))
    text += fmt::format("{} {} {} {}\n", demand.first, demand.end, demand.sets, demand.n);
  return text;
}

// Weights after a short training, and the loss that they were kept for.
std::string trained(const RunConfig& config) {
  const TemporaryFolder folder;
  const auto run = create_run(config, folder / "run");
  TestMonitor monitor;
  execute_run(built_in_tasks(), run, monitor);
  std::string text;
  for (const Event& event : monitor.events)
    if (event.type == EventType::loss) text += event.values["train"].dump() + event.values["validation"].dump();
  for (const auto& [name, tensor] : load_run(built_in_tasks(), run.string()).estimator->state())
    add(text += name, tensor);
  return text;
}

// The first other value of the field that the preset accepts together with `settings`; none where it accepts no other.
std::optional<RunConfig> changed(const TaskInfo& info, const std::string& strategy, std::vector<std::string> settings,
                                 const Field& field, std::size_t& next) {
  const std::vector<std::string> values = other_values(field);
  while (next < values.size()) {
    settings.push_back(field.key + "=" + values[next++]);
    try {
      return load_read(built_in_tasks(), info, "quick", strategy, settings);
    } catch (const Error&) {
      settings.pop_back();
    }
  }
  return std::nullopt;
}

struct Case {
  std::string task, strategy;
  std::vector<std::string> settings = {};
};

// Every setting that a kind of network reads has an effect.
TEST(Settings, OfNetworksAndTasksHaveAnEffect) {
  const std::vector<std::string> images = {"embedder.channels=8,8,8,8", "embedder.size=16"};
  const std::vector<Case> cases = {
    {"gaussian", "pairs", {"embedder.frequencies=3"}},
    {"gaussian", "pairs", {"embedder.kind=mlp", "head.kind=umnn"}},
    {"gaussian", "gaussian"},
    {"gaussian", "gaussian", {"finetune.regression=spline"}},
    {"bump-hunt", "pairs"},
    {"bump-hunt", "pairs", {"head.kind=mixture"}},
    {"circle", "pairs", images},
    {"digits",
     "pairs",
     {"embedder.kind=resnet", "embedder.channels=32,32", "embedder.projection=16", "embedder.size=16"}},
#if PAIRS_WITH_MOLECULES
    {"molecules", "pairs", {"task.molecules=40", "task.conformers=10", "embedder.hidden=16", "embedder.filters=16"}},
    {"molecules", "pairs", {"task.molecules=40", "task.conformers=10", "embedder.kind=rows"}},
#endif
    {"novel-view", "pairs", {"task.size=16", "embedder.channels=8,8", "head.channels=16", "head.summary=0.5"}},
  };
  std::map<std::string, bool> had_effect;
  for (const Case& one : cases) {
    const TaskInfo info = built_in_tasks()->make(one.task)->info();
    RunConfig config = load_preset(built_in_tasks(), info, "quick", one.strategy, one.settings);
    SCOPED_TRACE(one.task + " " + one.strategy + " " + config.estimator.embedder.kind + " " +
                 config.estimator.head.kind);
    const bool last = head_of_stage(config, true).kind != config.estimator.head.kind;
    const std::string before = network(config, last);
    EXPECT_EQ(network(config, last), before) << "a function of its settings alone";
    for (const Field& field : read_fields(config)) {
      const bool own = field.key.starts_with("embedder.") || field.key.starts_with("head.") ||
                       field.key == "encoding" || field.key == "seed" || field.key.starts_with("task.");
      if (!own || kNames.contains(field.key)) continue;
      if (field.key.ends_with(".precision") && !processor_has_bfloat16()) continue;
      const std::string& reader = field.key.starts_with("embedder.") ? config.estimator.embedder.kind
                                  : field.key.starts_with("task.")   ? one.task
                                                                     : head_of_stage(config, last).kind;
      bool& done = had_effect[reader + ": " + field.key];
      if (done) continue;
      bool effect = false, accepted = false;
      std::size_t next = 0;
      while (!effect) {
        const std::optional<RunConfig> other = changed(info, one.strategy, one.settings, field, next);
        if (!other) break;
        try {
          effect = network(*other, last) != before;
          accepted = true;
        } catch (const Error&) {
          // Channels that do not fit the groups of a normalization, images too small to be halved again: refused, too.
        }
      }
      EXPECT_TRUE(effect || !accepted) << field.key;
      done = effect;
    }
  }
  EXPECT_GT(had_effect.size(), 70u);
#if PAIRS_WITH_MOLECULES
  std::set<std::string> kinds;
  for (const auto& [key, effect] : had_effect) kinds.insert(key.substr(0, key.find(": ")));
  for (const EmbedderKind& kind : embedder_kinds())
    EXPECT_TRUE(kinds.contains(kind.name)) << kind.name << " has no case";
  for (const HeadKind& kind : head_kinds()) EXPECT_TRUE(kinds.contains(kind.name)) << kind.name << " has no case";
#endif
  // A kind may refuse all other values (of a UMNN's support there is one); no setting is always refused.
  std::map<std::string, bool> anywhere;
  for (const auto& [key, effect] : had_effect) anywhere[key.substr(key.find(": "))] |= effect;
  for (const auto& [key, effect] : anywhere) EXPECT_TRUE(effect) << key << " was refused whatever its value";
}

TEST(Settings, OfTrainingHaveAnEffect) {
  const std::vector<std::string> tiny = {
      "threads=2",         "device=cpu",        "checkpoint=1000",     "embedder.layers=[16]",
      "embedder.size=8",   "head.hidden=16",    "pretrain.epochs=3",   "pretrain.steps=4",
      "pretrain.batch=32", "pretrain.sets=80",  "cache.sizes=[4,40]",  "cache.sets=[60,20]",
      "cache.pieces=4",    "finetune.epochs=3", "finetune.steps=4",    "finetune.batch=32",
      "finetune.ema=0.5",  "pretrain.ema=0.5",  "pretrain.warmup=0.1", "finetune.validation_draws=64"};
  std::vector<Case> cases = {{"gaussian", "pairs", tiny}, {"gaussian", "gaussian", tiny}, {"gaussian", "pairs", tiny}};
  cases.back().settings.insert(cases.back().settings.end(),
                               {"pretrain.sets=0", "pretrain.budget=400", "finetune.size_distribution=list"});
  std::map<std::string, bool> had_effect;
  for (const Case& one : cases) {
    const TaskInfo info = built_in_tasks()->make(one.task)->info();
    RunConfig config = load_read(built_in_tasks(), info, "quick", one.strategy, one.settings);
    const std::string planned = plan(config), before = trained(config);
    EXPECT_EQ(trained(config), before);
    for (const Field& field : read_fields(config)) {
      const bool own = field.key.starts_with("pretrain.") || field.key.starts_with("cache.") ||
                       field.key.starts_with("finetune.") || field.key.starts_with("evaluate.") ||
                       field.key == "standardize" || field.key == "encoding";
      if (!own || kElsewhere.contains(field.key)) continue;
      std::vector<std::string> settings;
      for (const std::string& setting : one.settings)
        if (unread_because(config, assigned_key(setting)).empty()) settings.push_back(setting);
      std::string extra = before;
      if (field.key.ends_with(".patience")) {  // waits for a better validation loss: one that never comes
        settings.push_back(field.key.substr(0, field.key.find('.')) + ".rate=1e-12");
        extra = trained(load_preset(built_in_tasks(), info, "quick", one.strategy, settings));
      }
      bool effect = false, accepted = false;
      std::size_t next = 0;
      while (!effect) {
        const std::optional<RunConfig> other = changed(info, one.strategy, settings, field, next);
        if (!other) break;
        try {
          effect = plan(*other) != planned || trained(*other) != extra;
          accepted = true;
        } catch (const Error&) {
          // Sizes that blocks do not divide: refused when the cache is made.
        }
      }
      EXPECT_TRUE(effect || !accepted) << one.strategy << " " << field.key;
      had_effect[field.key] |= effect;
    }
  }
  for (const auto& [key, effect] : had_effect)
    EXPECT_NE(effect, key == "pretrain.rotate") << key << " (turns are of tasks whose observations are images)";
}

}  // namespace
}  // namespace pairs
