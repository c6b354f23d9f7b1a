#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace pairs {

// Views that a person brings: a folder of colour images (read_image) and a file cameras.csv that says where each was
// seen from,
//   file,azimuth,elevation
//   view_001.png,30,45
// in degrees as render::Camera has them. A column half_width may say how wide the views are (half of it, in units of
// the scene); others are ignored.
inline constexpr const char* kCamerasFile = "cameras.csv";
inline constexpr std::int64_t kMostWrittenViews = 999;

struct ViewFolder {
  torch::Tensor images;   // [V, 3, size, size] float32 in [0, 1]
  torch::Tensor cameras;  // [V, 2] float64: azimuth, elevation in radians
  std::string left_out;   // files that are no images, in one sentence; empty without any
};

// The views of a folder in the order of the images' names. Larger square images whose side is a whole multiple of
// `size` are reduced to the means of their squares. Throws Error with one sentence that names the file and, of
// cameras.csv, the line; also where it says another half-width than `half_width`.
ViewFolder read_view_folder(const std::filesystem::path& folder, std::int64_t size, double half_width);

// Writes such a folder, all of it or nothing; it is made where there is none: images [V, 3, H, W] in [0, 1] as
// view_001.png and so on, cameras [V, 2] in radians, at most kMostWrittenViews.
void write_view_folder(const std::filesystem::path& folder, const torch::Tensor& images, const torch::Tensor& cameras,
                       double half_width);

}  // namespace pairs
