#pragma once

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/model/hub/hub.h"
#include "app/model/train/draft.h"
#include "app/model/train/draft_needs.h"
#include "app/model/train/live_posterior.h"
#include "app/model/train/run_history.h"
#include "app/model/train/stage_card.h"
#include "core/base/threads/clock.h"
#include "core/train/run/session.h"

namespace pairs::model {

// The path as an absolute one.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// The state of the Train tab: the drafts, the run that is shown, and the run that this window trains.
struct TrainingState {
  explicit TrainingState(Hub& the_hub)
      : hub(the_hub),
        needs([this] { hub.wake(); }),
        history(
            hub.tasks, [this] { hub.wake(); }, hub.run_shades),
        live(std::make_shared<LivePosterior>([this] { hub.wake(); })) {}

  Hub& hub;
  std::string task;
  std::map<std::string, Draft> drafts;  // by task: settings stay while others are shown
  bool drafting = true;
  Stopwatch clock;
  double ticked = -1, looked = -1, shown_at = -1e9;

  DraftNeeds needs;
  RunHistory history;
  std::shared_ptr<const RunView> view;
  std::shared_ptr<LivePosterior> live;
  std::shared_ptr<const Figure> live_figure;
  std::string live_problem;

  // The run that the session trains or trained last.
  std::filesystem::path session_folder;
  std::string session_task, dismissed;
  bool session_busy = false;
  double session_ended = -1e9;
  SessionState session_state = SessionState::idle;
  SessionProgress at;  // of the session
  std::shared_ptr<const RunConfig> session_config;
  std::shared_ptr<const DraftEstimate> session_needs;  // before the start; null: unknown
  double session_about = 0;                            // time at which its elapsed time was last counted
  std::optional<std::filesystem::path> ended;

  StageCard cards[kStages];

  Session session;

  // Why the draft or run itself cannot be trained.
  std::string start_blocked(int until);
  bool shows_session() const { return !drafting && !session_folder.empty() && history.folder() == session_folder; }

  std::filesystem::path runs_folder() const {
    return absolute_path(hub.runs_folder.empty() ? "runs" : hub.runs_folder);
  }

  Draft& draft_of(const std::string& name);

  // Whether training is on the screen.
  bool looked_at() const;

  // Whether a draft is shown whose needs will be requested, or are known and not shown yet.
  bool needs_due() const { return drafting && !task.empty() && !session_busy && needs.due(looked_at()); }

  // Detects a change of the draft, and requests its needs once it rests.
  bool follow_draft(double now, bool at_once);

  void show_run(const std::filesystem::path& folder);

  // Leaves the shown run for the draft of `task`.
  void show_draft();

  // Our own session on this run has just ended, so that the last read may be outdated.
  bool settling() const;

  // Whether another process uses the run.
  bool elsewhere() const;

  Activity activity() const;

  // The finished share of the session's stage.
  void follow_share();

  // Takes over events and the state of the session.
  bool follow_session(double now);

  // Rebuilds the cards from what was taken over.
  void deal();
};

}  // namespace pairs::model
