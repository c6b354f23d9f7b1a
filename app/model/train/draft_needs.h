#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/model/train/draft.h"
#include "app/model/train/stage_card.h"
#include "core/base/latest.h"

namespace pairs::model {

// What a draft is expected to need.
struct DraftEstimate {
  double seconds[kStages] = {NAN, NAN, NAN};
  double cache_bytes = 0, free_bytes = 0, gflop = 0;
  std::string busy;     // why the times may be far too long; empty when the machine is ours
  std::string error;    // why nothing is known: the settings cannot be trained
  std::string no_room;  // why the disk is too small; empty when it is not
  double total() const { return seconds[0] + seconds[1] + seconds[2]; }
};

// Estimates a draft's needs in the background once it rests and somebody looks.
class DraftNeeds {
 public:
  // `wake` is called from the worker's thread.
  explicit DraftNeeds(std::function<void()> wake);

  // Of the draft that is shown now; asks when it has rested and `looked` is true, at once when `at_once` is. `room`:
  // the folder whose disk counts. True when what was known has become void.
  bool follow(const Draft& draft, const std::filesystem::path& room, double now, bool looked, bool at_once, bool busy);
  // Another draft is shown: whether it differs is looked at anew.
  void reset() { version_ = 0; }
  // A session starts: stops estimating, for what was not yet known.
  void hold();
  // Takes over what is known. True when it is new.
  bool take();

  std::shared_ptr<const DraftEstimate> estimate() const { return estimate_; }
  // An estimate is under way.
  bool busy() const { return answer_.busy(); }
  // One that was asked for is not yet taken, or, where somebody has just `looked`, will be asked for.
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
