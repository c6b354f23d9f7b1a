#include "app/gui/widgets/path_dialog.h"

#include <utility>

#include "app/gui/platform/input.h"
#include "app/gui/widgets/file_desk.h"
#include "app/gui/widgets/ui.h"

namespace pairs::gui {

bool entered() {
  return ImGui::IsKeyPressed(key::enter, false) || ImGui::IsKeyPressed(key::keypad_enter, false);
}

void PathDialog::fail(std::string problem) {
  problem_ = std::move(problem);
  browser_.focus();
}

void PathDialog::ask() {
  open_ = true;
  problem_.clear();
  given_.clear();
  browser_.start("");
}

void PathDialog::close() {
  open_ = false;
  std::error_code error;
  if (model::Settings* settings = file_desk().settings; settings && std::filesystem::exists(given_, error))
    settings->remember_file(given_);
}

std::optional<std::filesystem::path> PathDialog::draw(const std::string& name, const Texts& texts,
                                                      std::string_view waiting) {
  const bool shown = ui::begin_dialog(name + "/dialog", texts.title, open_, FileBrowser::dialog_width);
  if (std::exchange(shown_, shown) && !shown) browser_.stop();
  if (!shown) return {};
  ui::wrapped(texts.about, ui::Look::muted);
  ui::space(4);
  FileBrowser::Request request;
  request.kind = texts.folder ? FileBrowser::Kind::open_folder : FileBrowser::Kind::open;
  request.title = texts.title;
  request.hint = texts.hint;
  request.filters = texts.filters;
  request.direct = texts.folder;
  const FileBrowser::Ended ended = browser_.draw(name, name + "/path", request);
  if (browser_.changed()) problem_.clear();
  if (!waiting.empty())
    ui::wrapped(waiting, ui::Look::muted);
  else if (!problem_.empty())
    ui::wrapped(problem_, ui::Look::bad);
  const std::filesystem::path path = browser_.path();
  const std::string_view blocked = path.empty() ? "Type a path first" : waiting;
  const ui::Choice choice = ui::choose(name + "/confirm", "Open", ui::Button::primary, name + "/cancel", blocked);
  if (choice == ui::Choice::cancel || ended.canceled) open_ = false;
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
  if (!open_ || !blocked.empty() || !(ended.done || choice == ui::Choice::confirm)) return {};
  if (browser_.enter_plain()) return {};
  given_ = path;
  return path;
}

}  // namespace pairs::gui
