#pragma once

#include <torch/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "core/train/settings/stages.h"

namespace pairs {

// What the training loop needs to know about a stage. Weights are read and written through `parameters`.
struct Problem {
  Stage stage = Stage::pretrain;
  std::int64_t head_n = 0;  // stage 3 with one head per N: the head's N; else 0
  OptimizerConfig optimizer;
  std::int64_t epochs = 1, steps = 1;               // steps per epoch
  std::map<std::string, torch::Tensor> parameters;  // parameters to optimize, by name
  torch::Device device = torch::kCPU;
  // Steps between two reads of losses and norms: the device works while the next steps are prepared, without waiting.
  // 0: one on the CPU, 16 on a GPU.
  std::int64_t read_every = 0;
  // Prepares an epoch; may be empty, must be idempotent. It calls `save` before it destroys data that an earlier
  // position needs: a run killed afterwards then resumes at this epoch.
  std::function<void(std::int64_t epoch, const std::function<void()>& save)> begin_epoch;
  // Adds a step's gradients to the parameters' and returns its loss, detached and on the device, without having to wait
  // for it. Its random numbers are a pure function of the arguments. May throw Stopped when asked to stop.
  std::function<torch::Tensor(std::int64_t epoch, std::int64_t step, std::uint64_t key)> gradients;
  std::function<double(std::int64_t epoch)>
      validate;  // mean loss on held-out sets; may throw Stopped when asked to stop
  // Further values to log for the validated weights, after the losses; may be empty. Has no side effects.
  std::function<nlohmann::json()> extra;
  // The number of initial epochs on an easier problem: their losses are logged, but none counts as the stage's best.
  std::int64_t lessons = 0;
  std::function<void()> preview;  // shows the estimator to a client that requested a preview; may be empty
};

struct OptimizeResult {
  double train = 0, validation = 0;  // last epoch's training loss, best validation loss
  std::int64_t best_epoch = 0, epochs = 0;
  double seconds = 0;  // over all sessions of the run
};

// Learning rate at a step: linear warm-up over warmup * total steps, then cosine from rate to rate * floor.
double learning_rate(const OptimizerConfig& config, std::int64_t step, std::int64_t total);

// AdamW with warm-up, cosine, clipping and patience; leaves the weights with the best validation loss in the
// parameters. With a moving average (ema), the average is validated, previewed and kept. Resumes from
// RUN/resume.safetensors if that file belongs to this stage and head, bit for bit on the same machine. Saves that file
// every `config.checkpoint` seconds and, if steps were taken since, when asked to stop (then throws Stopped; a step is
// interrupted between layers). For a loss or gradient that is not finite, saves the last good weights and throws Error
// naming the step; a GPU is checked every few steps, and from such a step on the weights no longer change. A stage that
// has diverged throws Error: its validation loss ends 1,000 above its first step's loss, or reaches a million above it.
OptimizeResult optimize(Problem& problem, const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);

}  // namespace pairs
