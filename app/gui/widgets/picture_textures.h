#pragma once

#include <imgui.h>

#include <map>
#include <memory>
#include <string_view>

#include "app/gui/platform/textures.h"
#include "core/report/figure.h"

namespace pairs::gui {

// Textures for the model's pictures: each is uploaded once, and released when no longer drawn.
class PictureTextures {
 public:
  // Fills a rectangle with the picture, or with a plain surface if there is none yet; `alpha` from 0 to 1.
  void draw(const std::shared_ptr<const Picture>& picture, ImVec2 min, ImVec2 max, float alpha = 1);
  // Call once per frame, after drawing.
  void end_frame();

 private:
  struct Kept {
    std::shared_ptr<const Picture> picture;
    Texture texture;
    bool drawn = false;
  };
  std::map<const Picture*, Kept> kept_;
  int generation_ = -1;
};

}  // namespace pairs::gui
