#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/train/events/events.h"
#include "core/train/settings/config.h"

namespace pairs {

struct LossPoint {
  std::int64_t epoch = 0, step = 0;
  double seconds = 0, train = NAN, validation = NAN;  // seconds: work on the stage in the current session
  double before = 0;                                  // seconds in earlier sessions
  double within = 1;                                  // the finished share of its epoch
  double rate = NAN;                                  // the learning rate at its step; NaN if the log lacks it
  std::vector<double> parts = {};  // mean training losses of equal parts of the epoch; empty if the log lacks them
  // In stage 1 of a task with known sufficient statistics: 1 − R² of each (core/eval/references/sufficiency.h); else
  // empty.
  std::vector<double> unexplained = {};
};

// The state of a stage according to the log.
struct StageRecord {
  bool begun = false, running = false, done = false;
  std::int64_t head = 0;               // with one head per N: the last one in training
  std::int64_t epochs = 0, steps = 0;  // per head; steps per epoch
  std::int64_t epochs_done = 0;        // by the current head
  double before = 0, seconds = 0;      // time in earlier sessions, and in this one up to its last event
  double rate = NAN;                   // steps per second between the last two losses of this session
  LossPoint last;
  // Known at its end. sets: visited in training, over all heads.
  double sets = 0, refreshes = 0;
  double embedded = 0;  // members of pools that stage 2 embedded instead of its sets' observations; 0: there are none
};

// The state of a run, built up from its event log: after the same events it holds what read_events would keep. The
// stages' cards, the list of runs, the costs and the loss plots all read it.
class RunProgress {
 public:
  void add(const Event& event);

  const StageRecord& stage(Stage stage) const { return slot(stage).record; }
  // Losses in the order of steps, by head (0: one head for all N).
  const std::map<std::int64_t, std::vector<LossPoint>>& losses(Stage stage) const { return slot(stage).losses; }
  bool has_losses() const;
  // The settings of stage 1 by the step from which they apply: those of its lessons, then the run's own.
  const std::map<std::int64_t, std::string>& lessons() const { return lessons_; }
  bool begun() const { return begun_; }                             // a stage has logged something
  Stage current() const { return current_; }                        // the stage that logged last
  const std::string& error() const { return error_; }               // of the last session; empty if it did not fail
  bool stopped() const { return stopped_; }                         // the last session was stopped
  const std::vector<std::string>& lines() const { return lines_; }  // the last 200 events except losses, as text
  // Whether the posterior is no better than the prior according to the last stage that reported its gain.
  bool learned_nothing() const { return learned_nothing_; }
  // If stages 2 and 3 were trained on stored sets: how many different sets are available for sizes up to n, by the
  // sizes n of the cache; empty if sets were simulated.
  const std::map<std::int64_t, std::int64_t>& held() const { return held_; }
  // GFLOP of the runs that pretrain.from goes back to, without and with stage 2; 0 if there are none, NaN if they left
  // no record.
  double before() const { return before_; }
  double before_with_cache() const { return before_with_cache_; }
  // Whether a line of the log was changed, cut or lost, so that the log cannot be trusted.
  bool damaged() const { return damaged_; }
  // The finished share of the current stage, 0 to 1; its number of epochs comes from the configuration if the log lacks
  // it.
  double share(const RunConfig& config) const;

 private:
  struct Slot {
    StageRecord record;
    std::map<std::int64_t, std::vector<LossPoint>> losses;
  };
  const Slot& slot(Stage stage) const { return slots_[static_cast<std::size_t>(stage)]; }
  Slot slots_[5];  // by stage
  std::map<std::int64_t, std::string> lessons_;
  std::map<std::int64_t, std::int64_t> held_;
  bool begun_ = false, stopped_ = false, learned_nothing_ = false, damaged_ = false;
  Stage current_ = Stage::pretrain;
  double before_ = 0, before_with_cache_ = 0;
  std::string error_;
  std::vector<std::string> lines_;
};

// The progress according to a whole log, within the limits of follow_events; without a log, that of a run that has not
// begun. Throws Error if it cannot be read.
RunProgress read_progress(const std::filesystem::path& log);
// Reads only the log's last 256 KiB, which show the run's current state; empty if the log cannot be read.
RunProgress read_recent_progress(const std::filesystem::path& log);

// What is wrong with the record of a run whose weights exist, `finished` or after stage 1 only: its log was changed, or
// lacks the end of a stage that those weights come from. A clause, "its events.jsonl …"; "" if nothing is wrong.
std::string record_problem(const RunConfig& config, const RunProgress& progress, bool finished);

// Whether stage 3 trains one head after another, each for its own N.
bool many_heads(const RunConfig& config, Stage stage);
// The position of the head for N = `head` among them.
std::size_t head_place(const RunConfig& config, std::int64_t head);
// The finished share of a stage if `part` of the work on a head is done: heads that are trained one after another
// divide the stage equally.
double stage_share(const RunConfig& config, Stage stage, std::int64_t head, double part);

}  // namespace pairs
