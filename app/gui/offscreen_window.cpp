#include "app/gui/offscreen_window.h"

#include <imgui.h>

#include <chrono>
#include <thread>

#include "app/gui/platform/gl_renderer.h"
#include "app/gui/platform/input.h"
#include "app/gui/platform/offscreen.h"
#include "app/gui/platform/recorder.h"
#include "app/gui/shell.h"
#include "core/base/threads/clock.h"

namespace pairs::gui {
namespace {

// Frames without work before the window counts as settled: finished work may start other work.
constexpr int kRest = 6;

struct OffscreenContext {
  OffscreenContext() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().MousePos = {-1000, -1000};
    Input::map_keys(ImGui::GetIO());
  }
  ~OffscreenContext() { ImGui::DestroyContext(); }
};

}  // namespace

struct OffscreenWindow::Parts {
  Parts(const Catalog& tasks, const model::Settings& settings, int width, int height, float s)
      : screen(width, height), studio(tasks, settings), factor(s) {
    apply_theme(ThemeKind::dark, factor);
    renderer = std::make_unique<GlRenderer>(screen.gl());
    shell = std::make_unique<Shell>(studio);
    ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    ImGui::GetIO().DeltaTime = 1.0f / 30;
  }

  Offscreen screen;
  OffscreenContext context;
  model::Studio studio;
  float factor;
  std::unique_ptr<GlRenderer> renderer;
  std::unique_ptr<Shell> shell;
};

OffscreenWindow::OffscreenWindow(const Catalog& tasks, const model::Settings& settings, int width, int height,
                                 float scale)
    : parts_(std::make_unique<Parts>(tasks, settings, width, height, scale)) {}
OffscreenWindow::~OffscreenWindow() = default;

model::Studio& OffscreenWindow::studio() {
  return parts_->studio;
}

void OffscreenWindow::frame() {
  Parts& p = *parts_;
  p.studio.poll();
  p.renderer->begin_frame(p.shell->wanted_theme(), p.factor);
  recorder().begin_frame();
  ImGui::NewFrame();
  p.shell->frame();
  ImGui::Render();
}

bool OffscreenWindow::settle(double seconds) {
  const Stopwatch watch;
  for (int rested = 0; rested < kRest;) {
    frame();
    rested = parts_->studio.busy() ? 0 : rested + 1;
    if (watch.seconds() > seconds) return false;
    if (rested == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

std::vector<std::uint8_t> OffscreenWindow::pixels() {
  Parts& p = *parts_;
  p.renderer->draw(p.screen.width(), p.screen.height());
  return p.screen.pixels();
}

}  // namespace pairs::gui
