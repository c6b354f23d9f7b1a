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

struct TrainingState;

// The run that this window trains or trained last, whichever run is shown.
class TrainingSession {
 public:
  explicit TrainingSession(TrainingState& impl) : impl_(impl) {}

  // Whether this window trains a run, or is pausing or stopping it.
  bool active() const;
  // The progress of a run that is being trained here or, if it is shown, by another process; none for other runs. All
  // displays of progress use it.
  struct Going {
    std::string word;    // "training", "pausing", "paused", "stopping"
    int stage = 0;       // 0 to 2
    double share = NAN;  // of the stage, 0 to 1; NaN until it is known
  };
  std::optional<Going> going(const std::filesystem::path& folder) const;
  // The run that the session trains or trained last; empty if none.
  std::filesystem::path folder() const;
  // The time of each stage of that run in seconds: as expected at the start or, from the current stage on, at its
  // current speed. Empty unless all are known.
  std::vector<double> seconds() const;
  // The folder of this window's run if its training has ended (finished, stopped or failed) since the last call.
  std::optional<std::filesystem::path> take_ended();
  // Stops it. blocked: why it cannot be stopped, in one sentence, or "".
  void stop();
  std::string blocked(Action action) const;

 private:
  TrainingState& impl_;
};

// Drafts of new runs, one for each task.
class TrainingDrafts {
 public:
  explicit TrainingDrafts(TrainingState& impl) : impl_(impl) {}

  // Drops the draft for a new run of the task, which has changed.
  void renew(const std::string& task);
  // Shows the draft of the run's task; like_run: with the run's settings.
  void open(bool like_run = false);
  // The draft of a new run of Training::task(), which must not be empty.
  Draft& shown();
  const Draft& shown() const;
  // The expected needs of the draft; null while they are being estimated.
  std::shared_ptr<const DraftEstimate> estimate() const;

  // A run to be trained later, from the queue.
  struct Planned {
    std::filesystem::path folder;
    std::shared_ptr<const RunConfig> config;
    std::shared_ptr<const DraftEstimate> needs;  // null: unknown yet
  };
  // Makes such a run from the draft, with a free name; the draft gets another name. Check queue_blocked() first.
  Planned plan();
  // Why the draft or the shown run cannot be queued: as blocked(start), regardless of current training.
  std::string queue_blocked() const;

 private:
  TrainingState& impl_;
};

// A draft of a new run, or a run with its stages: trained here, watched while another process trains it, or at rest.
// One run is trained at a time; training continues while others are shown.
class Training {
  std::unique_ptr<TrainingState> impl_;

 public:
  explicit Training(Hub& hub);
  // Stops a running stage and waits until it is saved.
  ~Training();

  TrainingSession session{*impl_};
  TrainingDrafts drafts{*impl_};

  // Takes over finished background work. Returns whether something shown has changed: at most four times a second for
  // growing values.
  bool poll();
  // Whether this window trains or estimates, or is about to.
  bool busy() const;
  // The current activity in a few words, or "".
  std::string activity() const;
  // Shows the task: its run in training, else the draft of a new one.
  void open_task(const std::string& task);
  // Shows a run on disk and follows its files. Accepts any folder: problem() reports what is wrong with it.
  void open_run(const std::filesystem::path& folder);
  const std::string& task() const;
  Activity state() const;
  bool drafting() const { return state() == Activity::draft; }
  // Call in each frame that shows training: estimates and live posteriors are only made while shown.
  void shown();

  // Starts the draft, or resumes the run, up to and including a stage.
  void start(int until = kWhole);
  void pause();
  void resume();
  void stop();
  void dismiss();
  // Why an action is not possible now, in one sentence; empty if it is. `until` as in start().
  std::string blocked(Action action, int until = kWhole) const;

  // The shown run; empty for a draft.
  std::filesystem::path folder() const;
  std::string name() const;
  std::string strategy() const;  // of the draft or the run
  // What went wrong, as a sentence; empty if nothing did.
  std::string problem() const;
  // Settings of the run, as rows of the draft; null until read.
  std::shared_ptr<const std::vector<Setting>> run_settings() const;
  // Whether the run is an average of others, which was not trained itself.
  bool of_ensemble() const;
  // The run's last 200 events, one per line.
  std::vector<std::string> log() const;
  bool finished() const;

  const StageCard& card(int stage) const;
  // Losses of a stage against its steps; null if there are none.
  std::shared_ptr<const Figure> losses(int stage) const;
  // The posterior of one fixed set during training. Null if there is none; live_text() gives the reason.
  std::shared_ptr<const Figure> live() const;
  std::string live_text() const;

  // The command that trains this run.
  std::string batch_command() const;

  // Waits until estimates and histories are up to date. For tests and screenshots.
  void settle(double seconds);
};

}  // namespace pairs::model
