#include "app/gui/library/sidebar.h"
#include "app/gui/widgets/ui.h"

namespace pairs::gui {
namespace {

constexpr float kStripPad = 8, kStripPicture = 48, kStripHigh = 32, kStripRow = 44;

}  // namespace

float Sidebar::strip_width() {
  return px(kStripPicture + 2 * kStripPad);
}

Sidebar::Asked Sidebar::draw_strip(model::Studio& studio, bool covered) {
  if (!covered) update(studio);
  Asked asked = Asked::nothing;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {px(8), px(4)});
  const float width = ImGui::GetContentRegionAvail().x;
  const char* about = "Tasks and runs";
  if (ui::button("sidebar/unfold", "»", ui::Button::quiet, {}, about, width)) asked = Asked::unfold;
  ui::space(4);
  for (const model::TaskEntry& task : studio.library.tasks()) {
    const bool chosen = task.name == studio.task();
    ImVec2 min, max;
    if (ui::row("sidebar/task/" + task.name, chosen, px(kStripRow), min, max, task.title + ": " + task.summary))
      studio.open_task(task.name);
    const ImVec2 low = {std::floor((min.x + max.x - px(kStripPicture)) / 2),
                        std::floor((min.y + max.y - px(kStripHigh)) / 2)};
    const ImVec2 high = {low.x + std::floor(px(kStripPicture)), low.y + std::floor(px(kStripHigh))};
    draw_picture(task, low, high);
    if (chosen) ImGui::GetWindowDrawList()->AddRect(low, high, palette().accent, px(4), 0, px(2));
  }
  ui::space(8);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(4), px(6)});
  if (ui::button("sidebar/runs", "Runs", ui::Button::quiet, {}, "The runs on disk, and what can be done with them",
                 width))
    asked = Asked::unfold;
  ImGui::PopStyleVar(2);
  if (!covered) draw_dialogs(studio);
  return asked;
}

}  // namespace pairs::gui
