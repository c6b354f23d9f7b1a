#pragma once

#include <imgui.h>

#include <optional>

#include "app/gui/widgets/picture_textures.h"
#include "app/model/viewer/viewer.h"

namespace pairs::gui {

// The observed views side by side: those used at this N normal, the others faint; a click removes one. Widgets:
// "viewer/view/K", "viewer/add", "viewer/fill", "viewer/clear".
class ViewerStrip {
 public:
  // `pointed`: the view hovered over elsewhere. Returns the one hovered over here.
  std::optional<std::size_t> draw(model::Viewer& viewer, PictureTextures& textures, std::optional<std::size_t> pointed);

 private:
  std::int64_t seen_n_ = -1;  // the strip follows N
};

}  // namespace pairs::gui
