#include "app/model/train/training_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/report/number_text.h"
#include "core/train/events/event_values.h"

namespace pairs::model {
namespace {

constexpr double kShownFor = 3;  // seconds for which one Training::shown() counts
constexpr double kRelease = 1;   // seconds for which a lock after our own session may still be its own

}  // namespace

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return (error ? path : whole).lexically_normal();
}

bool TrainingState::looked_at() const {
  return clock.seconds() - shown_at < kShownFor;
}

bool TrainingState::settling() const {
  return !session_busy && history.folder() == session_folder && clock.seconds() - session_ended < kRelease;
}

bool TrainingState::elsewhere() const {
  if (!view || !view->in_use) return false;
  return history.folder() != session_folder || (!session_busy && !settling());
}

Draft& TrainingState::draft_of(const std::string& name) {
  const auto found = drafts.find(name);
  if (found != drafts.end()) return found->second;
  Draft& draft = drafts.emplace(name, Draft(hub.tasks, name, runs_folder(), hub.data_folder.string())).first->second;
  draft.set_machine(hub.device, hub.threads);
  return draft;
}

bool TrainingState::follow_draft(double now, bool at_once) {
  Draft& draft = draft_of(task);
  const bool moved =
      draft.set_places(runs_folder(), hub.data_folder.string()) | draft.set_machine(hub.device, hub.threads);
  const bool renamed = draft.leave_taken_name();
  return needs.follow(draft, runs_folder(), now, looked_at(), at_once, session_busy) || moved || renamed;
}

void TrainingState::show_run(const std::filesystem::path& folder) {
  drafting = false;
  if (history.folder() == folder) return;
  view.reset();
  history.open(folder);
  looked = clock.seconds();
}

void TrainingState::show_draft() {
  if (!drafting) {
    history.open({});
    view.reset();
  }
  drafting = true;
  needs.reset();
  if (!task.empty()) follow_draft(clock.seconds(), false);
}

Activity TrainingState::activity() const {
  if (drafting) return Activity::draft;
  if (shows_session()) switch (session_state) {
      case SessionState::running:
        return Activity::running;
      case SessionState::pausing:
        return Activity::pausing;
      case SessionState::paused:
        return Activity::paused;
      case SessionState::stopping:
        return Activity::stopping;
      case SessionState::failed:
        return Activity::failed;
      case SessionState::idle:
        break;
    }
  if (!view) return Activity::loading;
  return elsewhere() ? Activity::elsewhere : Activity::rest;
}

void TrainingState::follow_share() {
  const auto& p = at.progress;
  if (!p || p->total <= 0 || static_cast<int>(p->stage) != at.stage || !session_config) return;
  at.share = stage_share(*session_config, static_cast<Stage>(at.stage), at.head,
                         static_cast<double>(p->done) / static_cast<double>(p->total));
}

bool TrainingState::follow_session(double now) {
  bool changed = false;
  const SessionState before = session_state;
  session_state = session.state();
  const std::string name = session_folder.filename().string();
  for (const Event& event : session.drain()) {
    if (begins_stage(event)) {
      const int stage = std::min(kStages - 1, static_cast<int>(event.stage));
      if (stage != at.stage) {
        at.elapsed = 0;
        at.share = NAN;
      }
      at.stage = stage;
      at.head = event_count(event, "n");
      changed = true;
    } else if (event.type == EventType::warning) {
      hub.messages.warning("train", fmt::format("{}: {}", name, event_text(event)));
      changed = true;
    } else if (event.type == EventType::stage_done) {
      hub.messages.info("train",
                        fmt::format("{}: {} done in {}", name, stage_name(event.stage), duration_text(event.seconds)));
      changed = true;
    }
  }
  if (session_busy) {
    if (before == SessionState::running) at.elapsed += now - session_about;
    session_about = now;
    if (session_state == SessionState::idle || session_state == SessionState::failed) {
      session_busy = false;
      session_ended = now;
      ended = session_folder;
      history.refresh();
      looked = now;
      if (session_state == SessionState::failed)
        hub.messages.error("train", fmt::format("{}: {}", name, session.error()));
      else if (session.outcome() == SessionOutcome::stopped)
        hub.messages.info("train", fmt::format("{}: stopped and saved; it can be resumed", name));
      changed = true;
    }
  }
  return changed || before != session_state;
}

void TrainingState::deal() {
  const auto state = activity();
  const bool own = shows_session() && session_busy;
  for (int k = 0; k < kStages; ++k) {
    StageCard card = empty_card(k);
    if (drafting) {
      const RunConfig& config = draft_of(task).config();
      if (k == kLikelihoodStage ? !config.likelihood.enabled
                                : k > 0 && !pairs::strategy(config.strategy).stages_2_and_3)
        card.state = StageState::unneeded;
      if (const auto known = needs.estimate()) card.expected = known->seconds[k];
    } else if (view) {
      fill_card(card, k, *view, state, own ? &at : nullptr);
    } else if (own && k == 0) {
      card.state = StageState::running;
    }
    cards[k] = std::move(card);
  }
}

std::string TrainingState::start_blocked(int until) {
  const TrainingState& m = *this;
  if (m.drafting) {
    if (m.task.empty()) return "Select a task first";
    const Draft& draft = draft_of(m.task);
    if (!draft.error().empty()) return draft.error();
    if (!draft.name_error().empty()) return draft.name_error();
    if (until == 1 && !pairs::strategy(draft.strategy()).stages_2_and_3)
      return "End-to-end training has no stages 2 and 3";
    if (const auto known = m.needs.estimate()) return known->error.empty() ? known->no_room : known->error;
    return "";
  }
  if (!m.view) return "The run is being read";
  if (!m.view->problem.empty()) return m.view->problem;
  if (m.view->shipped) return "These weights came with the program; start a new run like this one";
  if (m.elsewhere()) return "Another process trains this run; it is watched here";
  if (until == kLikelihoodStage && !m.view->no_likelihood.empty())
    return "The task has no learned likelihood: " + m.view->no_likelihood;
  if (m.view->finished && until != kLikelihoodStage) return "The run is finished; start a new run like this one";
  const bool done[kStages] = {m.view->pretrained, m.view->cached, m.view->finished, m.view->learned};
  if (until >= 0 && until < kStages && done[until]) return "This stage is done";
  return "";
}

}  // namespace pairs::model
