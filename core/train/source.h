#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/task.h"

namespace pairs {

// A ragged batch of sets: observations of all sets stacked, offsets [B + 1] where each begins (paper, Deep Sets).
struct SetBatch {
  torch::Tensor theta;    // [B, d] float64, CPU
  torch::Tensor x;        // [sum of n, ...] float32
  torch::Tensor offsets;  // [B + 1] int64, on x's device
  torch::Tensor n;        // [B] int64, on x's device
  torch::Tensor given;    // [B, g] float64, CPU; undefined where g = 0
};

// Sets by index for stage 1: everything is a pure function of (seed, epoch, position), nothing is stored. With a budget
// of P observations there are P / max(sizes) sets, the last 20 % for validation, simulated again each epoch; without
// one, training sets never repeat and validation has indices of its own.
class SetSource {
 public:
  SetSource(std::shared_ptr<const Task> task, std::uint64_t seed, std::vector<std::int64_t> sizes, std::int64_t budget,
            std::int64_t validation_sets);

  bool images() const { return task_->info().kind == ObservationKind::image; }
  std::int64_t training_sets() const { return training_; }  // 0: unlimited
  std::int64_t validation_sets() const { return validation_; }
  // The batch at `position` (in sets) of `epoch`; `epoch_sets` is the number of sets an epoch visits.
  SetBatch training(std::int64_t epoch, std::int64_t position, std::int64_t count, std::int64_t epoch_sets,
                    const torch::Device& device) const;
  SetBatch validation(std::int64_t first, std::int64_t count, const torch::Device& device) const;

 private:
  SetBatch make(const std::vector<std::int64_t>& indices, const std::vector<std::int64_t>& sizes,
                const torch::Device& device) const;

  std::shared_ptr<const Task> task_;
  std::uint64_t seed_;
  std::vector<std::int64_t> sizes_;
  std::int64_t training_ = 0, validation_ = 0, validation_base_ = 0;
};

// `count` sizes in which each of `sizes` occurs equally often, the remainder rotating from batch to batch, in random
// order; a pure function of (seed, batch).
std::vector<std::int64_t> stratified_sizes(const std::vector<std::int64_t>& sizes, std::int64_t count,
                                           std::uint64_t seed, std::uint64_t batch);

}  // namespace pairs
