#pragma once

#include <torch/types.h>

#include <string_view>
#include <vector>

#include "core/ops/neighbors.h"

namespace pairs::ops {

// A plan for all continuous filters on the same neighbors: the place of each distance in a table, with its four
// weights, in the order that each device uses.
struct FilterPlan {
  std::vector<torch::Tensor> parts;
  std::int64_t points = 0;  // of the tables
  bool gradients = false;   // whether it also supports gradients
};

// A table of `points` rows has its point k at the distance (k - 1) * spacing, so that every distance up to (points - 3)
// * spacing has two points on either side. Neighbors that are farther throw Error on the CPU and use the last points on
// a GPU. offsets [M + 1] are those that the neighbors were found with.
FilterPlan plan_filter(const Neighbors& near, const torch::Tensor& offsets, double spacing, std::int64_t points,
                       bool gradients);

// Continuous-filter convolution (Schuett et al. 2017, arXiv:1706.08566): y_i = sum over the neighbors j of i of x_j *
// W(d_ij), element by element; x [R, F], table [points, F], both float32, -> y [R, F]. W(d) is interpolated in the
// table by the cubic through the four points around d, off by at most 3/128 spacing^4 max |W''''|. Hand-written
// backward pass for x and the table, without a second derivative. Results do not depend on the number of threads, and
// y_i does not depend on other segments.
torch::Tensor continuous_filter(const torch::Tensor& x, const torch::Tensor& table, const FilterPlan& plan);

// Selects the instruction set of filters on the CPU: "avx512", "avx2" or "plain", or "" for the best one, the default.
// Returns false and changes nothing if this processor lacks it. For tests.
bool use_filter_instructions(std::string_view name);

}  // namespace pairs::ops
