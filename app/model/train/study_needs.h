#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/model/train/study_form.h"
#include "core/base/clock.h"
#include "core/base/latest.h"

namespace pairs::model {

// How long a study is expected to take.
struct StudyEstimate {
  double seconds = 0;
  std::string busy = {};     // why it may take far longer; "" when the machine is ours
  std::string problem = {};  // why nothing is known, a sentence
};

// Estimates what a form of a study takes in the background, once it rests: a second or two for each kind of run.
class StudyNeeds {
 public:
  // `wake` is called from the background.
  explicit StudyNeeds(std::function<void()> wake) : answer_(std::move(wake)) {}

  // Of the form that is shown now, once a frame; it has no problem.
  void follow(const StudyForm& form);
  // Nothing is shown any more.
  void forget();
  // The expected time in a sentence; that it is being measured before it is known.
  std::string text() const;
  // The same in seconds, once it is known.
  std::optional<double> seconds() const;
  // Whether one that was asked for is not there yet.
  bool busy() const { return answer_.waits(); }

 private:
  std::string wanted_;
  bool asked_ = false;
  std::int64_t processes_ = 1;
  Stopwatch rested_;
  Latest<StudyEstimate> answer_;
};

}  // namespace pairs::model
