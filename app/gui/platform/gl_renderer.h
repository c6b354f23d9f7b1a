#pragma once

#include "app/gui/platform/gl.h"
#include "app/gui/platform/theme.h"

namespace pairs::gui {

// Draws Dear ImGui's frames with the current OpenGL context, and stores the pictures of panels as textures. One at a
// time; must be destroyed while its context is current.
class GlRenderer {
 public:
  explicit GlRenderer(const GlFunctions& gl);
  ~GlRenderer();
  GlRenderer(const GlRenderer&) = delete;
  GlRenderer& operator=(const GlRenderer&) = delete;

  // Call before ImGui::NewFrame: sets theme and scale of the frame.
  void begin_frame(ThemeKind theme, float scale);
  // Call after ImGui::Render: draws to the bound framebuffer of this size in pixels.
  void draw(int width, int height);

 private:
  const GlFunctions& gl_;
};

}  // namespace pairs::gui
