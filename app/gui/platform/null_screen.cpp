#include "app/gui/platform/null_screen.h"

#include "core/base/error.h"

namespace pairs::gui {
namespace {

void use_theme(ThemeKind theme, float scale) {
  apply_theme(theme, scale);
  ImGui::GetIO().Fonts->SetTexID(nullptr);
}

}  // namespace

NullScreen::NullScreen(float width, float height, ThemeKind theme, float scale) {
  PAIRS_CHECK(!ImGui::GetCurrentContext(), "There is already a screen; make one at a time");
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
  io.MousePos = {-1000, -1000};
  Input::map_keys(io);
  resize(width, height);
  use_theme(theme, scale);
  recorder().turn(true);
}

NullScreen::~NullScreen() {
  recorder().turn(false);
  ImGui::DestroyContext();
}

void NullScreen::frame(const std::function<void()>& draw, double seconds) {
  ImGuiIO& io = ImGui::GetIO();
  io.DeltaTime = static_cast<float>(seconds);
  input.apply(io);
  recorder().begin_frame();
  ImGui::NewFrame();
  draw();
  ImGui::Render();
}

void NullScreen::resize(float width, float height) {
  ImGui::GetIO().DisplaySize = {width, height};
}

void NullScreen::restyle(ThemeKind theme, float scale) {
  use_theme(theme, scale);
}

}  // namespace pairs::gui
