#pragma once

#include "app/model/viewer/viewer.h"

namespace pairs::gui {

// The target camera, and the scene's spheres, light and background as sliders. Widgets: "viewer/azimuth",
// "viewer/elevation", "viewer/sphere/K", "viewer/hue", ... in the current window.
class ViewerEditor {
 public:
  void camera(model::Viewer& viewer);
  void scene(model::Viewer& viewer);

 private:
  float hue_ = 0, saturation_ = 0, value_ = 0;  // kept if the color alone does not determine them
};

}  // namespace pairs::gui
