#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/model/train/study_form.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// The expected duration of a study.
struct StudyEstimate {
  double seconds = 0;
  std::string busy = {};     // why it may take far longer; "" if the machine is idle
  std::string problem = {};  // why it is unknown, a sentence
};

// Estimates the needs of a study's form in the background once it is at rest: a second or two for each kind of run.
class StudyNeeds {
 public:
  // `wake` is called from the background thread.
  explicit StudyNeeds(std::function<void()> wake) : answer_(std::move(wake)) {}

  // Follows the shown form; call once per frame if the form is valid.
  void follow(const StudyForm& form);
  // Call when no form is shown any more.
  void forget();
  // The expected time as a sentence, or that it is being measured.
  std::string text() const;
  // The expected time in seconds, once known.
  std::optional<double> seconds() const;
  // Whether an estimate is pending.
  bool busy() const { return answer_.waits(); }

 private:
  std::string wanted_;
  bool asked_ = false;
  std::int64_t processes_ = 1;
  Stopwatch rested_;
  Latest<StudyEstimate> answer_;
};

}  // namespace pairs::model
