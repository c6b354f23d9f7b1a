#pragma once

#include <torch/types.h>

#include <functional>

#include "app/kinds/observation_room.h"

namespace pairs {

// p(x | θ, ψ) of points [M, columns] -> [M] float64, or undefined; empty: unknown.
using PointDensity = std::function<torch::Tensor(const torch::Tensor& x)>;

// The view that contains nearly all of the points x [M, columns], and the nuisances in their space.
SampleView view_of_points(const TaskInfo& info, const torch::Tensor& x);

// Points x [M, columns]. On a line: a histogram with the points below it; more columns: a scatter plot of the first
// two. Includes their density, if known, and θ and ψ if they lie in the space of x. The view grows if x exceeds it.
// Latents without tensors: unknown, as for a file.
Plot points_plot(const TaskInfo& info, const Latents& latents, const torch::Tensor& x, const SampleView& view,
                 const PointDensity& density);

// A thumbnail of points x [M, columns]: a histogram for one column, a density of the first two for more.
Thumbnail points_thumbnail(const torch::Tensor& x);

}  // namespace pairs
