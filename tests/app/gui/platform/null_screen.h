#pragma once

#include <functional>
#include <string_view>

#include "app/gui/platform/input.h"
#include "app/gui/platform/recorder.h"
#include "app/gui/platform/theme.h"
#include "core/base/text/error.h"

namespace pairs::gui {

// A Dear ImGui context without a renderer: panels are laid out and answer to input as in a window, nothing is drawn.
// One at a time.
class NullScreen {
 public:
  NullScreen(float width, float height, ThemeKind theme = ThemeKind::dark, float scale = 1);
  ~NullScreen();
  NullScreen(const NullScreen&) = delete;
  NullScreen& operator=(const NullScreen&) = delete;

  Input input;
  // One frame: takes input, calls `draw` between NewFrame and Render. `seconds`: since the last one.
  void frame(const std::function<void()>& draw, double seconds = 1.0 / 60);
  void resize(float width, float height);
  void restyle(ThemeKind theme, float scale);
};

inline NullScreen::NullScreen(float width, float height, ThemeKind theme, float scale) {
  PAIRS_CHECK(!ImGui::GetCurrentContext(), "There is already a screen; make one at a time");
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  io.MousePos = {-1000, -1000};
  Input::map_keys(io);
  resize(width, height);
  restyle(theme, scale);
  recorder().turn(true);
}

inline NullScreen::~NullScreen() {
  recorder().turn(false);
  ImGui::DestroyContext();
}

inline void NullScreen::frame(const std::function<void()>& draw, double seconds) {
  ImGuiIO& io = ImGui::GetIO();
  io.DeltaTime = static_cast<float>(seconds);
  input.apply(io);
  recorder().begin_frame();
  ImGui::NewFrame();
  draw();
  ImGui::Render();
}

inline void NullScreen::resize(float width, float height) {
  ImGui::GetIO().DisplaySize = {width, height};
}

inline void NullScreen::restyle(ThemeKind theme, float scale) {
  apply_theme(theme, scale);
  ImGui::GetIO().Fonts->SetTexID(nullptr);
}

}  // namespace pairs::gui
