#pragma once

#include <imgui.h>

#include <optional>

#include "app/model/viewer/viewer.h"

namespace pairs::gui {

// The cameras as dots on a dome around the spheres, in perspective. Dragging orbits the target camera, whose dot
// follows the mouse; where it would go behind, the dome turns. A click on another camera moves the target there. Drawn
// as "viewer/dome".
class ViewerDome {
 public:
  // `pointed`: the view that the mouse is on elsewhere. Returns the one that it is on here.
  std::optional<std::size_t> draw(model::Viewer& viewer, ImVec2 size, std::optional<std::size_t> pointed);

 private:
  double turn_ = -0.3;  // azimuth that the dome is seen from
  bool dragged_ = false;
};

}  // namespace pairs::gui
