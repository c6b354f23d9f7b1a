#pragma once

#include <torch/types.h>

#include <vector>

#include "core/task.h"

namespace pairs {

// Quantities of which values one period apart are the same, such as angles. Files, commands and networks take any of
// these values; what is reported of a posterior is unrolled: the circle is cut open where there is least of it.

// The value within [low, low + period) that is the same as `value`.
double wrapped(double value, double low, double period);
torch::Tensor wrapped(const torch::Tensor& values, double low, double period);  // float64, any shape

// Whether any of the targets is periodic.
bool any_periodic(const std::vector<Target>& targets);
// θ [.., d] float64 with periodic targets in [low, high), others unchanged.
torch::Tensor wrapped(const std::vector<Target>& targets, const torch::Tensor& theta);

// The circular mean of values [S, ..] float64 over the first dimension, with weights [S] or, if these are undefined,
// equal ones: the direction of the mean of the unit vectors, within [low, low + period); the middle of that range where
// values are spread so evenly that there is no such direction -> [..].
torch::Tensor circular_mean(const torch::Tensor& values, double low, double period, const torch::Tensor& weight = {});

// θ [.., d] with each periodic target at the value within half a period of that of `center` [.., d] (broadcast); others
// unchanged.
torch::Tensor next_to(const std::vector<Target>& targets, const torch::Tensor& theta, const torch::Tensor& center);

// Samples [B, S, d] of B posteriors, float64 on the CPU, each cut open where it has fewest samples (cut_open_at), and
// the true θ [B, d] next to the mean.
struct Unrolled {
  torch::Tensor samples, theta;
};
Unrolled unrolled(const std::vector<Target>& targets, const torch::Tensor& samples, const torch::Tensor& theta);
// Samples [S, d] of one posterior.
torch::Tensor unrolled(const std::vector<Target>& targets, const torch::Tensor& samples);
// Both for ranks: from a cut that is drawn uniformly for each set, by `key`, so that ranks of the truth are uniform
// whatever lies around the cut.
Unrolled cut_open(const std::vector<Target>& targets, const torch::Tensor& samples, const torch::Tensor& theta,
                  std::uint64_t key);

// The start of the period that unrolled values [S] lie in, weighted if `weight` [S] is defined: the circle is cut open
// where values are fewest, at `low` if they are nowhere few, and their mean lies in [low, low + period).
double cut_open_at(const torch::Tensor& values, double low, double period, const torch::Tensor& weight = {});
// The targets with bounds of this period for each periodic one, by samples [S, d]: unrolled values lie within these.
std::vector<Target> turned(std::vector<Target> targets, const torch::Tensor& samples, const torch::Tensor& weight = {});

}  // namespace pairs
