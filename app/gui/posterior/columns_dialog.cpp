#include "app/gui/posterior/columns_dialog.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/gui/widgets/ui.h"
#include "core/base/text/text.h"

namespace pairs::gui {

void ColumnsDialog::ask(model::PosteriorSet::OtherColumns file, const std::vector<std::string>& taken) {
  file_ = std::move(file);
  open_ = !file_.columns.empty() && !file_.needed.empty();
  chosen_.clear();
  const int last = static_cast<int>(file_.columns.size()) - 1;
  for (std::size_t k = 0; k < file_.needed.size(); ++k) {
    const std::string& wanted = k < taken.size() ? taken[k] : file_.needed[k];
    const auto at = std::find(file_.columns.begin(), file_.columns.end(), wanted);
    chosen_.push_back(at != file_.columns.end() ? static_cast<int>(at - file_.columns.begin())
                                                : std::min(static_cast<int>(k), last));
  }
}

void ColumnsDialog::draw(model::Posterior& posterior) {
  if (!ui::begin_dialog("posterior/columns/dialog", "Which columns?", open_, 520)) return;
  if (!file_.sentence.empty()) ui::wrapped(file_.sentence, ui::Look::warning, 0, "posterior/columns/why");
  ui::wrapped(fmt::format("{} has {} columns. Select those that an observation is made of.",
                          printable(file_.file.filename().string(), 300), file_.columns.size()),
              ui::Look::muted);
  ui::space(4);
  std::set<int> taken;
  for (std::size_t k = 0; k < file_.needed.size(); ++k) {
    ui::label(file_.needed[k], "A column of the task");
    ui::combo("posterior/columns/" + file_.needed[k], chosen_[k], file_.columns, "A column of the file");
    taken.insert(chosen_[k]);
  }
  const std::string blocked = taken.size() < chosen_.size() ? "One column is taken twice; choose another" : "";
  if (!blocked.empty()) ui::wrapped(blocked + ".", ui::Look::warning);
  const ui::Choice choice =
      ui::choose("posterior/columns/use", "Use these", ui::Button::primary, "posterior/columns/cancel", blocked);
  if (choice != ui::Choice::none) open_ = false;
  if (choice == ui::Choice::confirm) {
    std::vector<std::string> columns;
    for (const int at : chosen_) columns.push_back(file_.columns[static_cast<std::size_t>(at)]);
    posterior.set.open_file(file_.file, std::move(columns));
  }
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

}  // namespace pairs::gui
