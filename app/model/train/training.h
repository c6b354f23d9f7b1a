#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "app/model/train/draft.h"
#include "app/model/train/draft_needs.h"
#include "app/model/train/stage_card.h"
#include "core/report/figure.h"

namespace pairs::model {

enum class Action { start, pause, resume, stop, dismiss };

// A draft of a new run, or a run with its stages: being trained here, watched while another process trains it, or at
// rest. One run is trained at a time; it goes on while others are looked at.
class Training {
 public:
  explicit Training(Hub& hub);
  // Stops a running stage and waits until it has saved.
  ~Training();

  // Takes over what background work has finished. True when something shown has changed: at most four times a second
  // for what only grows.
  bool poll();
  // Whether something of ours runs or is about to: training or an estimate.
  bool busy() const;
  // Whether a run of ours is being trained (or pauses, or stops), and in a few words what it does; empty when none.
  bool active() const;
  std::string activity() const;
  // How far a run is that is being trained now, here or, if it is the one that is shown, by another process; nothing
  // for any other. Wherever progress is told, it is this.
  struct Going {
    std::string word;    // "training", "pausing", "paused", "stopping"
    int stage = 0;       // 0 to 2
    double share = NAN;  // of the stage, 0 to 1; NaN until it is known
  };
  std::optional<Going> going(const std::filesystem::path& folder) const;
  // The run that the session trains or trained last; empty when none.
  std::filesystem::path session_folder() const;
  // How long each stage of that run takes in seconds, as far as is known now: as expected before it was begun, or, from
  // the stage at work on, as fast as that goes. Empty where it is not known of all.
  std::vector<double> session_seconds() const;
  // The folder of a run of ours whose training has come to an end since the last call: done, stopped or failed.
  std::optional<std::filesystem::path> take_ended();

  // Shows the task: the run of it that is being trained, else the draft of a new one.
  void open_task(const std::string& task);
  // Forgets what was set for a new run of the task, which is no longer what it was.
  void renew_draft(const std::string& task);
  // Shows a run on disk, watched while it grows. Any folder: what is wrong with it is told by problem().
  void open_run(const std::filesystem::path& folder);
  // Leaves the run for the draft of its task; like_run: with the run's settings.
  void open_draft(bool like_run = false);

  const std::string& task() const;
  Activity state() const;
  bool drafting() const { return state() == Activity::draft; }
  // The draft of a new run of task(), which must not be empty.
  Draft& draft();
  const Draft& draft() const;

  // Called in each frame in which training is shown: estimates and live posteriors are made only for who looks.
  void shown();

  // Expected needs of the draft. Null while they are being estimated.
  using Estimate = DraftEstimate;
  std::shared_ptr<const Estimate> estimate() const;

  // Starts the draft, or goes on with the run at rest, up to and including a stage.
  void start(int until = kStages - 1);
  void pause();
  void resume();
  void stop();
  void dismiss();
  // Stops the session's run, whichever run is shown. Why it cannot be stopped, in one sentence; empty when it can.
  void stop_session();
  std::string session_blocked(Action action) const;
  // Why an action is not possible now, in one sentence; empty when it is. `until` as in start().
  std::string blocked(Action action, int until = kStages - 1) const;

  // A run that is to be trained later, in the queue.
  struct Planned {
    std::filesystem::path folder;
    std::shared_ptr<const RunConfig> config;
    std::shared_ptr<const Estimate> needs;  // null: not known yet
  };
  // The draft as such a run, under a name that is free now; the draft has another name from now on. Ask queue_blocked()
  // before.
  Planned plan();
  // Why the draft, or the run that is shown, cannot be put into the queue: as blocked(start), whatever is trained
  // meanwhile.
  std::string queue_blocked() const;

  // The run that is shown; empty for a draft.
  std::filesystem::path folder() const;
  std::string name() const;
  std::string strategy() const;  // of the draft or the run
  // What went wrong, a sentence; empty when nothing did.
  std::string problem() const;
  // Settings of the run, as rows of the draft; null until read.
  std::shared_ptr<const std::vector<Setting>> run_settings() const;
  // Whether the run is the mean of others, which was not trained itself.
  bool of_ensemble() const;
  // What the run has told, a line an event, the last 200.
  std::vector<std::string> log() const;
  bool finished() const;

  const StageCard& card(int stage) const;
  // Losses of a stage against its steps. Null when there are none.
  std::shared_ptr<const Figure> losses(int stage) const;
  // The posterior of one fixed set as the head learns. Null while there is none; live_text() says why.
  std::shared_ptr<const Figure> live() const;
  std::string live_text() const;

  // The same on the command line.
  std::string batch_command() const;

  // Waits until estimates and histories are up to date. For tests and screenshots.
  void settle(double seconds);

 private:
  // What the draft or run itself has against being trained.
  std::string start_blocked(int until) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pairs::model
