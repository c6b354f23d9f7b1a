#include "app/gui/widgets/save_dialog.h"

#include <fmt/format.h>

#include <utility>

#include "app/gui/widgets/file_desk.h"
#include "app/gui/widgets/ui.h"

namespace pairs::gui {

void SaveDialog::ask(const std::string& name) {
  open_ = true;
  failure_.clear();
  browser_.start((file_desk().save_folder() / name).string());
  look();
}

void SaveDialog::look() {
  std::error_code error;
  const std::filesystem::path file = browser_.path();
  exists_ = std::filesystem::exists(file, error) && !std::filesystem::is_directory(file, error);
}

std::optional<std::filesystem::path> SaveDialog::draw(const Names& names, const Texts& texts) {
  if (!open_ && !shown_) return {};
  const bool shown = ui::begin_dialog(names.browser, texts.title, open_, FileBrowser::dialog_width);
  if (std::exchange(shown_, shown) && !shown) browser_.stop();
  if (!shown) return {};
  ui::wrapped(texts.about, ui::Look::muted);
  ui::space(4);
  FileBrowser::Request request;
  request.kind = FileBrowser::Kind::save;
  request.title = texts.title;
  request.hint = texts.hint;
  request.filters = texts.filters;
  request.direct = true;
  const FileBrowser::Ended ended = browser_.draw(names.browser, names.path, request);
  if (browser_.changed()) {
    failure_.clear();
    look();
  }
  const std::filesystem::path file = browser_.path();
  std::string blocked = file.empty() ? "Type a path first" : "";
  if (!file.empty() && !texts.ending.empty() && file.extension() != texts.ending)
    blocked = fmt::format("The file's name must end in {}", texts.ending);
  if (!failure_.empty())
    ui::wrapped(failure_, ui::Look::bad);
  else if (!file.empty() && !blocked.empty())
    ui::wrapped(blocked, ui::Look::warning);
  else if (exists_)
    ui::wrapped("There is a file of this name already. Replace it?", ui::Look::warning);
  const ui::Choice choice =
      ui::choose(names.write, exists_ ? "Replace" : "Save", ui::Button::primary, names.cancel, blocked);
  if (choice == ui::Choice::cancel || ended.canceled) open_ = false;
  std::optional<std::filesystem::path> written;
  if (open_ && blocked.empty() && (ended.done || choice == ui::Choice::confirm)) {
    // Only the button labeled so replaces a file, which may have appeared a moment ago.
    const bool replace = (exists_ && choice == ui::Choice::confirm) || ended.replace;
    look();
    if (!exists_ || replace) written = file;
  }
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
  return written;
}

}  // namespace pairs::gui
