#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace pairs {

// Views provided by a user: a folder of color images (read_image) and a file cameras.csv with the camera of each,
//   file,azimuth,elevation
//   view_001.png,30,45
// in degrees, defined as for render::Camera. A column half_width may give half of the views' width in units of the
// scene; others are ignored.
inline constexpr const char* kCamerasFile = "cameras.csv";
inline constexpr std::int64_t kMostWrittenViews = 999;

struct ViewFolder {
  torch::Tensor images;   // [V, 3, size, size] float32 in [0, 1]
  torch::Tensor cameras;  // [V, 2] float64: azimuth, elevation in radians
  std::string left_out;   // files that are not images, in one sentence; empty if there are none
};

// Reads the views of a folder in the order of the images' names. Larger square images whose side is a whole multiple of
// `size` are reduced by averaging. Throws Error with one sentence that names the file and, for cameras.csv, the line;
// also if it has another half-width than `half_width`.
ViewFolder read_view_folder(const std::filesystem::path& folder, std::int64_t size, double half_width);

// Writes such a folder, completely or not at all; it is created if needed: images [V, 3, H, W] in [0, 1] as
// view_001.png and so on, cameras [V, 2] in radians, at most kMostWrittenViews.
void write_view_folder(const std::filesystem::path& folder, const torch::Tensor& images, const torch::Tensor& cameras,
                       double half_width);

}  // namespace pairs
