#pragma once

#include <array>

namespace pairs::render {

// How a surface of a mesh looks: grey, lit flatly and on both sides. With n the triangle's unit normal turned towards
// the eye, f where the camera looks and l the direction towards a light that stands still in the world,
//   grey = ambient + head |n . f| + key max(0, n . l),
// at most 0.9 and so darker than the background, which is white (1). CAD meshes have neither reliable vertex normals
// nor orientations; that the headlight is parallel keeps a flat face of one grey.
namespace shading {
inline constexpr double ambient = 0.15, head = 0.4, key = 0.35;
inline constexpr std::array<double, 3> light = {0.2672612419124244, 0.5345224838248488, 0.8017837257372732};
}  // namespace shading

// Where the rays of a pixel go through it, from its middle in pixels, x to the right and y down: its middle alone, or
// four places of a turned square, so that lines along rows and columns have five levels.
struct PixelOffset {
  double x, y;
};
inline constexpr std::array<PixelOffset, 1> one_sample = {{{0, 0}}};
inline constexpr std::array<PixelOffset, 4> four_samples = {
    {{-0.125, -0.375}, {0.375, -0.125}, {-0.375, 0.125}, {0.125, 0.375}}};

}  // namespace pairs::render
