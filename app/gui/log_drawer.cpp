#include "app/gui/log_drawer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/gui/widgets/ui.h"
#include "app/model/hub/program_time.h"
#include "core/report/ticks.h"

namespace pairs::gui {
namespace {

struct LevelChoice {
  model::Level level;
  const char *name, *label, *tip;
};
constexpr LevelChoice kLevels[] = {
    {model::Level::info, "log/all", "All", "Every message"},
    {model::Level::warning, "log/warnings", "Warnings", "Warnings and errors"},
    {model::Level::error, "log/errors", "Errors", "Errors alone"},
};

ui::Look look_of(model::Level level) {
  return level == model::Level::error     ? ui::Look::bad
         : level == model::Level::warning ? ui::Look::warning
                                          : ui::Look::body;
}

}  // namespace

void LogDrawer::draw(model::Studio& studio) {
  studio.hub.messages.mark_seen();
  toolbar(studio);
  ui::space(4);
  lines(studio.hub.messages);
}

void LogDrawer::toolbar(model::Studio& studio) {
  model::Messages& messages = studio.hub.messages;
  const bool none = messages.matching(filter_, least_).empty();
  const char* nothing = "There are no messages";
  ImGui::AlignTextToFramePadding();
  ui::text("Messages", ui::Look::strong);
  for (const LevelChoice& choice : kLevels) {
    ImGui::SameLine(0, choice.level == model::Level::info ? px(16) : px(4));
    if (ui::segment(choice.name, choice.label, least_ == choice.level, choice.tip)) least_ = choice.level;
  }
  const float buttons = ui::button_width("Copy") + ui::button_width("Clear") + ui::button_width("Close") + 3 * px(8);
  ImGui::SameLine(0, px(16));
  const float room = ImGui::GetContentRegionAvail().x - buttons;
  ui::input("log/filter", filter_, "Filter", "Shows the messages that hold this text",
            std::clamp(room, px(60), px(280)));
  ImGui::SameLine(0, std::max(px(8), room - px(280) + px(8)));
  if (ui::button("log/copy", "Copy", ui::Button::quiet, none ? nothing : "", "Copies the messages that are shown"))
    ui::copy(messages.text(filter_, least_));
  ImGui::SameLine();
  if (ui::button("log/clear", "Clear", ui::Button::quiet, messages.all().empty() ? nothing : "",
                 "Forgets all messages; runs keep their own record"))
    messages.clear();
  ImGui::SameLine();
  if (ui::button("log/close", "Close", ui::Button::quiet, {}, "Hides the messages (Ctrl+L)"))
    studio.settings.log_open = false;
}

void LogDrawer::lines(model::Messages& messages) {
  ImGui::BeginChild("log/lines", {0, 0});
  const std::vector<const model::Message*> shown = messages.matching(filter_, least_);
  if (shown.empty()) {
    ui::wrapped(messages.all().empty() ? "No messages yet: problems, and messages of runs and evaluations, appear here."
                                       : "No message matches: select All, or clear the filter.",
                ui::Look::muted);
    ImGui::EndChild();
    return;
  }
  // The scroll position below which the newest line is visible.
  const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - px(4);
  const double newest = shown.back()->time;
  const bool grew = shown.size() != shown_ || newest != newest_;
  if (!grew) follow_ = at_end;
  const float from = ImGui::GetCursorPosX(), where = from + px(72), text = where + px(96);
  const float height = ui::text_size("X").y;
  const float top = ImGui::GetScrollY() - height, bottom = ImGui::GetScrollY() + ImGui::GetWindowHeight();
  for (const model::Message* message : shown) {
    const std::string line =
        message->count > 1
            ? fmt::format("{}  ×{}", message->text, chart::grouped_number(static_cast<double>(message->count), 0))
            : message->text;
    ImFont* font = ui::font(ui::Look::body);
    const float width = std::max(px(80), ImGui::GetContentRegionAvail().x - (text - from));
    const float tall = font->CalcTextSizeA(font->FontSize, FLT_MAX, width, line.data(), line.data() + line.size()).y;
    const float y = ImGui::GetCursorPosY();
    if (y + tall < top || y > bottom) {  // invisible: only its space
      ImGui::Dummy({1, tall});
      continue;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::text_at({at.x, at.y + (height - ui::text_size("0", ui::Look::small).y) / 2}, model::wall_time(message->time),
                ui::Look::small_muted, px(64));
    ui::text_at({at.x + px(72), at.y}, message->where, ui::Look::muted, px(88));
    ImGui::SetCursorPosX(text);
    ui::wrapped(line, look_of(message->level), width);
  }
  if (grew && follow_) ImGui::SetScrollHereY(1);
  shown_ = shown.size();
  newest_ = newest;
  ImGui::EndChild();
}

}  // namespace pairs::gui
