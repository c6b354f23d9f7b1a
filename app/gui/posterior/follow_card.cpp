#include "app/gui/posterior/follow_card.h"

#include <fmt/format.h>

#include <cmath>

#include "app/gui/widgets/ui.h"
#include "core/report/number_text.h"

namespace pairs::gui {

std::string follow_text(const model::FollowState& state) {
  std::string text = fmt::format("{} {}: N = {}", state.running ? "following" : "followed",
                                 state.file.filename().string(), count_text(state.seen));
  if (state.used < state.seen) text += fmt::format(" ({} at random used)", count_text(state.used));
  if (!state.running) return text + (state.failure.empty() ? ", stopped" : "");
  if (state.rate >= 0.5) return text + fmt::format(", {} a second", count_text(std::llround(state.rate)));
  return text + ", waiting for more";
}

void FollowCard::draw(const model::FollowState& state) {
  ui::wrapped(follow_text(state), ui::Look::small_muted, 0, "posterior/follow/state");
  if (!state.failure.empty()) ui::wrapped(state.failure, ui::Look::small_bad, 0, "posterior/follow/failure");
}

void FollowCard::dialog(model::Posterior& posterior) {
  const auto state = posterior.follow.state();
  if (asked_ && !path_.is_open()) asked_ = false;
  if (asked_ && state && state->seen == 0 && !state->failure.empty()) {
    path_.fail(state->failure);
    posterior.follow.end();
    asked_ = false;
  } else if (asked_ && state && state->opened) {
    path_.close();
    asked_ = false;
  }
  const auto path = path_.draw("posterior/follow",
                               {"Follow a file",
                                "A CSV file of points that another program appends to, one observation per line. The "
                                "posterior follows it as lines arrive.",
                                "Path, e.g. ~/events.csv"},
                               asked_ ? "It is being opened…" : "");
  if (!path) return;
  asked_ = true;
  posterior.follow.start(*path);
}

}  // namespace pairs::gui
