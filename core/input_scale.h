#pragma once

#include <torch/types.h>

#include <vector>

#include "core/sets/observations.h"
#include "core/task.h"

namespace pairs {

// How networks see x: (x - location) / scale, one number of each for every column of points and of ragged rows, or for
// every channel of images.
struct InputScale {
  std::vector<double> location, scale;  // empty: x as it is

  bool empty() const { return location.empty(); }
};

// A task whose observations networks see standardised. These are drawn as float64, which standardising turns
// into float32, so that nothing is lost where a location is large beside its scale.
class StandardisedInput {
 public:
  virtual ~StandardisedInput() = default;
  // Whether it is so.
  virtual bool standardises() const = 0;
  // How, where it is so; empty else. May be measured, and start a person's program, when it is first asked for.
  virtual InputScale input_scale() const = 0;
};

// Whether networks see the observations of a task standardised, and how; empty where they do not.
bool standardises_input(const Task& task);
InputScale input_scale(const Task& task);

// Columns of points and of rows, channels of images: what is standardised by numbers of its own.
std::int64_t input_channels(const TaskInfo& info);

// x less `location` and over `scale`, both [channels] float64 on its device, computed in float64 -> float32.
Observations standardised(const Observations& x, const torch::Tensor& location, const torch::Tensor& scale);

// The block [M, ...], or the rows [R, columns] of ragged observations.
const torch::Tensor& all_numbers(const Observations& x);

// How observations that a person brings are held: float64 for a task of their own, which may standardise them, float32
// for built-in ones.
torch::ScalarType observed_type(const TaskInfo& info);

}  // namespace pairs
