#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/nn/adamw.h"
#include "core/train/steps/optimize.h"
#include "core/train/steps/weight_average.h"

namespace pairs {

using TensorMap = std::map<std::string, torch::Tensor>;

// Parts of an epoch whose mean training losses are recorded; fewer if it has fewer steps.
inline constexpr std::int64_t kLossParts = 10;

// The state of a stage's optimization; together with the saved tensors it determines the rest of the run.
struct Position {
  std::int64_t epoch = 0, step = 0;  // next step within the epoch
  double sum = 0;                    // training losses of this epoch so far
  std::vector<double> parts = {};    // the share of that sum in each part of the epoch (kLossParts)
  double best = INFINITY;
  std::int64_t best_epoch = -1;
  double last_train = 0;
  double seconds = 0;                         // spent up to the last checkpoint
  double first = NAN, last_validation = NAN;  // the first step's loss; the last epoch's
};

// RUN/resume.safetensors: the state from which an interrupted stage resumes, bit for bit on the same machine.
class Checkpoint {
 public:
  Checkpoint(const Problem& problem, const RunConfig& config, std::filesystem::path file);

  // `best`: the weights with the best validation loss so far; empty before the first validation.
  void save(const Position& at, const TensorMap& best, const WeightAverage& average, const AdamW& adam) const;
  // Returns false if there is nothing of this stage to resume. Sets `warning` if the machine differs. Throws Error if
  // the file is damaged, or belongs to another network or other settings.
  bool load(Position& at, TensorMap& best, const WeightAverage& average, AdamW& adam, std::string& warning) const;

  const std::filesystem::path& file() const { return file_; }

 private:
  const Problem& problem_;
  std::filesystem::path file_;
  std::string numerics_;
  const RunConfig& config_;
};

// Copies the values into the tensors with the same names.
void assign(const TensorMap& target, const TensorMap& values);

}  // namespace pairs
