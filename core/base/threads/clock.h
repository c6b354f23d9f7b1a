#pragma once

#include <chrono>

namespace pairs {

// Seconds since it was made or restarted.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  void restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The recent rate of a counter: an exponential average over a few seconds.
class RateMeter {
 public:
  void update(double done) {
    const double now = watch_.seconds();
    if (last_time_ >= 0 && now - last_time_ < 0.2) return;
    if (last_time_ >= 0) {
      const double rate = (done - last_) / (now - last_time_);
      rate_ = rate_ < 0 ? rate : 0.8 * rate_ + 0.2 * rate;
    }
    last_ = done;
    last_time_ = now;
  }
  double rate() const { return rate_ < 0 ? 0 : rate_; }

 private:
  Stopwatch watch_;
  double last_ = 0, last_time_ = -1, rate_ = -1;
};

}  // namespace pairs
