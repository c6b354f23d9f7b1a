#include "app/gui/close_dialog.h"

#include <fmt/format.h>

#include <utility>

#include "app/gui/widgets/ui.h"

namespace pairs::gui {

void CloseDialog::ask(const model::Studio& studio) {
  if (state_ == State::none) state_ = studio.training.session.active() ? State::asking : State::agreed;
}

bool CloseDialog::draw(model::Studio& studio) {
  if (state_ == State::none) return false;
  model::Training& training = studio.training;
  if (!training.session.active()) {
    if (std::exchange(hands_over_, false))
      studio.queue.hand_over(training.session.folder(), training.session.seconds());
    // The Train tab reports a failure to save; the window stays open for that.
    if (state_ == State::agreed || !training.session.blocked(model::Action::dismiss).empty()) return true;
    state_ = State::none;
    return false;
  }
  bool open = true;
  if (!ui::begin_dialog("close/dialog", "Close while a run is being trained?", open)) {
    if (state_ == State::asking) state_ = State::none;
    return false;
  }
  const auto going = training.session.going(training.session.folder());
  if (state_ == State::stopping) {
    ui::wrapped("Stopping; the window closes as soon as the run is saved.");
  } else {
    ui::wrapped(fmt::format("{} is {}. {}", studio.library.name_of(training.session.folder().string()),
                            going ? model::RunEntry::live_state(going->word, going->stage, going->share) : "training",
                            studio.queue.keep
                                ? "It is saved, and a process without a window continues it as the first of the queue."
                                : "Stopping saves it; the next start offers to resume it."));
    ui::space(8);
    ui::toggle("close/keep", "Keep training when the window is closed", studio.queue.keep,
               "A process without a window continues it and the queue; the next start finds it");
    const char* label = studio.queue.keep ? "Save and keep training" : "Stop and save";
    const ui::Choice choice = ui::choose("close/confirm", label, ui::Button::primary, "close/cancel",
                                         training.session.blocked(model::Action::stop));
    if (choice == ui::Choice::confirm) {
      training.session.stop();
      hands_over_ = studio.queue.keep;
      state_ = State::stopping;
    } else if (choice == ui::Choice::cancel || !open) {
      state_ = State::none;
      ImGui::CloseCurrentPopup();
    }
  }
  ui::end_dialog();
  return false;
}

}  // namespace pairs::gui
