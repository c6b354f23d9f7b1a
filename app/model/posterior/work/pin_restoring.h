#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/model/posterior/shown/pinned_posterior.h"
#include "app/posterior/question/question.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// Recomputes the pinned posteriors of a session in the background, with its own weights. All members belong to the
// window's thread.
class PinRestoring {
 public:
  struct Restored {
    std::vector<PinnedPosterior> pinned;  // without ids
    std::vector<std::string> problems;    // why others could not be restored: sentences
  };

  explicit PinRestoring(Hub& hub) : hub_(hub), latest_(hub.wake) {}

  void restore(std::vector<PinnedQuestion> pins);
  // What was asked for last.
  const std::vector<PinnedQuestion>& asked() const { return asked_; }
  // What came since it was asked last; null: nothing.
  std::shared_ptr<const Restored> take();
  bool busy() const { return latest_.busy(); }
  bool wait(double seconds) { return latest_.wait(seconds); }

 private:
  Hub& hub_;
  std::vector<PinnedQuestion> asked_;
  Latest<Restored> latest_;  // last: ends first
};

}  // namespace pairs::model
