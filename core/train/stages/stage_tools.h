#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/estimator.h"
#include "core/train/cache/aggregate_cache.h"
#include "core/train/settings/source.h"
#include "core/train/settings/stages.h"
#include "core/train/steps/optimize.h"
#include "core/train/steps/recorded_steps.h"

// Tools that the stages share, and their single steps for benchmarks and cost estimates.
namespace pairs {

// Sets up the task, device, seed and thread count of a configuration. Each of several ranks uses the device that it was
// connected with.
struct StageSetting {
  explicit StageSetting(const RunConfig& config, const Ranks* ranks = nullptr);
  // Uses another task than the configuration's: a planned one (planned_task).
  StageSetting(const RunConfig& config, std::shared_ptr<const Task> of, const Ranks* ranks = nullptr);
  std::shared_ptr<const Task> task;
  torch::Device device = torch::kCPU;
  std::uint64_t seed;
  bool recorded = false;  // whether steps are recorded (RecordedSteps): if the configuration allows it, on a GPU
};

// Writes the stage's estimator, logs that the stage is done, and removes its checkpoint. `values`: further values of
// the event besides losses and time, e.g. {"sets": sets drawn in training}.
void finish_stage(const std::filesystem::path& run, const char* file, const RunConfig& config,
                  const Estimator& estimator, const OptimizeResult& result, Stage stage, nlohmann::json values,
                  Monitor& monitor);

// A callback that warns the monitor that a stage's steps cannot be recorded, and why (RecordedSteps).
std::function<void(const std::string&)> not_recorded(Stage stage, Monitor& monitor);

// Shows the estimator to the monitor as Monitor::preview promises.
void show_preview(Monitor& monitor, Stage stage, std::int64_t n, Estimator& estimator);

struct PretrainPlan {
  std::int64_t epochs, steps, batch;
};
PretrainPlan plan_pretraining(const RunConfig& config, const SetSource& source);
// Stage 1's loss of one batch, with a graph.
Loss pretrain_loss(Estimator& estimator, const SetBatch& batch);

// Steps per epoch in stage 3.
std::int64_t finetune_steps(const RunConfig& config, const std::vector<CacheGroup>& groups);
// Prepares a pretrained estimator for stage 3: heads, standardizer, linear start.
void prepare_finetuning(Estimator& estimator, const RunConfig& config, const AggregateCache& cache);
// Stage 3's loss of one recalled batch of aggregates from the cache, with a graph; all rows belong to head `head_n`.
Loss finetune_loss(Estimator& estimator, std::int64_t head_n, const AggregateBatch& batch);
// Recorded steps of stage 3 on a GPU; the estimator must outlive them.
RecordedSteps recorded_head_steps(Estimator& estimator, std::int64_t head_n, bool on,
                                  std::function<void(const std::string&)> warn);
// Sets the head's gradients to those of its loss of a batch, and returns the loss as RecordedSteps does.
torch::Tensor head_gradients(Estimator& estimator, const AggregateBatch& batch, std::uint64_t key,
                             RecordedSteps& recorded);

}  // namespace pairs
