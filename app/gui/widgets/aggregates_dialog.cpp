#include "app/gui/widgets/aggregates_dialog.h"

#include <fmt/format.h>

#include "app/gui/widgets/ui.h"
#include "core/base/text/text.h"
#include "core/train/cache/left_aggregates.h"

namespace pairs::gui {

void AggregatesDialog::ask(const model::RunEntry& run) {
  run_ = run.run;
  what_ = fmt::format(
      "{} keeps {} of aggregates, on which its last stage was trained. {}. Its weights, logs and figures "
      "stay.",
      run.name, byte_text(run.aggregates), without_aggregates(run.folder));
  open_ = true;
}

void AggregatesDialog::draw(model::Library& library) {
  if (!ui::begin_dialog(name_ + "/dialog", "Drop the aggregates?", open_)) return;
  const model::RunEntry* run = library.find(run_);
  const std::string blocked =
      run ? library.blocked(*run, model::RunAction::drop_aggregates) : "The folder of this run is missing";
  ui::wrapped(what_, ui::Look::body, 0, name_ + "/what");
  const ui::Choice choice = ui::choose(name_ + "/confirm", "Drop them", ui::Button::danger, name_ + "/cancel", blocked);
  if (choice == ui::Choice::confirm) library.drop_aggregates(run_);
  if (choice != ui::Choice::none) open_ = false;
  if (!open_) ImGui::CloseCurrentPopup();
  ui::end_dialog();
}

}  // namespace pairs::gui
