#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "core/base/devices.h"
#include "core/base/error.h"
#include "core/ops/ops.h"
#include "core/train/optimise.h"
#include "core/train/regression_sigma.h"
#include "core/train/run.h"
#include "core/train/source.h"
#include "core/train/stage_tools.h"

namespace pairs {
namespace {

torch::Tensor batch_aggregates(Estimator& estimator, const SetBatch& batch) {
  return ops::segment_mean(estimator.embedder().forward(batch.x), batch.offsets);
}

}  // namespace

PretrainPlan plan_pretraining(const RunConfig& config, const SetSource& source) {
  const std::int64_t largest = *std::max_element(config.pretrain.sizes.begin(), config.pretrain.sizes.end());
  PretrainPlan plan;
  plan.batch = config.pretrain.batch;
  plan.epochs = config.pretrain.epochs * (config.pretrain.scale_epochs ? largest : 1);
  plan.steps = config.pretrain.steps;
  if (source.training_sets() > 0) {
    plan.batch = std::min(plan.batch, source.training_sets());
    const std::int64_t pass = source.training_sets() / plan.batch;
    plan.steps = plan.steps > 0 ? std::min(plan.steps, pass) : pass;
  }
  // One step holds the graph of all its observations: refuse what no machine holds rather than be killed for it.
  const double observations = static_cast<double>(plan.batch) * static_cast<double>(largest);
  const double most = source.images() ? 131072 : 16777216;
  if (observations > most)
    fail_usage(
        "pretrain.batch = {} sets of up to {} are {:.0f} observations a step, more than {:.0f}; lower pretrain.batch "
        "or pretrain.sizes",
        plan.batch, largest, observations, most);
  if (plan.steps < 1)
    fail_usage("pretrain.steps = 0 means one pass over a finite source, but pretrain.budget is 0; set one of them");
  return plan;
}

Loss pretrain_loss(Estimator& estimator, const SetBatch& batch) {
  return estimator.loss(0, batch.theta, batch_aggregates(estimator, batch), batch.n, batch.given);
}

void pretrain(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  if (std::filesystem::exists(run / run_file::pretrained)) return;
  const StageSetting setting(config);
  Estimator estimator(setting.task, config.estimator, setting.seed);
  estimator.to(setting.device);
  const SetSource source(setting.task, setting.seed, config.pretrain.sizes, config.pretrain.budget,
                         config.pretrain.validation_sets);
  const PretrainPlan plan = plan_pretraining(config, source);

  // Validation sets are simulated again each time: nothing is stored (design, A source).
  const std::int64_t held_out = std::max<std::int64_t>(plan.batch, 256);
  Problem problem;
  problem.stage = Stage::pretrain;
  problem.optimiser = config.pretrain;
  problem.optimiser.batch = plan.batch;
  problem.epochs = plan.epochs;
  problem.steps = plan.steps;
  problem.device = setting.device;
  problem.parameters = estimator.embedder_parameters();
  problem.parameters.merge(estimator.head_parameters());
  problem.loss = [&](std::int64_t epoch, std::int64_t step) {
    estimator.train(true);
    return pretrain_loss(
        estimator, source.training(epoch, step * plan.batch, plan.batch, plan.steps * plan.batch, setting.device));
  };
  problem.validate = [&] {
    estimator.train(false);
    double sum = 0;
    for (std::int64_t first = 0; first < source.validation_sets(); first += held_out) {
      if (monitor.should_stop()) throw Stopped();
      const SetBatch batch = source.validation(first, held_out, setting.device);
      sum += pretrain_loss(estimator, batch).value.item<double>() * static_cast<double>(batch.n.size(0));
    }
    return sum / static_cast<double>(source.validation_sets());
  };
  const std::int64_t largest = *std::max_element(config.pretrain.sizes.begin(), config.pretrain.sizes.end());
  problem.preview = [&] { show_preview(monitor, Stage::pretrain, largest, estimator); };
  const OptimiseResult result = optimise(problem, run, config, monitor);

  estimator.train(false);
  if (config.estimator.head.kind == "gaussian") {
    at::NoGradGuard no_grad;
    std::vector<torch::Tensor> theta, context, n;
    for (std::int64_t first = 0; first < std::min<std::int64_t>(source.validation_sets(), 20000); first += held_out) {
      const SetBatch batch = source.validation(first, held_out, setting.device);
      theta.push_back(estimator.standardise(batch.theta));
      context.push_back(estimator.context(batch_aggregates(estimator, batch), batch.n, batch.given));
      n.push_back(batch.n);
    }
    fit_regression_sigma(estimator, 0, at::cat(theta), at::cat(context), at::cat(n));
  }
  estimator.set_max_n(largest);
  finish_stage(run, run_file::pretrained, config, estimator, result, Stage::pretrain,
               {{"sets", plan.steps * plan.batch * result.epochs}}, monitor);
}

}  // namespace pairs
