#pragma once

#include <functional>
#include <utility>

#include "core/base/threads/clock.h"
#include "core/train/settings/stages.h"

namespace pairs::model {

// Forwards everything and requests a frame; for progress at most five times a second.
class WakingMonitor : public Monitor {
 public:
  WakingMonitor(Monitor& next, std::function<void()> wake) : next_(next), wake_(std::move(wake)) {}
  void event(const Event& event) override {
    next_.event(event);
    wake_();
  }
  void progress(const Progress& progress) override {
    next_.progress(progress);
    if (watch_.seconds() < 0.2) return;
    watch_.restart();
    wake_();
  }
  bool should_stop() override { return next_.should_stop(); }

 private:
  Monitor& next_;
  std::function<void()> wake_;
  Stopwatch watch_;
};

}  // namespace pairs::model
