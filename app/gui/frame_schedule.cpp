#include "app/gui/frame_schedule.h"

#include <algorithm>
#include <utility>

namespace pairs::gui {
namespace {

constexpr double kTouchedSeconds = 1.5;  // after input, a window that trains is as responsive as any
constexpr double kLiveInterval = 1.0 / 60;

}  // namespace

void FrameSchedule::touch(double now) {
  last_touch_ = now;
  settling_ = settling_frames;
}

void FrameSchedule::settle(int frames) {
  settling_ = std::max(settling_, frames);
}

void FrameSchedule::look(bool news, bool busy) {
  if (busy != std::exchange(busy_, busy) || news) changed_ = settling_frames;
}

void FrameSchedule::drawn(double now, double again) {
  last_frame_ = now;
  again_at_ = now + std::max(again, 0.0);
  if (settling_ > 0) --settling_;
  if (changed_ > 0) --changed_;
}

double FrameSchedule::interval(double now, bool training) const {
  return training && now - last_touch_ > kTouchedSeconds ? quiet_interval : kLiveInterval;
}

double FrameSchedule::next(double now, bool training) const {
  if (settling_ > 0) return now;
  const double earliest = last_frame_ + interval(now, training);
  const double wanted = changed_ > 0 ? earliest : again_at_;
  return std::max(wanted, earliest);
}

bool FrameSchedule::due(double now, bool training) const {
  return next(now, training) <= now;
}

double FrameSchedule::wait(double now, bool training) const {
  return std::clamp(next(now, training) - now, 0.0, quiet_interval);
}

}  // namespace pairs::gui
