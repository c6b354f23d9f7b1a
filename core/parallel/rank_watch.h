#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel/rendezvous.h"

namespace pairs {

// Why ranks cannot continue together.
struct RankLoss {
  bool stopped = false;  // a rank was asked to stop and left; otherwise it failed, died, hangs or is cut off
  std::string text;      // a sentence that names it
};

// The heartbeat of a run's ranks: every `beat`, each rank signals to the rendezvous that it is alive and checks the
// signals of the others, on a thread of its own, so that a step may take any time. A rank that is silent for
// `patience`, by the reader's own monotonic clock, is lost; so is the first rank if the rendezvous, which it serves,
// does not respond.
class RankWatch {
 public:
  struct Times {
    std::chrono::milliseconds beat{1000}, patience{15000};
  };
  // `names`: the readable name of each rank, "rank 1 (node7, process 123)".
  RankWatch(const Rendezvous& meeting, int rank, std::vector<std::string> names, const Times& times);
  // Ends the thread; leaves it behind if the rendezvous does not respond.
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  // The loss of another rank; nothing while all are alive. The first loss that was seen is kept.
  std::optional<RankLoss> loss() const;
  // Waits until the reason for a loss is known, after its effect, such as a closed connection, was seen. `meanwhile` is
  // called every beat, and an exception ends the wait.
  RankLoss wait_for_loss(const std::function<void()>& meanwhile) const;
  // Notifies the others that this rank leaves early, and why. The first rank, which serves the rendezvous, waits up to
  // three beats until they have read it.
  void leave(const RankLoss& why);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

// The first signal of the watch, which every rank sends before it starts to watch the others.
void first_beat(const Rendezvous& meeting, int rank);

}  // namespace pairs
