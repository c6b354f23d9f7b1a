#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel/rendezvous.h"

namespace pairs {

// Why ranks cannot go on together.
struct RankLoss {
  bool stopped = false;  // a rank was asked to stop and left; else it failed, died, stands still or is cut off
  std::string text;      // a sentence that names it
};

// The heartbeat of a run's ranks: each tells the rendezvous every `beat` that it lives, and looks at what the others
// told, on a thread of its own, so that a step may take any time. A rank that is silent for `patience`, by the
// reader's own monotonic clock, is lost; so is the first one where the rendezvous, which it keeps, does not answer.
class RankWatch {
 public:
  struct Times {
    std::chrono::milliseconds beat{1000}, patience{15000};
  };
  // `names`: how people call each rank, "rank 1 (node7, process 123)".
  RankWatch(const Rendezvous& meeting, int rank, std::vector<std::string> names, const Times& times);
  // Ends the thread; one that the rendezvous does not answer is left behind.
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  // What happened to another rank; nothing while all live. The first that was seen stays.
  std::optional<RankLoss> loss() const;
  // Waits until a loss is known: for one that has been seen by its effects, a closed connection. `meanwhile` is called
  // every beat, and what it throws ends the wait.
  RankLoss wait_for_loss(const std::function<void()>& meanwhile) const;
  // Tells the others that this rank leaves before the end, and why. The first rank, which keeps the rendezvous, waits
  // up to three beats until they have read it.
  void leave(const RankLoss& why);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

// The watch's first sign of life, which every rank gives before it starts to watch the others.
void first_beat(const Rendezvous& meeting, int rank);

}  // namespace pairs
