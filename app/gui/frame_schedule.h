#pragma once

#include <cmath>

namespace pairs::gui {

// Decides when the window draws its next frame: after input, after results, and when the content changes by itself. An
// idle window draws no frames. Times are in seconds on one clock.
class FrameSchedule {
 public:
  // The minimum interval between frames during training without user input, which leaves the machine to training.
  static constexpr double quiet_interval = 0.25;
  // The number of frames that Dear ImGui needs until a change has settled.
  static constexpr int settling_frames = 3;

  // Call on input.
  void touch(double now);
  // Requests `frames` more frames at once, for input that takes more than one.
  void settle(int frames);
  // Reports the loop's findings: `news`: something shown has changed or a worker reports it; `busy`: a worker is
  // running. Some workers come to rest only after reporting a result, so that their rest counts as news, too.
  void look(bool news, bool busy);
  // Call after a frame; its content changes by itself in `again` seconds, INFINITY: never.
  void drawn(double now, double again);

  // Whether a frame is due. `training`: it may be delayed in favor of the work.
  bool due(double now, bool training) const;
  // How long no frame is due without new events: seconds, at most `quiet_interval`; 0: one is due now.
  double wait(double now, bool training) const;

 private:
  double interval(double now, bool training) const;
  double next(double now, bool training) const;

  double last_touch_ = 0, last_frame_ = -INFINITY, again_at_ = INFINITY;
  int settling_ = settling_frames;  // frames requested by input, at once
  int changed_ = 0;                 // frames requested by news, an interval apart
  bool busy_ = false;
};

}  // namespace pairs::gui
