#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>

#include "core/base/fields/face.h"
#include "core/base/files/safetensors.h"
#include "core/base/gpu/devices.h"
#include "core/base/text/error.h"
#include "core/eval/references/sufficiency.h"
#include "core/ops/ops.h"
#include "core/target_choice.h"
#include "core/train/run/rank_monitor.h"
#include "core/train/run/run.h"
#include "core/train/settings/curriculum.h"
#include "core/train/settings/source.h"
#include "core/train/stages/learned.h"
#include "core/train/stages/set_gradients.h"
#include "core/train/stages/slot_gradients.h"
#include "core/train/stages/stage_tools.h"
#include "core/train/steps/optimize.h"
#include "core/train/steps/regression_sigma.h"

namespace pairs {
namespace {

// The task with the targets that the weights in a file infer, which may differ from the run's.
std::shared_ptr<const Task> task_of_weights(const std::filesystem::path& file, RunConfig config) {
  const std::map<std::string, std::string> metadata = read_safetensors(file).metadata;
  const auto settings = metadata.find("training_settings");
  const std::string targets =
      settings == metadata.end() ? "" : find_toml_text(settings->second, kTaskTargets, file.string());
  for (const Field& field : fields(config))
    if (field.key == kTaskTargets) *std::get<std::string*>(field.slot) = targets;
  return config.make_task();
}

// Loads the weights of another run that were copied with this one (create_run); returns whether its head was used, too.
bool start_from(const std::filesystem::path& file, const RunConfig& config, Estimator& estimator, Monitor& monitor) {
  PAIRS_CHECK(std::filesystem::exists(file),
              "{} is missing, which holds the weights of {}; restore it, or start the run anew", file.string(),
              "pretrain.from"_key);
  const std::string left = estimator.start_from(Estimator::load(file, task_of_weights(file, config)));
  if (left.empty()) return true;
  Event event;
  event.type = EventType::warning;
  event.stage = Stage::pretrain;
  event.values = {{"text", left}};
  monitor.event(event);
  return false;
}

// Logs the settings of the epochs from here on.
void report_lesson(std::int64_t epoch, std::int64_t step, const std::string& settings, Monitor& monitor) {
  Event event;
  event.type = EventType::lesson;
  event.stage = Stage::pretrain;
  event.epoch = epoch;
  event.step = step;
  event.values = {{"text", settings}};
  monitor.event(event);
}

}  // namespace

PretrainPlan plan_pretraining(const RunConfig& config, const SetSource& source) {
  PretrainPlan plan;
  plan.batch = config.pretrain.batch;
  plan.epochs = config.pretrain.epochs;
  plan.steps = config.pretrain.steps;
  if (source.training_sets() > 0) plan.batch = std::min(plan.batch, source.training_sets());
  return plan;
}

Loss pretrain_loss(Estimator& estimator, const SetBatch& batch) {
  const torch::Tensor aggregates = estimator.pool().forward(estimator.embedder().forward(batch.x), batch.offsets);
  return estimator.loss(0, batch.theta, aggregates, batch.n, batch.given);
}

void pretrain(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  if (run_status(run).pretrained) {
    if (writes_run(monitor)) std::filesystem::remove(run / run_file::start);  // a killed session may have left it
    return;
  }
  const StageSetting setting(config, monitor.ranks());
  Estimator estimator(setting.task, config.estimator, setting.seed);
  const bool with_head = !config.pretrain.from.empty() && start_from(run / run_file::start, config, estimator, monitor);
  estimator.to(setting.device);
  const std::vector<Lesson> lessons = curriculum(config);
  const std::string own = own_settings(config, lessons);
  const SetSource source(setting.task, setting.seed, config.pretrain.sizes, finite_sets(config.pretrain),
                         config.pretrain.validation_sets, config.pretrain.rotate, lessons);
  const PretrainPlan plan = plan_pretraining(config, source);

  // Validation sets are simulated anew each time: nothing is stored.
  const std::int64_t held_out = std::max<std::int64_t>(plan.batch, 256);
  const std::int64_t in_graph = estimator.observations_in_graph(), at_once = estimator.observations_at_once();
  const auto stop = [&] { return monitor.should_stop(); };
  Problem problem;
  problem.stage = Stage::pretrain;
  problem.optimizer = config.pretrain;
  problem.optimizer.batch = plan.batch;
  problem.epochs = plan.epochs;
  problem.steps = plan.steps;
  problem.device = setting.device;
  problem.parameters = estimator.embedder_parameters();
  problem.parameters.merge(estimator.head_parameters());
  RecordedSteps recorded =
      recorded_set_steps(estimator, problem.parameters, setting.recorded, not_recorded(Stage::pretrain, monitor));
  SlotGradients slots(problem.parameters, config.slots, monitor);
  problem.gradients = [&](std::int64_t epoch, std::int64_t step, std::uint64_t step_key) {
    estimator.train(true);
    return slots.gradients(plan.batch, step_key, [&](const RowRange& rows, std::uint64_t key) {
      const SetBatch batch = source.training(epoch, step * plan.batch, plan.batch, plan.steps * plan.batch,
                                             setting.device, in_graph, rows);
      return set_gradients(estimator, source, batch, key, in_graph, stop, &recorded);
    });
  };
  problem.lessons = std::min(source.lessons(), plan.epochs);
  problem.begin_epoch = [&, reported = std::string()](std::int64_t epoch, const auto&) mutable {
    const Lesson* lesson = source.lesson(epoch);
    const std::string settings = lesson ? lesson->text : epoch == source.lessons() ? own : reported;
    if (source.lessons() > 0 && settings != reported) report_lesson(epoch, epoch * plan.steps, settings, monitor);
    reported = settings;
  };
  problem.validate = [&](std::int64_t epoch) {
    estimator.train(false);
    const std::int64_t parts = (source.validation_sets() + held_out - 1) / held_out;
    const std::vector<double> losses = shared_values(monitor, parts, [&](std::int64_t part) {
      const SetBatch batch = source.validation(part * held_out, held_out, setting.device, at_once, epoch);
      const Loss loss =
          estimator.loss(0, batch.theta, set_aggregates(estimator, source, batch, at_once, stop), batch.n, batch.given);
      return loss.value.item<double>() * static_cast<double>(batch.n.size(0));
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(source.validation_sets());
  };
  const TheoremSample sample = theorem_sample(*setting.task, estimator.embedding_size());
  if (sample.known())
    problem.extra = [&] { return nlohmann::json{{"unexplained", unexplained_statistics(estimator, sample)}}; };
  const std::int64_t largest = *std::max_element(config.pretrain.sizes.begin(), config.pretrain.sizes.end());
  problem.preview = [&] { show_preview(monitor, Stage::pretrain, largest, estimator); };
  OptimizeResult result;
  if (plan.epochs > 0)
    result = optimize(problem, run, config, monitor);
  else
    result.train = result.validation = problem.validate(source.lessons());

  estimator.train(false);
  const bool predicts = face<ResidualSpread>(estimator.head(0)) != nullptr;
  const ScoredSets scored =
      held_out_sets(estimator, source, predicts ? kSigmaSets : prior_gain_sets(estimator), setting.device, stop);
  if (predicts) fit_regression_sigma(estimator, 0, scored);
  estimator.set_max_n(largest);
  nlohmann::json reported = {{"sets", plan.steps * plan.batch * result.epochs}};
  // A new head that this stage does not train has no gain over the prior.
  if (plan.epochs > 0 || with_head)
    report_gain(Stage::pretrain, prior_gain(estimator, scored, stop), estimator.has_density(), reported, monitor);
  report_invalid(Stage::pretrain, invalid_draws_of(*setting.task), reported, monitor);
  finish_stage(run, run_file::pretrained, config, estimator, result, Stage::pretrain, std::move(reported), monitor);
  if (writes_run(monitor)) std::filesystem::remove(run / run_file::start);
}

}  // namespace pairs
