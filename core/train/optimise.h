#pragma once

#include <torch/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "core/train/stages.h"

namespace pairs {

// What the one training loop needs to know of a stage. Weights are read and written through `parameters`.
struct Problem {
  Stage stage = Stage::pretrain;
  std::int64_t head_n = 0;  // stage 3 with one head for each N: which; else 0
  OptimiserConfig optimiser;
  std::int64_t epochs = 1, steps = 1;               // steps an epoch
  std::map<std::string, torch::Tensor> parameters;  // to optimise, by name
  torch::Device device = torch::kCPU;
  // Steps whose losses and norms are read together: the next ones are prepared while a device works, and nobody waits
  // for it. 0: one on the CPU, 16 on a GPU.
  std::int64_t read_every = 0;
  // Prepares an epoch; may be empty, must be idempotent. It calls `save` before it destroys what an earlier position
  // needs: a run killed afterwards then resumes at this epoch.
  std::function<void(std::int64_t epoch, const std::function<void()>& save)> begin_epoch;
  // Adds a step's gradients to the parameters' and returns its loss, detached and on the device, for which it need not
  // wait. What it draws is a pure function of the arguments. May throw Stopped when asked to stop.
  std::function<torch::Tensor(std::int64_t epoch, std::int64_t step, std::uint64_t key)> gradients;
  std::function<double(std::int64_t epoch)>
      validate;  // mean loss on held-out sets; may throw Stopped when asked to stop
  // What else is told of the weights that were validated, behind the losses; may be empty. It changes nothing.
  std::function<nlohmann::json()> beside;
  // So many epochs at the beginning are of an easier problem: their losses are told, and none is the stage's best.
  std::int64_t lessons = 0;
  std::function<void()> preview;  // shows the estimator to a client that wants a look; may be empty
};

struct OptimiseResult {
  double train = 0, validation = 0;  // last epoch's training loss, best validation loss
  std::int64_t best_epoch = 0, epochs = 0;
  double seconds = 0;  // over all sessions of the run
};

// Learning rate at a step: linear warm-up over warmup * total steps, then cosine from rate to rate * floor.
double learning_rate(const OptimiserConfig& config, std::int64_t step, std::int64_t total);

// AdamW with warm-up, cosine, clipping and patience; leaves the weights of the best validation loss in the parameters.
// With a moving average (ema) it is the average that is validated, previewed and kept. Continues from
// RUN/resume.safetensors when that file belongs to this stage and head, bit for bit on the same machine; saves it every
// `config.checkpoint` seconds and, after steps that it does not hold, when asked to stop (then throws Stopped; a step
// is broken off between layers). A loss or gradient that is not finite throws Error naming the step after saving the
// last good weights; a GPU is asked every few steps, and leaves the weights as they are from such a step on. A stage
// that has diverged throws Error: one that ends with a validation loss 1,000 above its first step's loss, or reaches
// one a million above it.
OptimiseResult optimise(Problem& problem, const std::filesystem::path& run, const RunConfig& config, Monitor& monitor);

}  // namespace pairs
