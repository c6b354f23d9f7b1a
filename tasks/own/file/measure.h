#pragma once

#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/input_scale.h"
#include "tasks/own/file/task_file.h"

namespace pairs::own {

// Measures the ranges of a task's targets, of nuisances whose view its file omits, and of conditions, from samples of
// the prior theta [S, d], psi [S, p] and given [S, g] (used if it comes with them), float64, by their quantiles. Throws
// Error if a prior is nearly constant.
std::vector<Measured> measure(const TaskFile& file, const torch::Tensor& theta, const torch::Tensor& psi,
                              const torch::Tensor& given = {});

// Throws a usage Error that names the file if a prior that it states is not that of these samples, or depends on
// another parameter or a condition.
void check_priors(const TaskFile& file, const torch::Tensor& theta, const torch::Tensor& psi,
                  const torch::Tensor& given = {});

// The number of sets of two observations for measure_x, for observations with this many numbers.
std::int64_t measured_x_sets(double numbers);

// The standardization of the columns, or channels, of observations x (float64). Location: the median. Scale: half the
// width of the middle 68 %, or an eighth of half that of the middle 95 %, or a 32nd of half that of the middle 99 %,
// whichever is largest: outliers do not affect it, and at most one number in a hundred lies beyond 32. For a nearly
// constant column it is the standard deviation; 1 for a constant one. Columns of points and of rows whose middle 99 %
// are more than 8 times as wide as their middle 68 % are curved: around their median, or as logarithms if they are
// positive and span many scales.
InputScale measure_x(const Observations& x, std::int64_t channels);

// The cached result of measure_x for the task that `key` describes; empty if there is none, or for another number of
// channels.
std::optional<InputScale> kept_input(const std::string& key, std::int64_t channels);
// Caches a result; does nothing if the folder cannot be written.
void keep_input(const std::string& key, const InputScale& scale);

}  // namespace pairs::own
