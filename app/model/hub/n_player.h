#pragma once

#include <cstdint>
#include <vector>

#include "core/base/clock.h"

namespace pairs::model {

// N: how many observations of a set are used. Chosen, stepped through, or growing by itself from 1 to the largest, each
// factor in the same time.
class NPlayer {
 public:
  // `first`: wanted until something else is.
  explicit NPlayer(std::int64_t first = 1) : wanted_(first) {}

  // What can be asked for from now on: 1 .. most, of these sizes alone where there are some; nothing when most = 0.
  // Before the first call nothing is known and everything can be.
  void set_range(std::int64_t most, std::vector<std::int64_t> sizes = {});
  std::int64_t most() const { return most_; }
  // What can be asked for that is nearest to what is wanted; 0 when there is nothing.
  std::int64_t n() const;
  void want(std::int64_t n);

  // By hand, which ends playing: an N, or so many on or back among those worth looking at: whole numbers up to 100, two
  // digits beyond.
  void set(std::int64_t n);
  void step(int steps);

  void toggle();
  void stop() { playing_ = false; }
  bool playing() const { return playing_; }
  void set_loop(bool loop) { loop_ = loop; }
  bool loop() const { return loop_; }
  // Moves a playing N on by so many seconds, unless what is there is waited for.
  void advance(double seconds, bool ready);
  // The same by the clock, in steps that are never long.
  void tick(bool ready);

 private:
  std::int64_t next(std::int64_t n) const;
  std::int64_t last(std::int64_t n) const;
  double place_of(std::int64_t n) const;  // on the way from 1 to the largest, 0 to 1

  std::int64_t wanted_, most_ = 0;
  std::vector<std::int64_t> sizes_;
  bool known_ = false, playing_ = false, loop_ = false;
  double place_ = 0;
  Stopwatch clock_;
};

}  // namespace pairs::model
