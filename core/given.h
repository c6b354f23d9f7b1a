#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// The range of one condition (TaskInfo::given), and how networks see it: (v - location) / scale, taken of its natural
// logarithm if `log` is set.
struct GivenRange {
  double low, high;            // bounds of its values; ±infinity if unbounded
  double seen_low, seen_high;  // the range of nearly all training sets
  double location = 0, scale = 1;
  bool log = false;
  std::string unit = {};  // "" when it has none
};

// A task that knows the ranges of all its conditions. Networks see the conditions of other tasks unchanged.
class HasGivenRanges {
 public:
  virtual ~HasGivenRanges() = default;
  // In the order of TaskInfo::given.
  virtual const std::vector<GivenRange>& given_ranges() const = 0;
};

// A reference posterior that depends on the conditions of its set.
class KnowsGiven {
 public:
  virtual ~KnowsGiven() = default;
  // Sets the conditions [g] float64, before the first observation is added.
  virtual void know(const torch::Tensor& given) = 0;
};

// The names of all conditions, in order.
std::vector<std::string> given_names(const TaskInfo& info);
// Standardizes conditions of sets [B, g] for networks, float32 on their device.
torch::Tensor standardized_given(const Task& task, const torch::Tensor& given);
// Throws Error if a value of `given` [.., g] is not finite or out of bounds; `given` may be undefined. `where` names
// its source.
void check_given(const Task& task, const torch::Tensor& given, const std::string& where);
// Typical conditions: the middle of the training range, [1, g]; undefined if the task does not know it.
torch::Tensor middle_given(const Task& task);
// Passes a set's conditions, [1, g] or undefined, to a reference that depends on them.
void report_given(ReferencePosterior& reference, const torch::Tensor& given);
// Formats the conditions of one set, [1, g], as "exposure = 2 s, …"; "" if undefined or if the task does not know their
// ranges.
std::string given_text(const Task& task, const torch::Tensor& given);
// A sentence if a condition of one set, [1, g] or undefined, lies outside the training range; else "".
std::string unseen_given_text(const Task& task, const torch::Tensor& given);

}  // namespace pairs
