#pragma once

#include <gtest/gtest.h>
#include <systemd/sd-bus.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/threads/clock.h"

namespace pairs {

// What shows notifications on the session bus of a test: it keeps them.
class MockNotifications {
 public:
  struct Shown {
    std::string program, icon, title, text;
  };

  MockNotifications() {
    thread_ = std::jthread([this](std::stop_token token) { loop(token); });
    const Stopwatch watch;
    while (named_ == 0 && watch.seconds() < 60) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_GT(named_, 0) << "the mock has no name on the bus (sd-bus tells " << named_ << ")";
  }
  std::vector<Shown> shown() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

 private:
  static int notify(sd_bus_message* message, void* to, sd_bus_error*) {
    auto& self = *static_cast<MockNotifications*>(to);
    const char *program = nullptr, *icon = nullptr, *title = nullptr, *text = nullptr;
    std::uint32_t replaced = 0;
    sd_bus_message_read(message, "susss", &program, &replaced, &icon, &title, &text);
    const std::lock_guard lock(self.mutex_);
    self.shown_.push_back({program, icon, title, text});
    return sd_bus_reply_method_return(message, "u", static_cast<std::uint32_t>(self.shown_.size()));
  }

  void loop(std::stop_token token) {
    static const sd_bus_vtable kTable[] = {
        SD_BUS_VTABLE_START(0), SD_BUS_METHOD("Notify", "susssasa{sv}i", "u", notify, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_VTABLE_END};
    sd_bus* bus = nullptr;
    if (const int opened = sd_bus_open_user(&bus); opened < 0) {
      named_ = opened;
      return;
    }
    sd_bus_add_object_vtable(bus, nullptr, "/org/freedesktop/Notifications", "org.freedesktop.Notifications", kTable,
                             this);
    named_ = sd_bus_request_name(bus, "org.freedesktop.Notifications", 0);
    while (!token.stop_requested()) {
      const int worked = sd_bus_process(bus, nullptr);
      if (worked < 0) break;
      if (worked == 0) sd_bus_wait(bus, 5000);
    }
    sd_bus_flush_close_unref(bus);
  }

  mutable std::mutex mutex_;
  std::vector<Shown> shown_;
  std::atomic<int> named_{0};  // of sd_bus_request_name(): above 0, or a negative errno
  std::jthread thread_;
};

}  // namespace pairs
