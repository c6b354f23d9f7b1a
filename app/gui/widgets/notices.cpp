#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/gui/widgets/ui.h"
#include "app/gui/widgets/ui_parts.h"
#include "app/text/words.h"

namespace pairs::gui::ui {
namespace {

constexpr double kToastSeconds = 4, kFadeSeconds = 0.25;
std::string toast_text;
double toast_end = -1;
std::vector<std::filesystem::path> saved_files;

}  // namespace

void empty_state(std::string_view title, std::string_view sentence, bool failed) {
  const ImVec2 room = ImGui::GetContentRegionAvail(), start = ImGui::GetCursorPos();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  record("empty-state", ItemKind::plot, corner, {corner.x + room.x, corner.y + room.y}, true, title);
  const float width = std::min(px(460), std::max(room.x - px(32), px(80)));
  ImGui::SetCursorPosY(start.y + std::max(px(16), room.y * 0.3f));
  // A sentence of one line is centered like its title.
  const float line = text_size(sentence, failed ? Look::bad : Look::muted).x;
  const float x = start.x + (room.x - width) / 2, indent = std::max(0.0f, (width - line) / 2);
  ImGui::SetCursorPosX(x + std::max(0.0f, (width - text_size(title, Look::title).x) / 2));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  text_at(at, title, failed ? Look::title : Look::title);
  ImGui::Dummy({text_size(title, Look::title).x, text_size(title, Look::title).y});
  ImGui::SetCursorPosX(x + indent);
  wrapped(sentence, failed ? Look::bad : Look::muted, width - indent);
  space(8);
  ImGui::SetCursorPosX(x + indent);  // where a button goes
}

void working_state(std::string_view sentence, float share) {
  const ImVec2 room = ImGui::GetContentRegionAvail(), start = ImGui::GetCursorPos();
  const float width = std::min(px(320), std::max(room.x - px(32), px(80)));
  ImGui::SetCursorPos({start.x + (room.x - width) / 2, start.y + room.y * 0.4f});
  progress(share < 0 ? 0.15f : share, "", width);
  ImGui::SetCursorPosX(start.x + (room.x - width) / 2);
  wrapped(sentence, Look::muted, width);
}

float notice_height(Look look, std::string_view sentence, std::string_view button_label) {
  const float button_room = button_label.empty() ? 0 : button_width(button_label) + px(8);
  ImFont* f = font(look);
  const ImVec2 size = f->CalcTextSizeA(f->FontSize, FLT_MAX, wish(0) - px(28) - button_room, sentence.data(),
                                       sentence.data() + sentence.size());
  return std::max(size.y, button_label.empty() ? 0.0f : ImGui::GetFrameHeight()) + px(16);
}

bool notice(std::string_view name, Look look, std::string_view sentence, std::string_view button_label) {
  bool pressed = false;
  const float button_room = button_label.empty() ? 0 : button_width(button_label) + px(8);
  const float width = wish(0), text_width = width - px(28) - button_room;
  ImFont* f = font(look);
  const ImVec2 size =
      f->CalcTextSizeA(f->FontSize, FLT_MAX, text_width, sentence.data(), sentence.data() + sentence.size());
  const float height = notice_height(look, sentence, button_label);
  const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + width, min.y + height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(min, max, palette().raised, px(6));
  list.AddRectFilled(min, {min.x + px(4), max.y}, ink(look), px(2));
  const Surface on(palette().raised);
  const ImVec2 at = {std::floor(min.x + px(16)), std::floor(min.y + (height - size.y) / 2)};
  list.AddText(f, f->FontSize, at, ImGui::GetColorU32(ink(look)), sentence.data(), sentence.data() + sentence.size(),
               text_width);
  record(name, ItemKind::text, at, {at.x + size.x, at.y + size.y}, true, sentence, false, ink(look), surface());
  const ImVec2 cursor = ImGui::GetCursorPos();
  if (!button_label.empty()) {
    ImGui::SetCursorScreenPos({max.x - button_room, min.y + (height - ImGui::GetFrameHeight()) / 2});
    pressed = button(std::string(name) + "/button", button_label);
  }
  ImGui::SetCursorPos(cursor);
  ImGui::Dummy({width, height});
  return pressed;
}

Choice offer(std::string_view name, std::string_view sentence, std::string_view accept, std::string_view decline) {
  const float gap = px(8), inset = px(12), width = wish(0);
  const float buttons = button_width(accept) + gap + button_width(decline) + inset;
  const float text_width = width - px(28) - buttons;
  ImFont* f = font(Look::body);
  const ImVec2 size =
      f->CalcTextSizeA(f->FontSize, FLT_MAX, text_width, sentence.data(), sentence.data() + sentence.size());
  const float height = std::max(size.y, ImGui::GetFrameHeight()) + px(16);
  const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + width, min.y + height};
  ImGui::GetWindowDrawList()->AddRectFilled(min, max, palette().raised, px(6));
  ImGui::GetWindowDrawList()->AddRectFilled(min, {min.x + px(4), max.y}, palette().accent, px(2));
  const Surface on(palette().raised);
  const ImVec2 cursor = ImGui::GetCursorPos();
  ImGui::SetCursorScreenPos({min.x + px(16), std::floor(min.y + (height - size.y) / 2)});
  wrapped(sentence, Look::body, text_width);
  ImGui::SetCursorScreenPos({max.x - buttons, std::floor(min.y + (height - ImGui::GetFrameHeight()) / 2)});
  Choice choice = Choice::none;
  if (button(std::string(name) + "/accept", accept, Button::primary)) choice = Choice::confirm;
  ImGui::SameLine(0, gap);
  if (button(std::string(name) + "/decline", decline)) choice = Choice::cancel;
  ImGui::SetCursorPos(cursor);
  ImGui::Dummy({width, height});
  return choice;
}

bool begin_dialog(std::string_view name, std::string_view title, bool& open, float width) {
  const std::string id = id_of("", name);
  if (open && !ImGui::IsPopupOpen(id.c_str())) ImGui::OpenPopup(id.c_str());
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y * 0.45f}, ImGuiCond_Always, {0.5f, 0.5f});
  const float wide = std::min(px(width), display.x - px(32));
  ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, display.y * kDialogMost});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {px(24), px(20)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, px(10));
  const bool shown = ImGui::BeginPopupModal(id.c_str(), nullptr,
                                            ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                                ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PopStyleVar(2);
  if (!shown) {
    open = false;
    return false;
  }
  // Dear ImGui 1.86 asserts when another window appears in a dialog's first frame, because it does not yet count as
  // active.
  ImGui::GetCurrentWindow()->WasActive = true;
  const ImVec2 corner = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  recorder().add("dialog", ItemKind::plot, corner, {corner.x + size.x, corner.y + size.y});
  push_surface(palette().raised);
  if (!title.empty()) {
    ui::text(title, Look::title);
    space(4);
  }
  if (!open || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) {
    open = false;
    ImGui::CloseCurrentPopup();
  }
  return true;
}

void end_dialog() {
  pop_surface();
  ImGui::EndPopup();
}

Choice choose(std::string_view name, std::string_view label, Button kind, std::string_view cancel_name,
              std::string_view blocked, std::string_view cancel_label) {
  space(8);
  const bool done = button(name, label, kind, blocked);
  ImGui::SameLine();
  const bool canceled = button(cancel_name, cancel_label);
  return done ? Choice::confirm : canceled ? Choice::cancel : Choice::none;
}

void copy(std::string_view text) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const char* const search = std::getenv("PATH");
  ImGui::SetClipboardText(runnable_command(std::string(text), program, search ? search : "").c_str());
  toast("Copied to the clipboard");
}

void saved(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(file, error);
  saved_files.push_back(error ? file : whole.lexically_normal());
}

std::vector<std::filesystem::path> take_saved() {
  return std::exchange(saved_files, {});
}

void toast(std::string_view text) {
  toast_text = text;
  toast_end = ImGui::GetTime() + kToastSeconds;
}

void draw_toast() {
  const double left = toast_end - ImGui::GetTime();
  if (left <= 0) return;
  again_in(std::min(left, kFadeSeconds));
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec2 size = text_size(toast_text);
  const ImVec2 min = {std::floor((display.x - size.x) / 2 - px(16)), display.y - px(48) - size.y - px(16)};
  const ImVec2 max = {min.x + size.x + px(32), min.y + size.y + px(16)};
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  list.AddRectFilled(min, max, palette().accent, px(8));
  list.AddText(font(Look::body), font(Look::body)->FontSize, {min.x + px(16), min.y + px(8)}, palette().on_accent,
               toast_text.c_str());
  record("toast", ItemKind::text, {min.x + px(16), min.y + px(8)}, {max.x - px(16), max.y - px(8)}, true, toast_text);
}

}  // namespace pairs::gui::ui
