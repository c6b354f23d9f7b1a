#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "render/scene.h"

namespace pairs::model {

struct ViewerState;

// The viewer's cameras: those that observe the scene, and the target, whose image is inferred.
class ViewerCameras {
 public:
  explicit ViewerCameras(ViewerState& state) : state_(state) {}

  // The observed cameras in order, each drawn from the prior; at most info()->most. The first N are used, 0 if there
  // are none.
  const std::vector<render::Camera>& observed() const;
  void add();
  void fill();
  void remove(std::size_t k);
  void clear();
  // Why no view can be added; "" if one can.
  std::string add_blocked() const;

  // The target camera. Its elevation stays between kElevationLow and kElevationHigh, its azimuth within a turn.
  const render::Camera& target() const;
  void set_target(const render::Camera& camera);
  void orbit(double azimuth, double elevation);  // turns by these angles
  // A sentence on which manual settings are outside the training range; "" if none.
  std::string beyond() const;

 private:
  ViewerState& state_;
};

}  // namespace pairs::model
