#pragma once

#include <torch/types.h>

#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// The part of each of x's columns that a plot of samples shows, whatever the sample: columns.size() pairs. Empty for
// images.
struct SampleView {
  std::vector<std::pair<double, double>> columns;
};

// The view that holds nearly all observations of the task's prior.
SampleView prior_view(const Task& task);

// Observations x [N, ...] of one set with parameters `latents` as people would draw them. Points on a line: a
// histogram, the points below it; points of the plane: a scatter; with them p(x | θ, ψ) where it is known, and θ and ψ
// where they lie in the space of x. Images: a sheet of them. Where x leaves the view, the view grows. Latents without
// tensors: unknown, as of a file.
Plot sample_plot(const Task& task, const Latents& latents, const torch::Tensor& x, const SampleView& view);

// A curve over all images of a sheet, in pixels of an image, y down; what leaves the image is not drawn.
struct ImageCurve {
  SeriesRole role = SeriesRole::pairs;
  LineStyle style = LineStyle::solid;
  std::vector<double> x, y;
};
// Draws curves over each image of the sheet that sample_plot made of `count` images of that size.
void draw_over_images(Plot& sheet, std::int64_t count, std::int64_t height, std::int64_t width,
                      const std::vector<ImageCurve>& curves);

// "θ = 0.42, ψ = 1.30", or the targets alone where there are many nuisances.
std::string latents_text(const TaskInfo& info, const Latents& latents);

}  // namespace pairs
