#include "app/gui/resume_offer.h"

#include <fmt/format.h>

#include "app/gui/widgets/ui.h"

namespace pairs::gui {

void draw_resume_offer(model::Studio& studio) {
  const model::RunEntry* run = studio.unfinished_run();
  if (!run) return;
  const ui::Choice choice = ui::offer(
      "resume", fmt::format("{} is not finished: {}. It goes on from where it was saved.", run->name, run->state()),
      "Resume training", "Not now");
  if (choice == ui::Choice::confirm)
    studio.resume_run(run->run);
  else if (choice == ui::Choice::cancel)
    studio.forget_unfinished();
}

}  // namespace pairs::gui
