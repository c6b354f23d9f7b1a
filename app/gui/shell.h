#pragma once

#include <memory>

#include "app/gui/platform/theme.h"
#include "app/model/studio.h"

namespace pairs::gui {

// The whole window as panels: sidebar, tabs, status bar, log drawer, dialogs, command palette. Draws one frame of the
// current Dear ImGui context; knows neither GLFW nor OpenGL.
class Shell {
 public:
  explicit Shell(model::Studio& studio);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  // Between ImGui::NewFrame and ImGui::Render. `fps`: frames drawn in the last second, for the status bar.
  void frame(double fps = 0);
  // Closes the window, after asking while a run is being trained; wants_quit() tells when it may go.
  void ask_to_close();
  bool wants_quit() const;
  // In how many seconds the last frame is out of date though nothing happens (a tip comes, a toast goes): INFINITY,
  // never.
  double again_in() const;
  // What the desktop's file dialogs belong to: "x11:ID".
  void set_window_name(const std::string& name);
  // The theme and scale that the window should have; the caller applies them between frames.
  ThemeKind wanted_theme() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::gui
