#include "app/model/posterior/posterior_pins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "app/model/posterior/posterior_state.h"
#include "app/model/posterior/shown/pinned_posterior.h"

namespace pairs::model {

void PosteriorPins::add() {
  PosteriorState& s = state_;
  const auto now = state_.scene();
  const auto snapshot = state_.shown();
  if (!now || !snapshot || snapshot->set != now->set) return;
  PinnedQuestion asked;
  asked.run = s.request.asked.run;
  asked.set = s.asked_set();
  asked.n = snapshot->n;
  asked.source = snapshot->shown_source();
  s.pin(with_pinned(s.request.pinned, *now, *snapshot, ++s.last_pin, std::move(asked)));
}

void PosteriorPins::remove(std::uint64_t id) {
  state_.pin(without_pinned(state_.request.pinned, id));
}

void PosteriorPins::rename(std::uint64_t id, const std::string& name) {
  state_.pin(renamed_pinned(state_.request.pinned, id, name));
}

std::vector<PosteriorPins::Pin> PosteriorPins::shown() const {
  std::vector<Pin> all;
  const auto now = state_.scene();
  if (now && state_.request.pinned)
    for (const PinnedPosterior& one : *state_.request.pinned)
      if (one.task == now->task && one.targets == now->names)
        all.push_back({one.id, one.numbers.name, one.numbers.role});
  return all;
}

std::vector<PinnedQuestion> PosteriorPins::questions() const {
  std::vector<PinnedQuestion> all;
  if (state_.request.pinned)
    for (const PinnedPosterior& one : *state_.request.pinned) {
      all.push_back(one.asked);
      all.back().name = one.numbers.name;
    }
  return all;
}

}  // namespace pairs::model
