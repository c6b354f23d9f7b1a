#pragma once

#include <cmath>

namespace pairs::gui {

// When the window draws its next frame: after input, after results, and when what is shown changes by itself. At rest
// there are none. Times are in seconds on one clock.
class FrameSchedule {
 public:
  // While nobody touches a window that trains it is drawn at most so often, so that training keeps the machine.
  static constexpr double quiet_interval = 0.25;
  // Frames that Dear ImGui needs until what was touched or has changed looks as it will stay.
  static constexpr int settling_frames = 3;

  // Input has come.
  void touch(double now);
  // Another `frames` at once, for input that takes more than one.
  void settle(int frames);
  // What the loop has found: whether something that is shown has changed or a worker says so, and whether any is at
  // work. Some workers are at rest only after they have told what they found, so that their rest is news, too.
  void look(bool news, bool busy);
  // A frame was drawn; what it shows changes by itself in `again` seconds, INFINITY: not.
  void drawn(double now, double again);

  // Whether a frame is due. `training`: whether it may wait for the sake of what works.
  bool due(double now, bool training) const;
  // For how long nothing is due unless something comes: seconds, at most `quiet_interval`; 0: not at all.
  double wait(double now, bool training) const;

 private:
  double interval(double now, bool training) const;
  double next(double now, bool training) const;

  double last_touch_ = 0, last_frame_ = -INFINITY, again_at_ = INFINITY;
  int settling_ = settling_frames;  // frames that input asks for, at once
  int changed_ = 0;                 // frames that news ask for, an interval apart
  bool busy_ = false;
};

}  // namespace pairs::gui
