#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "app/model/hub/scores.h"
#include "app/runs/loss_figure.h"
#include "app/scores/score.h"
#include "core/report/figure.h"

namespace pairs::model {

// A run in the comparison.
struct ComparedRun {
  // failed: cannot be read. other: belongs to another task or data set than the first run, so the figures omit it.
  // untrained: has only losses and settings. queued, evaluating: progress of evaluate_all.
  enum class State { loading, failed, other, untrained, unscored, queued, evaluating, scored };
  std::string run, name;
  std::string strategy;  // "pairs"
  std::string title;     // "PAIRS"
  SeriesRole role = SeriesRole::other;
  State state = State::loading;
  std::string sentence;  // the problem and how to solve it; empty without one
  bool warns = false;    // whether the sentence is a warning
  double share = 0;      // progress of its running evaluation, 0 to 1
};

// The run's score (NLL, or the error of images) minus the baseline's on the same test sets; NaN if they share none.
struct Difference {
  double mean = NAN, se = NAN;
};
struct DifferenceRow {
  std::int64_t n = 0;
  double score = NAN, score_se = NAN;  // the baseline's, over the shared sets
  std::int64_t sets = 0;               // number of test sets that all runs share; the row uses only these
  std::vector<Difference> runs;        // in the order of Comparison::View::names; NaN for the baseline
};

// One setting, a value for each name.
struct SettingLine {
  std::string key;
  std::vector<std::string> values;
  bool differs = false;
};

// Two or more runs of one task side by side.
class Comparison {
 public:
  explicit Comparison(Hub& hub);
  ~Comparison();
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  // Takes over finished background work. Returns whether something shown has changed.
  bool poll();
  bool busy() const;
  std::string activity() const;  // for the status bar; empty at rest
  // Waits up to `seconds` for background work; returns whether it has ended. For tests and screenshots.
  bool wait(double seconds);

  // Adds or removes a run (a folder, or a task's name for its shipped weights).
  void toggle(const std::string& run);
  bool holds(const std::string& run) const;
  void clear();
  const std::vector<ComparedRun>& entries() const;

  // Figures and tables of the runs that can be compared. Immutable.
  struct View {
    std::string task;
    std::vector<std::string> names;               // the runs in the tables
    std::vector<SeriesRole> roles;                // of their lines
    std::vector<ShownFigure> figures;             // of scores
    std::vector<ShownFigure> losses;              // and of losses
    std::vector<std::vector<std::string>> lines;  // for each run, the prefix of the names of its lines
    std::vector<std::string> runs;                // as passed to toggle()
    std::vector<SettingLine> settings;            // settings that differ come first
    std::vector<SettingLine> costs;               // training cost
    const Score* score = &score_of({});           // the score that is compared
    std::vector<DifferenceRow> differences;
    std::size_t baseline = 0;      // index in names
    std::string differences_note;  // why cells are empty, or ""
  };
  // Null until a run is loaded.
  std::shared_ptr<const View> view() const;

  // Sets the run that is subtracted; by default, the first one with scores.
  void set_baseline(const std::string& name);

  // Sets the horizontal axis of the losses, and whether the learning rate is drawn below them.
  void set_losses(const LossLook& look, bool rate);
  const LossLook& losses() const;
  bool rate_shown() const;

  // evaluate_all evaluates every run without scores, one after the other, with its own evaluation settings.
  std::string evaluate_blocked() const;
  std::int64_t lacking() const;  // number of runs without scores
  void evaluate_all();
  void stop();
  bool evaluating() const;
  bool stopping() const;

  // Whether a task has shipped weights to add.
  bool has_shipped(const std::string& task) const;

  // The command that makes this comparison, baseline first; empty with fewer than two runs.
  std::string batch_command() const;
  // Why that command does not reproduce the scores shown; empty if it does.
  std::string command_note() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::model
