#include "app/gui/widgets/path_dialog.h"

#include <cstdlib>
#include <utility>

#include "app/gui/platform/input.h"
#include "app/gui/widgets/ui.h"

namespace pairs::gui {

std::filesystem::path typed_path(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  const std::string path = first == text.npos ? "" : text.substr(first, last - first + 1);
  const char* home = std::getenv("HOME");
  if (home && (path == "~" || path.starts_with("~/"))) return home + path.substr(1);
  return path;
}

bool entered() {
  return ImGui::IsKeyPressed(key::enter, false) || ImGui::IsKeyPressed(key::keypad_enter, false);
}

void PathDialog::fail(std::string problem) {
  problem_ = std::move(problem);
  fresh_ = true;
}

void PathDialog::ask() {
  open_ = fresh_ = true;
  text_.clear();
  problem_.clear();
}

std::optional<std::filesystem::path> PathDialog::draw(const std::string& name, const Texts& texts,
                                                      std::string_view waiting) {
  if (!ui::begin_dialog(name + "/dialog", texts.title, open_, 560)) return {};
  ui::wrapped(texts.about, ui::Look::muted);
  ui::space(4);
  if (fresh_) ImGui::SetKeyboardFocusHere();
  fresh_ = false;
  const std::string before = text_;
  const bool done = ui::input(name + "/path", text_, texts.hint) && entered();
  if (text_ != before) problem_.clear();
  if (!waiting.empty())
    ui::wrapped(waiting, ui::Look::muted);
  else if (!problem_.empty())
    ui::wrapped(problem_, ui::Look::bad);
  const std::filesystem::path path = typed_path(text_);
  const std::string_view blocked = path.empty() ? "Type a path first" : waiting;
  const ui::Choice choice = ui::choose(name + "/confirm", "Open", ui::Button::primary, name + "/cancel", blocked);
  if (choice == ui::Choice::cancel) open_ = false;
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
  if (open_ && blocked.empty() && (done || choice == ui::Choice::confirm)) return path;
  return {};
}

}  // namespace pairs::gui
