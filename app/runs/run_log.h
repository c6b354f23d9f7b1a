#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/heads/head_config.h"
#include "core/report/figure.h"
#include "core/train/events.h"

namespace pairs {

struct LossPoint {
  std::int64_t epoch = 0, step = 0;
  double seconds = 0, train = NAN, validation = NAN;
};

// Where a stage stands by what it told.
struct StageRecord {
  bool begun = false, running = false, done = false;
  std::int64_t head = 0;               // one head for each N: which one was trained last
  std::int64_t epochs = 0, steps = 0;  // of a head; steps an epoch
  double before = 0, seconds = 0;      // spent in earlier sessions, and in this one up to its last event
  double rate = NAN;                   // steps per second between the last two losses of this session
  LossPoint last;
};

// What a run's event log tells, taken in event by event: after the same events it holds what read_events would leave.
class RunLog {
 public:
  void add(const Event& event);

  const StageRecord& stage(Stage stage) const { return stages_[static_cast<std::size_t>(stage)].record; }
  // Losses in the order of steps, by head (0: one head for all N).
  const std::map<std::int64_t, std::vector<LossPoint>>& losses(Stage stage) const {
    return stages_[static_cast<std::size_t>(stage)].losses;
  }
  // Where lessons of stage 1 begin, and what follows them, by step: the settings.
  const std::map<std::int64_t, std::string>& lessons() const { return lessons_; }
  Stage current() const { return current_; }                        // the stage that began last
  const std::string& error() const { return error_; }               // of the last session; empty when it did not fail
  bool stopped() const { return stopped_; }                         // the last session was stopped
  const std::vector<std::string>& lines() const { return lines_; }  // the last 200 events but losses, for people

 private:
  struct Slot {
    StageRecord record;
    std::map<std::int64_t, std::vector<LossPoint>> losses;
  };
  Slot stages_[4];
  std::map<std::int64_t, std::string> lessons_;
  Stage current_ = Stage::pretrain;
  std::string error_;
  bool stopped_ = false;
  std::vector<std::string> lines_;
};

// Adds the lines of training (dotted) and validation losses; `name` goes before the names of the lines. Without a name
// rules stand where other lessons than the first begin.
void add_losses(Plot& plot, const RunLog& log, Stage stage, SeriesRole role, const std::string& name);
// The axes of a plot of losses, to be called when all lines are there; `label` as of loss_label.
void fit_losses(Plot& plot, const std::string& label);
// What the losses of a run with this head are: "loss / nat" of densities, else a mean squared error.
std::string loss_label(const HeadConfig& head);

}  // namespace pairs
