#include "app/gui/status_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "app/gui/widgets/keyboard.h"
#include "app/gui/widgets/ui.h"

namespace pairs::gui {
namespace {

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

}  // namespace

void StatusBar::draw(model::Studio& studio, double fps) {
  if (!measured_ || since_.seconds() > 2) {
    megabytes_ = resident_megabytes();
    measured_ = true;
    since_.restart();
  }
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = ui::text_size("X", ui::Look::small).y;
  const float y = start.y + (px(20) - height) / 2;

  // Messages at the right end: pressing opens the log.
  const std::int64_t unseen = studio.hub.messages.unseen();
  const std::string log = unseen > 0 ? fmt::format("Log: {} new", unseen) : "Log";
  const ui::Look look = unseen > 0 ? ui::Look::warning : ui::Look::small_muted;
  const float log_width = ui::text_size(log, look).x + px(16);
  const ImVec2 min = {start.x + width - log_width, start.y};
  ImGui::SetCursorScreenPos(min);
  if (ImGui::InvisibleButton("status/log", {log_width, px(20)})) studio.settings.log_open = !studio.settings.log_open;
  if (ImGui::IsItemHovered())
    ImGui::GetWindowDrawList()->AddRectFilled(min, {min.x + log_width, min.y + px(20)}, palette().hovered, px(4));
  keyboard::offer("status/log", ItemKind::button, min, {min.x + log_width, min.y + px(20)}, log);
  ui::text_at({min.x + px(8), y - (unseen > 0 ? px(1) : 0)}, log, look);

  const std::string facts = fmt::format("{}  ·  {} thread{}  ·  {:.0f} MB{}", studio.device_name(), studio.threads(),
                                        studio.threads() == 1 ? "" : "s", megabytes_,
                                        fps > 0 ? fmt::format("  ·  {:.0f} frames/s", fps) : "");
  const float facts_width = ui::text_size(facts, ui::Look::small_muted).x;
  const float facts_x = min.x - px(16) - facts_width;
  if (facts_x > start.x + px(120)) ui::text_at({facts_x, y}, facts, ui::Look::small_muted);
  const std::string activity = studio.activity();
  const bool busy = studio.busy();
  ImGui::GetWindowDrawList()->AddCircleFilled({start.x + px(5), start.y + px(10)}, px(4),
                                              busy ? palette().accent : palette().good, 16);
  ui::text_at({start.x + px(16), y}, activity, ui::Look::small, std::max(px(40), facts_x - start.x - px(40)));
}

}  // namespace pairs::gui
