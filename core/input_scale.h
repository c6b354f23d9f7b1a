#pragma once

#include <torch/types.h>

#include <vector>

#include "core/sets/observations.h"
#include "core/task.h"

namespace pairs {

// How networks see x: z = (x - location) / scale, with one location and one scale per column of points and of ragged
// rows, or per channel of images. Columns with heavy tails are seen as (asinh z - middle) / spread, so that a few
// extreme numbers do not decide a set's mean embedding.
struct InputScale {
  std::vector<double> location, scale;           // empty: x is not standardized
  std::vector<double> middle = {}, spread = {};  // empty: no column is curved; spread 0: this one is not

  bool empty() const { return location.empty(); }
  bool curved(std::size_t k) const { return k < spread.size() && spread[k] > 0; }
};

// A task whose observations are standardized for networks. They are simulated as float64 and standardizing rounds them
// to float32, so that no precision is lost if a location is large compared with its scale.
class StandardizedInput {
 public:
  virtual ~StandardizedInput() = default;
  // Whether x is standardized.
  virtual bool standardizes() const = 0;
  // The scale, empty if x is not standardized. The first call may measure it, which may start a user's program.
  virtual InputScale input_scale() const = 0;
};

// Whether a task's observations are standardized for networks, and the scale; empty if they are not.
bool standardizes_input(const Task& task);
InputScale input_scale(const Task& task);

// The number of columns of points and of rows, or of channels of images, each of which has its own scale.
std::int64_t input_channels(const TaskInfo& info);

// x as networks see it by these numbers of an InputScale, [channels] float64 on its device, computed in float64 ->
// float32. `middle` and `spread` are both undefined if no column is curved.
Observations standardized(const Observations& x, const torch::Tensor& location, const torch::Tensor& scale,
                          const torch::Tensor& middle = {}, const torch::Tensor& spread = {});

// All numbers of x: the block [M, ...], or the rows [R, columns] of ragged observations.
const torch::Tensor& all_numbers(const Observations& x);

// The type of observed data: float64 for custom tasks, which may standardize them, float32 for built-in ones.
torch::ScalarType observed_type(const TaskInfo& info);

}  // namespace pairs
