#pragma once

#include <torch/types.h>

#include <string_view>
#include <vector>

#include "core/base/numbers/random.h"
#include "render/scene.h"
#include "render/sphere_limits.h"

namespace pairs::render {

inline constexpr std::int64_t max_drawn_spheres = 8;  // in a scene from the prior: more rarely fit into its cube

// The number of columns of a scene's row: for each sphere its center x, y, z, radius, red, green, blue; then the
// light's azimuth and elevation; then the background's red, green, blue.
constexpr std::int64_t scene_columns(std::int64_t spheres) {
  return 7 * spheres + 5;
}
// The number of spheres of a row with that many columns. Throws Error unless a scene of 1 to max_spheres has that many.
std::int64_t spheres_of_columns(std::int64_t columns);

// Packs scenes with equal numbers of spheres -> [B, 7S + 5] float64; and unpacks one row [7S + 5] of any type and
// device.
torch::Tensor pack_scenes(const std::vector<SphereScene>& scenes);
void pack_scene(const SphereScene& scene, double* row);
SphereScene unpack_scene(const torch::Tensor& row);

// Throws Error with one sentence if a number is not finite or out of range, if two spheres overlap (they may touch) or
// if there are none or too many. `where` (a file, "the scene") begins the sentence. check_camera: the elevation lies in
// [-pi/2, pi/2], the azimuth in [-2 pi, 2 pi].
void check_scene(const SphereScene& scene, const SceneLimits& limits = world_limits,
                 std::string_view where = "The scene");
void check_camera(const Camera& camera);

// The prior (PAIRS, appendix "Novel-view synthesis"), a pure function of (seed, purpose, index), uniform within
// prior_limits and scene_prior: radii; centers under the condition that no spheres overlap (all are redrawn until none
// do); colors by hue U(0, 1), saturation and value of HSV; light azimuth U(0, 2 pi) and elevation; background per
// channel. 1 <= spheres <= max_drawn_spheres.
SphereScene draw_scene(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::int64_t spheres = 3);
// Camera `item` of scene `index`: azimuth U(0, 2 pi), elevation as in scene_prior.
Camera draw_camera(std::uint64_t seed, Purpose purpose, std::uint64_t index, std::uint64_t item);

}  // namespace pairs::render
