#include "app/gui/screenshot.h"

#include <imgui.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/gui/gl_renderer.h"
#include "app/gui/input.h"
#include "app/gui/offscreen.h"
#include "app/gui/recorder.h"
#include "app/gui/shell.h"
#include "app/model/studio.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/report/png.h"

namespace pairs::gui {
namespace {

struct OffscreenContext {
  OffscreenContext() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().MousePos = {-1000, -1000};
    Input::map_keys(ImGui::GetIO());
  }
  ~OffscreenContext() { ImGui::DestroyContext(); }
};

std::string items_text(const std::vector<Item>& items) {
  nlohmann::json all = nlohmann::json::array();
  for (const Item& item : items)
    all.push_back({{"name", item.name},
                   {"text", item.text},
                   {"enabled", item.enabled},
                   {"box", {item.min.x, item.min.y, item.max.x, item.max.y}}});
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void write_screenshot(const std::filesystem::path& file, const ScreenshotOptions& options) {
  const Offscreen screen(options.width, options.height);
  const OffscreenContext context;
  model::Settings settings;
  settings.theme = options.theme;
  settings.tab = options.tab.empty() ? "posterior" : options.tab;
  model::parse_tab(settings.tab);
  if (!options.task.empty()) settings.task = options.task;
  apply_theme(ThemeKind::dark, static_cast<float>(options.scale));
  model::Studio studio(settings);
  if (!options.run.empty()) studio.open_path(options.run);
  for (const std::string& run : options.compare) studio.comparison.toggle(run);
  studio.set_tab(model::parse_tab(settings.tab));
  PAIRS_CHECK(studio.hub.messages.unseen() == 0, "{}", studio.hub.messages.all().back().text);
  if (!options.task.empty() && studio.task() != options.task) {
    if (options.run.empty()) fail_usage("There is no task {}; pairs --batch tasks lists them", options.task);
    fail_usage("--run {} is not a run of the task {}; leave out --task", options.run, options.task);
  }
  GlRenderer renderer(screen.gl());
  Shell shell(studio);
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
  io.DeltaTime = 1.0f / 30;
  recorder().turn(!options.items.empty());
  const Stopwatch watch;
  // At rest for a few frames: what one part finishes may give another something to do.
  for (int rested = 0; rested < 6;) {
    studio.poll();
    if (options.n > 0 && studio.posterior.most() > 1) studio.posterior.set_n(options.n);
    renderer.begin_frame(shell.wanted_theme(), static_cast<float>(options.scale));
    recorder().begin_frame();
    ImGui::NewFrame();
    shell.frame();
    ImGui::Render();
    rested = studio.busy() ? 0 : rested + 1;
    PAIRS_CHECK(watch.seconds() < options.patience,
                "The window was still at work after {:.0f} s ({}); give more with --patience", options.patience,
                studio.activity());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  renderer.draw(options.width, options.height);
  if (!options.items.empty()) write_file(options.items, items_text(recorder().items()));
  write_file(file, chart::encode_png(options.width, options.height, screen.pixels()));
}

}  // namespace pairs::gui
