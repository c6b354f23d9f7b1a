#include <fmt/format.h>

#include <map>

#include "app/gui/library/badge_look.h"
#include "app/gui/library/sidebar.h"
#include "app/gui/widgets/ui.h"
#include "core/base/text/text.h"

namespace pairs::gui {
namespace {

// The text under its title, its color and its tip.
std::string tip_of_own(const model::OwnTask& task) {
  std::string text = task.said.summary.empty() ? task.title() : task.said.summary;
  text += "\n" + printable(task.file.string(), 300);
  if (!task.problem.empty()) text += "\n" + task.problem;
  if (task.state == model::OwnState::asks)
    text += "\nNothing of it was run yet. Click to show its command, which needs your permission once.";
  if (task.changed) text += "\nClick to reload it; runs that it has begun keep what it stated.";
  return text;
}

ImU32 mark_color(const model::OwnTask& task) {
  return task.state == model::OwnState::failed                 ? palette().bad
         : task.state == model::OwnState::asks || task.changed ? palette().warning
                                                               : palette().muted;
}

}  // namespace

// The custom tasks, and the button that makes one.
void Sidebar::draw_own(model::Studio& studio) {
  ui::space(kAboveOwn);
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x, top = ImGui::GetCursorPosY();
  ImGui::AlignTextToFramePadding();
  ui::text("Yours", ui::Look::strong);
  ImGui::SetCursorPos({right - ui::button_width("New task…"), top});
  if (ui::button("sidebar/new-task", "New task…", ui::Button::quiet, {},
                 "Describe a task of your own: a simulator in any language, or stored simulations. One that is "
                 "described already is opened with Open… or by dropping its task.toml here"))
    ask_for_task();
  std::map<std::string, int> times;
  std::vector<model::OwnTask> all = studio.library.own().all();  // a press may change it
  for (const model::OwnTask& task : all) {
    const std::string base = task.said.name.empty() ? task.title() : task.said.name;
    const int time = ++times[base];
    ImGui::PushID(task.file.c_str());
    draw_own_task(studio, task, "sidebar/task/" + (time == 1 ? base : fmt::format("{} ({})", base, time)));
    ImGui::PopID();
  }
}

void Sidebar::draw_own_task(model::Studio& studio, const model::OwnTask& task, const std::string& name) {
  const model::TaskEntry* entry = task.state == model::OwnState::ready ? studio.library.task(task.said.name) : nullptr;
  const bool chosen = entry && entry->name == studio.task();
  ImVec2 min, max;
  const bool pressed = ui::row(name, chosen, task_row_, min, max, tip_of_own(task));
  ImGui::SetItemAllowOverlap();
  const bool asked = ImGui::IsItemClicked(ImGuiMouseButton_Right);
  const ImVec2 after = ImGui::GetCursorScreenPos();
  {
    const ui::Surface on(chosen ? palette().hovered : ui::surface());
    const float menu = px(24), high = std::floor(std::min(px(36), task_row_ - px(4)));
    const float wide = std::floor(high * 1.5f), top = std::floor(min.y + (task_row_ - high) / 2);
    const bool pictured = entry && max.x - min.x >= px(236 - 32);
    if (pictured) draw_picture(*entry, {min.x + px(8), top}, {min.x + px(8) + wide, top + high});
    const float left = min.x + (pictured ? px(8 + 12) + wide : px(8)), room = max.x - left - menu - px(6);
    const ImVec2 title = ui::text_size("X"), small = ui::text_size("X", ui::Look::small_muted);
    const float first = min.y + (max.y - min.y - title.y - small.y - px(2)) / 2, second = first + title.y + px(2);
    ui::text_at({left, first}, task.title(), chosen ? ui::Look::strong : ui::Look::body, room, true);
    const bool marked = !task.note().empty();
    const bool filled = marked || (entry && is_filled(entry->badge));
    ui::swatch(name + "/badge", {left + px(4), second + small.y / 2}, px(4),
               marked || !entry ? mark_color(task) : badge_color(entry->badge), filled);
    ui::text_at({left + px(14), second}, marked || !entry ? task.note() : model::badge_name(entry->badge),
                ui::Look::small_muted, room - px(14));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {px(4), px(3)});
    ImGui::SetCursorScreenPos({max.x - menu - px(2), min.y + std::floor((task_row_ - ImGui::GetFrameHeight()) / 2)});
    if (ui::button(name + "/menu", "⋯", ui::Button::quiet, {}, "What can be done with it", menu) || asked)
      ImGui::OpenPopup("own menu");
    ImGui::PopStyleVar();
  }
  ImGui::SetCursorScreenPos(after);
  draw_own_menu(studio, task);
  if (!pressed) return;
  if (entry && !task.changed)
    studio.open_task(entry->name);
  else if (task.state != model::OwnState::opening)
    studio.library.own().open(task.file, true);
}

void Sidebar::draw_own_menu(model::Studio& studio, const model::OwnTask& task) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(4), px(4)});
  const bool shown = ImGui::BeginPopup("own menu");
  ImGui::PopStyleVar();
  if (!shown) return;
  const ui::Surface on(palette().raised);
  const float wide = ui::button_width("Show in file manager");
  const auto item = [&](const char* name, const char* label, const char* tip = "", const char* blocked = "") {
    const bool pressed =
        ui::button(std::string("sidebar/own-menu/") + name, label, ui::Button::quiet, blocked, tip, wide);
    if (pressed) ImGui::CloseCurrentPopup();
    return pressed;
  };
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  if (item("again", "Reload", "Reads its file anew", task.state == model::OwnState::opening ? "It is being read" : ""))
    studio.library.own().open(task.file, true);
  if (item("copy", "Copy path", "Of its file")) ui::copy(task.file.string());
  if (item("reveal", "Show in file manager")) studio.library.reveal_file(task.file);
  if (item("forget", "Remove from list", "Its file and its runs stay")) studio.library.own().forget(task.file);
  ImGui::PopStyleVar(2);
  ImGui::EndPopup();
}

}  // namespace pairs::gui
