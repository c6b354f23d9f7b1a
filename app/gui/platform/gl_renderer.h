#pragma once

#include "app/gui/platform/gl.h"
#include "app/gui/platform/theme.h"

namespace pairs::gui {

// Draws Dear ImGui's frames with the current OpenGL context, and keeps the pictures that panels show as its textures.
// One at a time; dies while its context is current.
class GlRenderer {
 public:
  explicit GlRenderer(const GlFunctions& gl);
  ~GlRenderer();
  GlRenderer(const GlRenderer&) = delete;
  GlRenderer& operator=(const GlRenderer&) = delete;

  // Before ImGui::NewFrame: theme and scale of the frame.
  void begin_frame(ThemeKind theme, float scale);
  // After ImGui::Render: into the bound framebuffer of this many pixels.
  void draw(int width, int height);

 private:
  const GlFunctions& gl_;
};

}  // namespace pairs::gui
