#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "render/scene.h"

namespace pairs::model {

struct ViewerState;

// The viewer's scene of spheres: one from the prior, or one edited by hand, where each edit is adjusted so that spheres
// do not overlap and stay within the prior's range.
class ViewerScene {
 public:
  explicit ViewerScene(ViewerState& state) : state_(state) {}

  // The scene of a seed, with as many new observed cameras.
  void choose_seed(std::int64_t seed);
  std::int64_t seed() const;
  bool edited() const;  // whether the scene differs from the seed's
  const render::SphereScene& shown() const;
  void set_sphere(std::size_t k, const render::Sphere& sphere);
  void set_light(double azimuth, double elevation);
  void set_background(const double color[3]);
  // The frontmost sphere for the target camera at a point of the image plane, in units of half its width: u to the
  // right, v up, both from -1 to 1.
  std::optional<std::size_t> sphere_at(double u, double v) const;
  // Moves sphere k to the place of `from` shifted in the target's image plane, and away from the camera, in units of
  // the half-width.
  void move_sphere(std::size_t k, const render::Sphere& from, double du, double dv, double away = 0);
  // Shows the scene of a file, adjusted to the prior's range. Returns why it cannot, as a sentence, or "".
  std::string open(const std::filesystem::path& file);
  // Back to the scene of the seed.
  void undo_edits();
  void select(std::size_t k);
  std::size_t selected() const;  // below shown().spheres.size()

 private:
  ViewerState& state_;
};

}  // namespace pairs::model
