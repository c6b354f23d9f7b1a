#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/model/train/draft.h"
#include "app/model/train/stage_card.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// The expected needs of a draft.
struct DraftEstimate {
  double seconds[kStages] = {NAN, NAN, NAN, NAN};
  double cache_bytes = 0, free_bytes = 0, gflop = 0;
  std::string busy;     // why the times may be far too long; empty if the machine is idle
  std::string error;    // why nothing is known: the settings cannot be trained
  std::string no_room;  // why the disk is too small; else empty
  double total() const { return seconds[0] + seconds[1] + seconds[2] + seconds[3]; }
};

// Estimates a draft's needs in the background once it is at rest and shown.
class DraftNeeds {
 public:
  // `wake` is called from the worker's thread.
  explicit DraftNeeds(std::function<void()> wake);

  // Follows the shown draft: starts an estimate once the draft has rested and `looked` is true, or immediately with
  // `at_once`. `room`: the folder whose disk counts. Returns whether the last estimate has become invalid.
  bool follow(const Draft& draft, const std::filesystem::path& room, double now, bool looked, bool at_once, bool busy);
  // Call when another draft is shown, which is then compared anew.
  void reset() { version_ = 0; }
  // Call when training starts: stops an unfinished estimate.
  void hold();
  // Takes over a finished estimate; returns whether there was one.
  bool take();

  std::shared_ptr<const DraftEstimate> estimate() const { return estimate_; }
  // Whether an estimate is running.
  bool busy() const { return answer_.busy(); }
  // Whether a requested estimate was not taken yet, or will be requested because the draft was `looked` at.
  bool due(bool looked) const;
  void wait(double seconds) { answer_.wait(seconds); }

 private:
  void forget();

  std::uint64_t version_ = 0;
  double changed_ = 0;
  std::string needs_;
  bool asked_ = false;
  std::shared_ptr<const DraftEstimate> estimate_;
  Latest<DraftEstimate> answer_;
};

}  // namespace pairs::model
