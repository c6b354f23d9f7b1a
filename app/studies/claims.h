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

// Which worker has which run of a study, among processes and machines that share nothing but a folder. A claim is a
// file of its own, NAME.G, that one worker alone writes: it is created exclusively, renamed into place at every
// heartbeat, and says at last that it is free again. Of several the one of the highest G counts, and a dead worker's is
// taken over by creating the next, so that no two can have it. Nothing is locked and no clock of another machine is
// read: a claim is dead when its text has not changed for the grace by the reader's own monotonic clock, or at once
// when its process was of this machine and is gone.

// What the newest claim of a name says.
enum class ClaimState { free, held, failed, dead };
struct ClaimView {
  ClaimState state = ClaimState::free;
  std::string worker;  // "host, process 123"
  std::string text;    // why it failed
};

// A name that this process has. Beats on a thread of its own; frees the name when it goes.
class Claim {
 public:
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  // Whether another worker has taken the name over, which happens to one that stood still for longer than the grace:
  // then nothing more may be written.
  bool lost() const { return lost_; }
  // What it says when it goes: that it failed, and why.
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

// The claims in a folder, which is made with the first, as one worker sees them: look() and take() know what the last
// scan() saw. For one thread.
class Claims {
 public:
  // `grace` in seconds, at least 1; heartbeats come six times in it. `now`: a monotonic clock in seconds.
  Claims(std::filesystem::path folder, double grace, std::function<double()> now = {});
  void scan();
  // Takes a name that is free, dead or, where `failed` says so, failed; null when another worker has it.
  std::unique_ptr<Claim> take(const std::string& name, bool failed = false);
  // A dead claim is told by a scan that comes later than the one which saw it first.
  ClaimView look(const std::string& name) const;

 private:
  struct Seen {
    std::int64_t generation = 0;  // 0: none
    std::string bytes;
    double since = 0;
    bool ended = false;  // it is free or failed, for good
  };
  ClaimView view(const Seen& seen) const;

  std::filesystem::path folder_;
  double grace_;
  std::function<double()> now_;
  std::map<std::string, Seen> seen_;  // by name
};

}  // namespace pairs
