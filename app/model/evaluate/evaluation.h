#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/model/hub/hub.h"
#include "app/model/hub/scores.h"

namespace pairs::model {

// The settings of an evaluation, as typed.
enum class EvaluationField { sizes, sets, samples, seed };
inline constexpr int evaluation_fields = 4;

class EvaluationParts;

// The settings of an evaluation, as the user types them.
class EvaluationForm {
 public:
  explicit EvaluationForm(EvaluationParts& parts) : parts_(parts) {}

  // The user's value since the program started, else that of the evaluation whose scores are shown, else the run's own.
  const std::string& text(EvaluationField field) const;
  void set(EvaluationField field, const std::string& text);
  // Restores the run's own evaluation settings.
  void reset();
  bool changed() const;  // whether they differ from the run's own
  // The problem with the typed value; empty if it is valid.
  const std::string& problem(EvaluationField field) const;
  // The expected duration of an evaluation with these settings; NaN if unknown.
  double expected_seconds() const;

 private:
  EvaluationParts& parts_;
};

// The scores of one run: the stored ones, and those of a new evaluation.
class Evaluation {
  std::unique_ptr<EvaluationParts> parts_;

 public:
  explicit Evaluation(Hub& hub);
  ~Evaluation();
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  EvaluationForm form{*parts_};

  // Takes over finished background work. Returns whether something shown has changed.
  bool poll();
  bool busy() const;
  // The current activity, for the status bar; empty at rest.
  std::string activity() const;
  // Waits up to `seconds` for background work; returns whether it has ended. For tests and screenshots.
  bool wait(double seconds);

  // Shows the scores of a run (a folder, or a task's name for its shipped weights; empty: none). Has no effect if the
  // run is already shown; a running evaluation continues.
  void show(const std::string& run);

  // none: no run is shown. unscored: the run has no scores yet.
  enum class State { none, loading, failed, unscored, scored };
  State state() const;
  const std::string& run() const;
  const std::string& name() const;               // display name
  const std::string& error() const;              // the reason for State::failed
  const std::string& warning() const;            // about the run or its stored scores; or empty
  bool shipped() const;                          // whether scores cannot be stored with the weights
  std::shared_ptr<const Scores> scores() const;  // null unless State::scored

  // Measures the speed of the shown run once, in the background.
  void measure();

  // Why an evaluation cannot start now; empty if it can.
  std::string blocked() const;
  void start();
  // Stops after the current batch of sets; finished sizes stay shown.
  void stop();
  // Progress of the running evaluation, which may belong to another run than the one shown.
  struct Work {
    bool running = false, stopping = false;
    std::string run, name;
    double share = 0, seconds = 0, remaining = NAN;
    std::int64_t n = 0;  // the current set size
    std::int64_t done = 0, sizes = 0;
  };
  const Work& work() const;
  // Why the last evaluation failed; empty if it did not.
  const std::string& failure() const;
  void dismiss();
  // The verdict of a complete evaluation of the run since the program started; null if there is none.
  const EvaluationVerdict* fresh_verdict(const std::string& run) const;
  // Rereads the run, e.g. after a change of the data folder.
  void reload();
  // Drops the scores of a stopped evaluation and shows the stored ones, if any.
  void discard();

  // Writes the shown scores as JSON in the background; a message reports the outcome.
  void save_as(const std::string& file);

  // The command that runs this evaluation.
  std::string batch_command() const;
};

}  // namespace pairs::model
