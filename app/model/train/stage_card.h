#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include "core/train/settings/config.h"
#include "core/train/settings/stages.h"

namespace pairs::model {

struct RunView;

inline constexpr int kStages = 4;  // pretrain, cache, finetune, likelihood
inline constexpr int kLikelihoodStage = 3;
inline constexpr int kWhole = kStages;  // training until all is done that a run's settings want

enum class StageState { waiting, running, paused, done, failed, unneeded };

// The contents of one of the stage cards. NaN and -1: unknown.
struct StageCard {
  std::string title, what;  // "Pretrain"; a sentence on what it does
  StageState state = StageState::waiting;
  double share = NAN;  // done, 0 to 1
  std::int64_t done = -1, total = -1;
  std::string unit;                                   // of done and total: "steps", "sets"
  double rate = NAN, sets_per_second = NAN;           // per second
  double eta = NAN, elapsed = NAN, expected = NAN;    // seconds; expected: before it starts
  double train = NAN, validation = NAN, exact = NAN;  // losses, nat
  std::int64_t head = 0;                              // N of the head in training if there is one head per N, else 0
};

// The activity of the shown run. elsewhere: another process trains it.
enum class Activity { draft, loading, rest, running, pausing, paused, stopping, failed, elsewhere };

// The progress of a session within its current stage.
struct SessionProgress {
  int stage = 0;
  std::int64_t head = 0;  // N of the head in training if there is one head per N
  double share = NAN;     // of the stage
  double elapsed = 0;     // of the stage, in seconds without pauses
  std::shared_ptr<const Progress> progress;
};

// The card of stage k with only its title.
StageCard empty_card(int k);
// Fills the card of stage k for a run on disk. `session`: progress of the run's own session; null if there is none.
void fill_card(StageCard& card, int k, const RunView& run, Activity state, const SessionProgress* session);

}  // namespace pairs::model
