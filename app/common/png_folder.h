#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>

namespace pairs {

// The PNG files of a folder in name order as observations [N, channels, height, width] float32 in [0, 1]. One channel:
// 8-bit grey as it stands, or RGB as Rec. 601 luminance; three channels: RGB. Other files in the folder are ignored.
// Throws Error naming the file on a wrong size, 16-bit or transparent images, and anything that libpng refuses.
torch::Tensor read_png_folder(const std::filesystem::path& folder, std::int64_t channels, std::int64_t height,
                              std::int64_t width);

}  // namespace pairs
