#pragma once

#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/input_scale.h"
#include "tasks/own/task_file.h"

namespace pairs::own {

// Ranges of a task's targets, of those nuisances whose view its file leaves out and of what is given, from draws of the
// prior theta [S, d], psi [S, p] and given [S, g] (read where it comes with them), float64, by their quantiles. Throws
// Error where a prior draws nearly always the same.
std::vector<Measured> measure(const TaskFile& file, const torch::Tensor& theta, const torch::Tensor& psi,
                              const torch::Tensor& given = {});

// Sets of two observations that measure_x is given, where an observation has so many numbers.
std::int64_t measured_x_sets(double numbers);

// How the columns, or channels, of observations x (float64) are standardised. Location: the median. Scale: half the
// width of the middle 68 %, or an eighth of half that of the middle 95 %, or a 32nd of half that of the middle 99 %,
// whichever is largest: outliers do not move it, and no more than one number in a hundred lies beyond 32. Of a column
// that is nearly always the same its standard deviation; 1 where it is always the same.
InputScale measure_x(const Observations& x, std::int64_t channels);

// What measure_x found earlier for the task that `key` describes, kept in the folder of caches; empty where nothing is
// kept, or for another number of channels.
std::optional<InputScale> kept_input(const std::string& key, std::int64_t channels);
// Keeps it; a folder that cannot be written is left as it is.
void keep_input(const std::string& key, const InputScale& scale);

}  // namespace pairs::own
