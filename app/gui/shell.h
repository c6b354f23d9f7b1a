#pragma once

#include <memory>

#include "app/gui/platform/theme.h"
#include "app/model/studio.h"

namespace pairs::gui {

// The complete window: sidebar, tabs, status bar, log drawer, dialogs, command palette. Draws one frame of the current
// Dear ImGui context; independent of GLFW and OpenGL.
class Shell {
 public:
  explicit Shell(model::Studio& studio);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  // Call between ImGui::NewFrame and ImGui::Render. `fps`: frames drawn in the last second, for the status bar.
  void frame(double fps = 0);
  // Closes the window, after a question during training; wants_quit() is true once it may close.
  void ask_to_close();
  bool wants_quit() const;
  // The seconds until the last frame is out of date by itself (a tip appears, a toast disappears): INFINITY, never.
  double again_in() const;
  // The parent window of the desktop's file dialogs: "x11:ID".
  void set_window_name(const std::string& name);
  // The requested theme and scale; the caller applies them between frames.
  ThemeKind wanted_theme() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::gui
