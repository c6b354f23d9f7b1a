#include <algorithm>
#include <cmath>

#include "app/model/train/training.h"
#include "app/model/train/training_state.h"

namespace pairs::model {

std::optional<TrainingSession::Going> TrainingSession::going(const std::filesystem::path& folder) const {
  const TrainingState& m = impl_;
  if (m.session_busy && folder == m.session_folder) {
    const char* word = m.session_state == SessionState::paused     ? "paused"
                       : m.session_state == SessionState::pausing  ? "pausing"
                       : m.session_state == SessionState::stopping ? "stopping"
                                                                   : "training";
    // A resumed run starts where its files state.
    const double share = m.shows_session() ? m.cards[m.at.stage].share : m.at.share;
    return Going{word, m.at.stage, share};
  }
  if (!m.drafting && folder == m.history.folder() && m.elsewhere())
    return Going{"training", m.view->current, m.cards[std::clamp(m.view->current, 0, kStages - 1)].share};
  return {};
}

std::filesystem::path TrainingSession::folder() const {
  return impl_.session_folder;
}

std::vector<double> TrainingSession::seconds() const {
  const TrainingState& m = impl_;
  if (!m.session_config) return {};
  std::vector<double> seconds(kStages, NAN);
  if (m.session_needs) seconds.assign(m.session_needs->seconds, m.session_needs->seconds + kStages);
  const auto& now = m.at.progress;
  const auto at = static_cast<std::size_t>(m.at.stage);
  if (now && now->rate > 0 && static_cast<std::size_t>(now->stage) == at) {
    const double heads =
        many_heads(*m.session_config, now->stage) ? static_cast<double>(m.session_config->cache.sizes.size()) : 1;
    const double measured = heads * static_cast<double>(now->total) / now->rate;
    const double pace = seconds[at] > 0 ? measured / seconds[at] : 1;
    seconds[at] = measured;
    for (std::size_t k = at + 1; k < seconds.size(); ++k) seconds[k] *= pace;
  }
  const bool known = std::ranges::all_of(seconds, [](double one) { return std::isfinite(one); });
  return known ? seconds : std::vector<double>();
}

std::optional<std::filesystem::path> TrainingSession::take_ended() {
  return std::exchange(impl_.ended, std::nullopt);
}

void TrainingSession::stop() {
  if (blocked(Action::stop).empty()) impl_.session.stop();
}

std::string TrainingSession::blocked(Action action) const {
  const SessionAction wanted = action == Action::start    ? SessionAction::start
                               : action == Action::pause  ? SessionAction::pause
                               : action == Action::resume ? SessionAction::resume
                               : action == Action::stop   ? SessionAction::stop
                                                          : SessionAction::dismiss;
  return std::string(blocked_reason(impl_.session.state(), wanted));
}

bool TrainingSession::active() const {
  return impl_.session_busy;
}

}  // namespace pairs::model
