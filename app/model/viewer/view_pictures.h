#pragma once

#include <torch/types.h>

#include "app/model/viewer/viewer.h"
#include "app/posterior/view_posterior.h"

namespace pairs::model {

ViewerInfo viewer_info(const ViewPosterior& posterior);

// Of an image [3, H, W] in [0, 1]; and of values [H, W] by their share of `most`, in the colours of heat_color.
PicturePointer picture_of(const torch::Tensor& image);
PicturePointer heat_picture(const torch::Tensor& values, double most = kHeatMost);

// What samples [S, 3, H, W] say beside the truth; E[θ | X] and the prior's mean may be undefined.
ViewerNumbers viewer_numbers(const torch::Tensor& samples, const torch::Tensor& expected, const torch::Tensor& truth,
                             const torch::Tensor& prior);
// Root mean squares over channels, [H, W]: of the samples' standard deviations (two samples or more), of a difference.
torch::Tensor spread_of(const torch::Tensor& samples);
torch::Tensor error_of(const torch::Tensor& image, const torch::Tensor& truth);

}  // namespace pairs::model
