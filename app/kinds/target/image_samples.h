#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "core/task.h"

namespace pairs {

// The standard deviation drawn brightest, in units of the pixels' range.
inline constexpr double kBrightestSpread = 0.25;

// Pictures of posterior samples [S, C, H, W] (S >= 2, C is 1 or 3) of an image, as the bytes of PNG files by name: the
// mean ("mean.png"), the root mean square over channels of the standard deviation in the colors of heat_color
// ("sd.png"), and the first samples side by side, at most 64 ("samples.png"). Small images are enlarged by whole
// factors.
std::map<std::string, std::string> image_sample_pictures(const torch::Tensor& samples, const ImageTarget& image);

// One image [C, H, W] as the bytes of a PNG file, as large as the mean above.
std::string image_picture(const torch::Tensor& shown, const ImageTarget& image);

}  // namespace pairs
