#pragma once

#include <torch/types.h>

#include "app/model/viewer/viewer.h"
#include "app/posterior/answer/view_posterior.h"

namespace pairs::model {

ViewerInfo viewer_info(const ViewPosterior& posterior);

// Pictures of an image [3, H, W] in [0, 1], and of values [H, W] relative to `most`, in the colors of heat_color.
PicturePointer picture_of(const torch::Tensor& image);
PicturePointer heat_picture(const torch::Tensor& values, double most = kHeatMost);

// Compares samples [S, 3, H, W] with the truth; E[θ | X] and the prior's mean may be undefined.
ViewerNumbers viewer_numbers(const torch::Tensor& samples, const torch::Tensor& expected, const torch::Tensor& truth,
                             const torch::Tensor& prior);
// Root mean squares over channels, [H, W]: of the samples' standard deviations (needs two samples), and of a
// difference.
torch::Tensor spread_of(const torch::Tensor& samples);
torch::Tensor error_of(const torch::Tensor& image, const torch::Tensor& truth);

}  // namespace pairs::model
