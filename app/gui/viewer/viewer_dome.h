#pragma once

#include <imgui.h>

#include <optional>

#include "app/model/viewer/viewer.h"

namespace pairs::gui {

// The cameras as dots on a dome around the spheres, in perspective. Dragging orbits the target camera, whose dot
// follows the mouse; the dome turns before the camera goes behind it. A click on another camera moves the target there.
// Drawn as "viewer/dome".
class ViewerDome {
 public:
  // `pointed`: the view hovered over elsewhere. Returns the one hovered over here.
  std::optional<std::size_t> draw(model::Viewer& viewer, ImVec2 size, std::optional<std::size_t> pointed);

 private:
  double turn_ = -0.3;  // azimuth of the viewpoint
  bool dragged_ = false;
};

}  // namespace pairs::gui
