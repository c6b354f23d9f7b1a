#include "app/gui/posterior/large_set_dialog.h"

#include <fmt/format.h>

#include <utility>

#include "app/gui/widgets/ui.h"
#include "core/report/number_text.h"

namespace pairs::gui {

void LargeSetDialog::ask(model::PosteriorSet::LargeSet set) {
  set_ = std::move(set);
  open_ = true;
  part_ = Part::first;
  column_ = 0;
}

void LargeSetDialog::draw(model::Posterior& posterior) {
  if (!ui::begin_dialog("posterior/large/dialog", "Which observations?", open_, 520)) return;
  ui::wrapped(set_.sentence + ".", ui::Look::warning, 0, "posterior/large/why");
  ui::space(4);
  const std::string most = count_text(set_.most);
  const auto way = [&](const char* name, const std::string& label, Part part, const std::string& about) {
    if (ui::segment(name, label, part_ == part, about)) part_ = part;
  };
  way("posterior/large/first", "The first " + most, Part::first,
      "In the order of the file; the slider of N takes fewer");
  ImGui::SameLine(0, px(2));
  way("posterior/large/random", most + " at random", Part::random,
      fmt::format("Of all {}, each equally likely, by seed 1", count_text(set_.held)));
  if (!set_.spare.empty()) {
    ImGui::SameLine(0, px(2));
    way("posterior/large/sets", "Many sets", Part::sets, "One posterior for each value of a column");
  }
  if (part_ == Part::sets) {
    constexpr const char* about = "The column that assigns a row to its set";
    ui::label("Rows form sets by", about);
    ui::combo("posterior/large/by", column_, set_.spare, about);
  }
  const ui::Choice choice = ui::choose("posterior/large/open", "Open", ui::Button::primary, "posterior/large/cancel");
  if (choice != ui::Choice::none) open_ = false;
  if (choice == ui::Choice::confirm && part_ == Part::sets)
    posterior.sets.open(set_.choice.file, set_.spare[static_cast<std::size_t>(column_)], set_.choice.columns);
  else if (choice == ui::Choice::confirm)
    posterior.set.open_part(set_.choice, part_ == Part::random ? std::optional<std::uint64_t>(1) : std::nullopt);
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

}  // namespace pairs::gui
