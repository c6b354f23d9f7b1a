#pragma once

#include <torch/types.h>

#include <functional>

#include "app/kinds/observation_room.h"

namespace pairs {

// p(x | θ, ψ) of points [M, columns] -> [M] float64, or undefined; empty: not known.
using PointDensity = std::function<torch::Tensor(const torch::Tensor& x)>;

// The view that holds nearly all of the points x [M, columns], and the nuisances that lie in their space.
SampleView view_of_points(const TaskInfo& info, const torch::Tensor& x);

// Points x [M, columns]. On a line: a histogram, the points below it; more columns: a scatter of the first two; with
// them their density where it is known, and θ and ψ where they lie in the space of x. Where x leaves the view, the view
// grows. Latents without tensors: unknown, as of a file.
Plot points_plot(const TaskInfo& info, const Latents& latents, const torch::Tensor& x, const SampleView& view,
                 const PointDensity& density);

// A thumbnail of points x [M, columns]: numbers as a histogram, more columns as a density of the first two.
Thumbnail points_thumbnail(const torch::Tensor& x);

}  // namespace pairs
