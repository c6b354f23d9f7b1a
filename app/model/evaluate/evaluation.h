#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/model/hub/hub.h"
#include "app/model/hub/scores.h"

namespace pairs::model {

// What an evaluation measures, as typed.
enum class EvaluationField { sizes, sets, samples, seed };
inline constexpr int evaluation_fields = 4;

// The scores of one run: those stored beside its weights, and new ones.
class Evaluation {
 public:
  explicit Evaluation(Hub& hub);
  ~Evaluation();
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  // Takes over what background work has finished. True when something shown has changed.
  bool poll();
  bool busy() const;
  // What it does now, for the status bar; empty when nothing.
  std::string activity() const;
  // Waits until nothing runs or `seconds` have passed; true when nothing does. For tests and screenshots.
  bool wait(double seconds);

  // Shows a run's scores (a folder, or a task's name for its shipped weights; empty: none). Nothing happens when it is
  // shown already; an evaluation that runs goes on.
  void show(const std::string& run);

  // none: no run is shown; unscored: a new evaluation would be the first.
  enum class State { none, loading, failed, unscored, scored };
  State state() const;
  const std::string& run() const;
  const std::string& name() const;               // for people
  const std::string& error() const;              // of State::failed: one sentence
  const std::string& warning() const;            // on the run or its stored scores; empty when none
  bool shipped() const;                          // nothing can be kept beside the weights
  std::shared_ptr<const Scores> scores() const;  // null unless scored

  // As set for this run since the program started; else of the evaluation whose scores are shown; else the run's own.
  const std::string& text(EvaluationField field) const;
  void set(EvaluationField field, const std::string& text);
  // Back to the run's own evaluation settings.
  void reset();
  bool changed() const;  // from them
  // One sentence on what is wrong with the text; empty when it is right.
  const std::string& problem(EvaluationField field) const;
  // Finds out in the background how fast the shown run is, once.
  void measure();
  // How long an evaluation with these settings takes; NaN while not known.
  double expected_seconds() const;

  // Why an evaluation cannot start now; empty when it can.
  std::string blocked() const;
  void start();
  // Ends it between two batches of sets; sizes that are done stay shown.
  void stop();
  // Of the evaluation that runs, which may be another run's than the one shown.
  struct Work {
    bool running = false, stopping = false;
    std::string run, name;
    double share = 0, seconds = 0, remaining = NAN;
    std::int64_t n = 0;  // the size it is at
    std::int64_t done = 0, sizes = 0;
  };
  const Work& work() const;
  // Sentence of an evaluation that failed; empty when none did.
  const std::string& failure() const;
  void dismiss();
  // Of a complete evaluation of the run since the program started; null when there was none.
  const EvaluationVerdict* fresh_verdict(const std::string& run) const;
  // Reads the run again, e.g. when the data folder changed.
  void reload();
  // Drops scores of a stopped evaluation and shows the stored ones, if any.
  void discard();

  // Writes the scores shown as JSON, in the background; how it ended becomes a message.
  void save_as(const std::string& file);

  // The same evaluation without the window.
  std::string batch_command() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pairs::model
