#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/question/question.h"
#include "core/report/figure.h"

namespace pairs::model {

struct PosteriorState;

// Pinned posteriors: ghosts behind later posteriors of their task, and rows of the table, until they are removed; at
// most kMostPins (pinned_posterior.h) per task. Copied commands omit pins.
class PosteriorPins {
 public:
  explicit PosteriorPins(PosteriorState& state) : state_(state) {}

  struct Pin {
    std::uint64_t id = 0;
    std::string name;  // "N = 10, set 3"
    SeriesRole role = SeriesRole::ghost;
  };
  // Pins the shown run's posterior.
  void add();
  void remove(std::uint64_t id);
  void rename(std::uint64_t id, const std::string& name);
  // Pins of the shown task in the order of pinning.
  std::vector<Pin> shown() const;
  // What pins of all tasks ask.
  std::vector<PinnedQuestion> questions() const;

 private:
  PosteriorState& state_;
};

}  // namespace pairs::model
