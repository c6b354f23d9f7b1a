#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// One of TaskInfo::given: where it lies, and how networks see it, (v - location) / scale, of its natural logarithm
// where `log` says so.
struct GivenRange {
  double low, high;            // that it can have; ±infinity where unbounded
  double seen_low, seen_high;  // that nearly all sets of training have
  double location = 0, scale = 1;
  bool log = false;
  std::string unit = {};  // "" when it has none
};

// A task that says so of everything that is given of its sets. Without, networks see what is given as it is.
class HasGivenRanges {
 public:
  virtual ~HasGivenRanges() = default;
  // In the order of TaskInfo::given.
  virtual const std::vector<GivenRange>& given_ranges() const = 0;
};

// A reference posterior that depends on what is given of its set.
class KnowsGiven {
 public:
  virtual ~KnowsGiven() = default;
  // [g] float64, before the first observation is added.
  virtual void know(const torch::Tensor& given) = 0;
};

// The names of all that is given of its sets, in order.
std::vector<std::string> given_names(const TaskInfo& info);
// What is given of sets [B, g] as networks see it, float32 on its device.
torch::Tensor standardised_given(const Task& task, const torch::Tensor& given);
// Throws Error where a value of `given` [.., g], or undefined, is not finite or cannot be; `where` names its source.
void check_given(const Task& task, const torch::Tensor& given, const std::string& where);
// The middle of what training saw, [1, g]; undefined where the task does not say.
torch::Tensor middle_given(const Task& task);
// Tells a reference of one set what is given of it, [1, g] or undefined, where it depends on that.
void tell_given(ReferencePosterior& reference, const torch::Tensor& given);
// "exposure = 2 s, …" of one set, [1, g]; "" where it is undefined or the task does not say what networks see of it.
std::string given_text(const Task& task, const torch::Tensor& given);
// A sentence where the value of one set, [1, g] or undefined, lies beyond what training saw; else "".
std::string unseen_given_text(const Task& task, const torch::Tensor& given);

}  // namespace pairs
