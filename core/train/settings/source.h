#pragma once

#include <torch/types.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// A ragged batch of sets: the observations of all sets packed, with offsets [B + 1] where each begins (paper, Deep
// Sets).
struct SetBatch {
  torch::Tensor theta;    // [B, d] float64, CPU
  Observations x;         // all sets' observations in order, float32; undefined if they exceed the requested `at_once`
  torch::Tensor offsets;  // [B + 1] int64, on the device
  torch::Tensor n;        // [B] int64, CPU
  torch::Tensor given;    // [B, g] float64, CPU; undefined where g = 0

  // How to simulate x, as a whole or in parts.
  std::shared_ptr<const Task> task;
  Latents latents;
  std::vector<SetRange> sets;
  std::vector<std::int64_t> rotations;  // quarter turns by which the images of each set are rotated; empty: none
  Purpose purpose;
  std::int64_t observations = 0;
  torch::Device device = torch::kCPU;
};

// Consecutive observations of a batch: ranges[k] belongs to its set rows[k].
struct SetPart {
  std::vector<SetRange> ranges;
  std::vector<std::int64_t> rows;
  std::int64_t first = 0, count = 0;  // among the batch's observations
};
// Divides a batch into parts of at most `at_once` observations; the result depends on nothing else.
std::vector<SetPart> parts(const SetBatch& batch, std::int64_t at_once);

// Consecutive rows of a batch.
struct RowRange {
  std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();  // one past the last; limited to the batch
};

// An epoch of stage 1 on an easier version of its task (core/train/settings/curriculum.h).
struct Lesson {
  std::shared_ptr<const Task> task;
  std::string text;  // the changed settings, "distractors=0"
};

// Sets by index for stage 1: everything is a pure function of (seed, epoch, position), nothing is stored. Of `sets`
// sets the last fifth is for validation, and the others are reused, simulated anew, in every pass, each pass in an
// order of its own; if `sets` is 0, training sets never repeat. Validation sets have a purpose of their own, so that
// tasks can hold out data for them. The first epochs use `lessons`, element e in epoch e. With `rotate`, all images of
// a training set are rotated by 0 to 3 quarter turns, drawn anew for each visit.
class SetSource {
 public:
  static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

  SetSource(std::shared_ptr<const Task> task, std::uint64_t seed, std::vector<std::int64_t> sizes, std::int64_t sets,
            std::int64_t validation_sets, bool rotate = false, std::vector<Lesson> lessons = {});

  std::int64_t training_sets() const { return training_; }  // 0: unlimited
  std::int64_t validation_sets() const { return validation_; }
  // The batch at `position` (in sets) of `epoch`; `epoch_sets` is the number of sets an epoch visits. Its observations
  // are omitted if they exceed `at_once`. `rows`: returns only these sets of the batch, unchanged.
  SetBatch training(std::int64_t epoch, std::int64_t position, std::int64_t count, std::int64_t epoch_sets,
                    const torch::Device& device, std::int64_t at_once = kAll, const RowRange& rows = {}) const;
  // Held-out sets, from the lesson of `epoch` if it has one.
  SetBatch validation(std::int64_t first, std::int64_t count, const torch::Device& device, std::int64_t at_once = kAll,
                      std::int64_t epoch = kAll) const;
  // Sets for timing a step, which training never uses and which need no preparation (Purpose::check).
  SetBatch timed(std::int64_t first, std::int64_t count, const torch::Device& device) const;
  // The number of lessons, one per epoch, and the lesson of an epoch; null if it has none.
  std::int64_t lessons() const { return static_cast<std::int64_t>(lessons_.size()); }
  const Lesson* lesson(std::int64_t epoch) const {
    return epoch < lessons() ? &lessons_[static_cast<std::size_t>(epoch)] : nullptr;
  }
  // Simulates the observations of a part of a batch on the batch's device.
  Observations observe(const SetBatch& batch, const SetPart& part) const;

 private:
  SetBatch make(std::int64_t epoch, Purpose purpose, const std::vector<std::int64_t>& indices,
                const std::vector<std::int64_t>& sizes, std::vector<std::int64_t> rotations,
                const torch::Device& device, std::int64_t at_once) const;

  // The `visit`-th set to be visited, among the sets that are reused.
  std::int64_t visited(std::int64_t visit) const;

  std::shared_ptr<const Task> task_;
  std::uint64_t seed_;
  std::vector<std::int64_t> sizes_;
  std::int64_t training_ = 0, validation_ = 0;
  bool rotate_;
  std::vector<Lesson> lessons_;
};

// `count` sizes in which each of `sizes` occurs equally often, with the remainder rotating from batch to batch, in
// random order; a pure function of (seed, batch).
std::vector<std::int64_t> stratified_sizes(const std::vector<std::int64_t>& sizes, std::int64_t count,
                                           std::uint64_t seed, std::uint64_t batch);

// Rotates square images x [M, C, side, side], image i by rotations[i] quarter turns, counter-clockwise as seen.
torch::Tensor rotated(const torch::Tensor& x, const std::vector<std::int64_t>& rotations);

}  // namespace pairs
