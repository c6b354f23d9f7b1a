#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/train/config.h"
#include "core/train/events.h"

namespace pairs {

struct LossPoint {
  std::int64_t epoch = 0, step = 0;
  double seconds = 0, train = NAN, validation = NAN;  // seconds: of work on the stage, in the session that tells it
  double before = 0;                                  // and in earlier sessions
  double within = 1;                                  // the share of its epoch that is done
  double rate = NAN;                                  // the learning rate at its step; NaN where the log does not tell
  std::vector<double> parts = {};  // mean training losses of equal parts of the epoch; empty where the log has none
  // Of stage 1 of a task whose sufficient statistics are known: 1 − R² of each (core/eval/sufficiency.h); else empty.
  std::vector<double> unexplained = {};
};

// Where a stage stands by what it told.
struct StageRecord {
  bool begun = false, running = false, done = false;
  std::int64_t head = 0;               // one head for each N: which one was trained last
  std::int64_t epochs = 0, steps = 0;  // of a head; steps an epoch
  std::int64_t epochs_done = 0;        // of a head
  double before = 0, seconds = 0;      // spent in earlier sessions, and in this one up to its last event
  double rate = NAN;                   // steps per second between the last two losses of this session
  LossPoint last;
  // Told at its end. sets: visited in training, of all heads.
  double sets = 0, refreshes = 0;
  double embedded = 0;  // members of pools that stage 2 embedded in place of its sets' observations; 0: there are none
};

// Where a run stands by its event log, taken in event by event: after the same events it holds what read_events would
// leave. The stages' cards, the list of runs, the costs and the plots of losses all read it.
class RunProgress {
 public:
  void add(const Event& event);

  const StageRecord& stage(Stage stage) const { return slot(stage).record; }
  // Losses in the order of steps, by head (0: one head for all N).
  const std::map<std::int64_t, std::vector<LossPoint>>& losses(Stage stage) const { return slot(stage).losses; }
  bool has_losses() const;
  // Where lessons of stage 1 begin, and what follows them, by step: the settings.
  const std::map<std::int64_t, std::string>& lessons() const { return lessons_; }
  bool begun() const { return begun_; }                             // a stage told something
  Stage current() const { return current_; }                        // the stage that told something last
  const std::string& error() const { return error_; }               // of the last session; empty when it did not fail
  bool stopped() const { return stopped_; }                         // the last session was stopped
  const std::vector<std::string>& lines() const { return lines_; }  // the last 200 events but losses, for people
  // Whether the last stage that told what its answers gain over the prior told that they gain nothing.
  bool learnt_nothing() const { return learnt_nothing_; }
  // Where stages 2 and 3 learnt from stored sets: how many different ones serve sets of up to n observations, by
  // the sizes n of the cache; empty where each set was simulated.
  const std::map<std::int64_t, std::int64_t>& held() const { return held_; }
  // GFLOP of the runs that pretrain.from goes back to, without and with stage 2; 0 where there are none, NaN where they
  // left no record.
  double before() const { return before_; }
  double before_with_cache() const { return before_with_cache_; }
  // Whether a line of the log was changed, cut or lost, so that nothing it tells is certain.
  bool damaged() const { return damaged_; }
  // How much of the current stage is done, 0 to 1; how many epochs it has is the configuration's where the log does not
  // tell.
  double share(const RunConfig& config) const;

 private:
  struct Slot {
    StageRecord record;
    std::map<std::int64_t, std::vector<LossPoint>> losses;
  };
  const Slot& slot(Stage stage) const { return slots_[static_cast<std::size_t>(stage)]; }
  Slot slots_[4];
  std::map<std::int64_t, std::string> lessons_;
  std::map<std::int64_t, std::int64_t> held_;
  bool begun_ = false, stopped_ = false, learnt_nothing_ = false, damaged_ = false;
  Stage current_ = Stage::pretrain;
  double before_ = 0, before_with_cache_ = 0;
  std::string error_;
  std::vector<std::string> lines_;
};

// The progress that a whole log tells, within the limits of follow_events; that of a run that has not begun where there
// is no log. Throws Error when it cannot be read.
RunProgress read_progress(const std::filesystem::path& log);
// The same of the log's last 256 KiB alone, which tell where a run stands; nothing of what cannot be read.
RunProgress read_recent_progress(const std::filesystem::path& log);

// What is wrong with the record of a run whose weights are there, `finished` or of stage 1 alone: that its log was
// changed, or does not hold the end of a stage that those weights come from. A clause, "its events.jsonl …"; "" where
// nothing is.
std::string record_problem(const RunConfig& config, const RunProgress& progress, bool finished);

// Whether stage 3 trains one head after another, each for its own N.
bool many_heads(const RunConfig& config, Stage stage);
// The place of the head for N = `head` among them.
std::size_t head_place(const RunConfig& config, std::int64_t head);
// How much of a stage is done once `part` of the work on a head is: heads that come one after the other share the
// stage.
double stage_share(const RunConfig& config, Stage stage, std::int64_t head, double part);

}  // namespace pairs
