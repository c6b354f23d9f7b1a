#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace pairs {

// The assignment of a study's runs to workers among processes and machines that share only a folder. A claim is a file,
// NAME.G, that only one worker writes: it is created exclusively, renamed into place at every heartbeat, and finally
// marked as free. Of several, the one with the highest G counts, and a dead worker's claim is taken over by creating
// the next, so that no two workers can have it. Nothing is locked and no clock of another machine is read: a claim is
// dead if its text has not changed during the grace period by the reader's own monotonic clock, or at once if its
// process was on this machine and is gone.

// The state of the newest claim of a name.
enum class ClaimState { free, held, failed, dead };
struct ClaimView {
  ClaimState state = ClaimState::free;
  std::string worker;  // "host, process 123"
  std::string text;    // why it failed
};

// A claim of this process. Sends heartbeats on its own thread; frees the name when destroyed.
class Claim {
 public:
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  // Whether another worker has taken over the claim because this one stalled for longer than the grace period: then
  // nothing more may be written.
  bool lost() const { return lost_; }
  // Marks the claim as failed, with a reason, when it is destroyed.
  void fail(const std::string& text);

 private:
  friend class Claims;
  Claim(std::filesystem::path folder, std::string name, std::int64_t generation, double seconds);
  void beat();
  void write(const char* state);

  std::filesystem::path folder_;
  std::string name_, failure_;
  std::int64_t generation_, beats_ = 0;
  double seconds_;  // between heartbeats
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

// The claims in a folder, which is created with the first, as seen by one worker: look() and take() refer to the last
// scan(). For one thread.
class Claims {
 public:
  // `grace` in seconds, at least 1; there are six heartbeats in it. `now`: a monotonic clock in seconds.
  Claims(std::filesystem::path folder, double grace, std::function<double()> now = {});
  void scan();
  // Claims a name that is free, dead or, with `failed`, failed; null if another worker has it.
  std::unique_ptr<Claim> take(const std::string& name, bool failed = false);
  // A dead claim is recognized only by a scan after the one that first saw it.
  ClaimView look(const std::string& name) const;

 private:
  struct Seen {
    std::int64_t generation = 0;  // 0: none
    std::string bytes;
    double since = 0;
    bool ended = false;  // it is free or failed, finally
  };
  ClaimView view(const Seen& seen) const;

  std::filesystem::path folder_;
  double grace_;
  std::function<double()> now_;
  std::map<std::string, Seen> seen_;  // by name
};

}  // namespace pairs
