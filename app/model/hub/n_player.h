#pragma once

#include <cstdint>
#include <vector>

#include "core/base/threads/clock.h"

namespace pairs::model {

// N, the number of observations of a set in use. It can be set, stepped, or played: it then grows from 1 to the
// maximum, by each factor in the same time.
class NPlayer {
 public:
  // `first`: the initial N.
  explicit NPlayer(std::int64_t first = 1) : wanted_(first) {}

  // Sets the possible N: 1 to `most`, or only `sizes` if it has any; none if most = 0. Before the first call, every N
  // is possible.
  void set_range(std::int64_t most, std::vector<std::int64_t> sizes = {});
  std::int64_t most() const { return most_; }
  // The possible N closest to the wanted one; 0 if there is none.
  std::int64_t n() const;
  void want(std::int64_t n);

  // User input, which stops playing: set an N, or step through the round values: whole numbers up to 100, then two
  // digits.
  void set(std::int64_t n);
  void step(int steps);

  void toggle();
  void stop() { playing_ = false; }
  bool playing() const { return playing_; }
  void set_loop(bool loop) { loop_ = loop; }
  bool loop() const { return loop_; }
  // Advances a playing N by `seconds` unless the current result is pending (`ready` is false).
  void advance(double seconds, bool ready);
  // Calls advance() with the time since the last call, capped.
  void tick(bool ready);

 private:
  std::int64_t next(std::int64_t n) const;
  std::int64_t last(std::int64_t n) const;
  double place_of(std::int64_t n) const;  // position between 1 and the maximum, 0 to 1

  std::int64_t wanted_, most_ = 0;
  std::vector<std::int64_t> sizes_;
  bool known_ = false, playing_ = false, loop_ = false;
  double place_ = 0;
  Stopwatch clock_;
};

}  // namespace pairs::model
