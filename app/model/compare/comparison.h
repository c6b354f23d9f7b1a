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

// A run that is compared.
struct ComparedRun {
  // failed: it cannot be read; other: of another task or data than the first, so left out of the figures; untrained:
  // only losses and settings; queued and evaluating: by evaluate_all.
  enum class State { loading, failed, other, untrained, unscored, queued, evaluating, scored };
  std::string run, name;
  std::string strategy;  // "pairs"
  std::string title;     // "PAIRS"
  SeriesRole role = SeriesRole::other;
  State state = State::loading;
  std::string sentence;  // what is wrong or missing and what to do; empty when all is well
  bool warns = false;    // the sentence is about something that went wrong
  double share = 0;      // of the evaluation that runs
};

// Of a run's score (NLL, or the error of images) minus the baseline's on the same test sets; NaN where they share none.
struct Difference {
  double mean = NAN, se = NAN;
};
struct DifferenceRow {
  std::int64_t n = 0;
  double score = NAN, score_se = NAN;  // the baseline's, over these sets
  std::int64_t sets = 0;               // that all share; every number of the row is of them
  std::vector<Difference> runs;        // in the order of Comparison::View::names; the baseline's own is NaN
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

  // Takes over what background work has finished. True when something shown has changed.
  bool poll();
  bool busy() const;
  std::string activity() const;  // for the status bar; empty when nothing is done
  // Waits until nothing runs or `seconds` have passed; true when nothing does. For tests and screenshots.
  bool wait(double seconds);

  // Adds a run (a folder, or a task's name for its shipped weights), or takes it out.
  void toggle(const std::string& run);
  bool holds(const std::string& run) const;
  void clear();
  const std::vector<ComparedRun>& entries() const;

  // Figures and tables of the runs that can be compared. Immutable.
  struct View {
    std::string task;
    std::vector<std::string> names;               // of the runs that the tables hold
    std::vector<SeriesRole> roles;                // of their lines
    std::vector<ShownFigure> figures;             // of scores
    std::vector<ShownFigure> losses;              // and of losses
    std::vector<std::vector<std::string>> lines;  // of each name: what the names of its run's lines begin with
    std::vector<std::string> runs;                // as they were given to toggle()
    std::vector<SettingLine> settings;            // those that differ first
    std::vector<SettingLine> costs;               // training cost, by rule
    const Score* score = &score_of({});           // what the differences are of
    std::vector<DifferenceRow> differences;
    std::size_t baseline = 0;      // index in names
    std::string differences_note;  // why cells are empty; empty when none is
  };
  // Null until something is loaded.
  std::shared_ptr<const View> view() const;

  // The run that differences are taken from; the first one that has scores unless chosen.
  void set_baseline(const std::string& name);

  // What the losses are drawn against, and whether the learning rate is drawn below them.
  void set_losses(const LossLook& look, bool rate);
  const LossLook& losses() const;
  bool rate_shown() const;

  // Evaluates every run that has no scores, one after the other, by its own evaluation settings.
  std::string evaluate_blocked() const;
  std::int64_t lacking() const;  // how many there are
  void evaluate_all();
  void stop();
  bool evaluating() const;
  bool stopping() const;

  // Whether a task has shipped weights to add.
  bool has_shipped(const std::string& task) const;

  // The same comparison without the window, its baseline first; empty with fewer than two runs.
  std::string batch_command() const;
  // Why that command does not give the scores shown; empty when it does.
  std::string command_note() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::model
