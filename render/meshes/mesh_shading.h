#pragma once

#include <array>

namespace pairs::render {

// The look of a mesh's surface: gray, with flat shading of both sides. With n the triangle's unit normal facing the
// eye, f the camera's direction and l the direction towards a light that is fixed in the world,
//   gray = ambient + head |n . f| + key max(0, n . l),
// at most 0.9 and so darker than the background, which is white (1). CAD meshes have neither reliable vertex normals
// nor orientations; because the headlight is parallel, a flat face has a single gray.
namespace shading {
inline constexpr double ambient = 0.15, head = 0.4, key = 0.35;
inline constexpr std::array<double, 3> light = {0.2672612419124244, 0.5345224838248488, 0.8017837257372732};
}  // namespace shading

// Offsets of a pixel's rays from its center in pixels, x to the right and y down: the center alone, or four points of a
// rotated square, so that lines along rows and columns have five levels.
struct PixelOffset {
  double x, y;
};
inline constexpr std::array<PixelOffset, 1> one_sample = {{{0, 0}}};
inline constexpr std::array<PixelOffset, 4> four_samples = {
    {{-0.125, -0.375}, {0.375, -0.125}, {-0.375, 0.125}, {0.125, 0.375}}};

}  // namespace pairs::render
