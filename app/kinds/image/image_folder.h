#pragma once

#include <cstdint>
#include <filesystem>

#include "app/kinds/observed.h"

namespace pairs {

// The images of a folder (read_image, image_names), at most the first `most` of them, as observations [N, channels,
// height, width] float32 in [0, 1]. One channel: gray unchanged, or colors as Rec. 601 luminance; three channels:
// colors. Throws Error naming a file of wrong size.
Observed read_image_folder(const std::filesystem::path& folder, std::int64_t channels, std::int64_t height,
                           std::int64_t width, std::int64_t most);

}  // namespace pairs
