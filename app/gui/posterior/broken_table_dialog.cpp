#include "app/gui/posterior/broken_table_dialog.h"

#include <fmt/format.h>

#include <utility>

#include "app/gui/widgets/ui.h"
#include "core/base/text/text.h"

namespace pairs::gui {

void BrokenTableDialog::ask(model::PosteriorSet::BrokenTable table) {
  table_ = std::move(table);
  open_ = !table_.spare.empty();
  chosen_ = 0;
}

void BrokenTableDialog::draw(model::Posterior& posterior) {
  if (!ui::begin_dialog("posterior/broken/dialog", "One set, or many?", open_, 520)) return;
  ui::wrapped(table_.sentence + ".", ui::Look::warning, 0, "posterior/broken/why");
  ui::wrapped(fmt::format("So {} cannot be read as one set. If it holds many, only those with a wrong row are lost; "
                          "the table of sets shows which, and why.",
                          printable(table_.file.filename().string(), 300)),
              ui::Look::muted);
  ui::space(4);
  constexpr const char* about = "The column that assigns a row to its set";
  ui::label("Rows form sets by", about);
  ui::combo("posterior/broken/by", chosen_, table_.spare, about);
  const ui::Choice choice =
      ui::choose("posterior/broken/open", "Open as sets", ui::Button::primary, "posterior/broken/cancel");
  if (choice != ui::Choice::none) open_ = false;
  if (choice == ui::Choice::confirm)
    posterior.sets.open(table_.file, table_.spare[static_cast<std::size_t>(chosen_)], table_.columns);
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

}  // namespace pairs::gui
