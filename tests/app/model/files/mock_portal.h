#pragma once

#include <gtest/gtest.h>
#include <systemd/sd-bus.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/threads/clock.h"
#include "tests/app/desktop/private_bus.h"

namespace pairs::model {

// A desktop portal on the session bus that shows nothing: a test reads what it is asked, and answers.
class MockPortal {
 public:
  struct Call {
    std::string method, window, title;
    std::map<std::string, std::string> options;  // values as text
    std::string handle, sender;
  };

  explicit MockPortal(std::uint32_t version = 4) : version_(version) {
    thread_ = std::jthread([this](std::stop_token token) { loop(token); });
    const Stopwatch watch;
    while (named_ == kPending && watch.seconds() < 60) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_GT(named_, 0) << "the mock portal has no name on the bus (sd-bus tells " << named_ << ")";
  }

  std::size_t calls() const {
    const std::lock_guard lock(mutex_);
    return calls_.size();
  }
  Call call(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return calls_.at(index);
  }
  // How many dialogs the program has closed itself.
  int closed() const { return closed_; }
  // The person's answer to the last call.
  void respond(std::uint32_t code, const std::vector<std::string>& uris) {
    const std::lock_guard lock(mutex_);
    answers_.push_back({code, uris});
  }

 private:
  struct Answer {
    std::uint32_t code;
    std::vector<std::string> uris;
  };

  static std::string value_text(sd_bus_message* m) {
    const char* type = nullptr;
    char kind = 0;
    sd_bus_message_peek_type(m, &kind, &type);
    const std::string content = type ? type : "";
    std::string text;
    sd_bus_message_enter_container(m, 'v', content.c_str());
    if (content == "s") {
      const char* value = nullptr;
      sd_bus_message_read(m, "s", &value);
      text = value ? value : "";
    } else if (content == "b") {
      int value = 0;
      sd_bus_message_read(m, "b", &value);
      text = value ? "true" : "false";
    } else if (content == "ay") {
      const void* bytes = nullptr;
      std::size_t size = 0;
      sd_bus_message_read_array(m, 'y', &bytes, &size);
      text.assign(static_cast<const char*>(bytes), size > 0 ? size - 1 : 0);
    } else if (content == "a(sa(us))") {
      sd_bus_message_enter_container(m, 'a', "(sa(us))");
      while (sd_bus_message_enter_container(m, 'r', "sa(us)") > 0) {
        const char *name = nullptr, *pattern = nullptr;
        std::uint32_t glob = 0;
        sd_bus_message_read(m, "s", &name);
        text += std::string(name) + ":";
        sd_bus_message_enter_container(m, 'a', "(us)");
        while (sd_bus_message_read(m, "(us)", &glob, &pattern) > 0) text += std::string(pattern) + ",";
        sd_bus_message_exit_container(m);
        sd_bus_message_exit_container(m);
        text += ";";
      }
      sd_bus_message_exit_container(m);
    } else {
      sd_bus_message_skip(m, content.c_str());
    }
    sd_bus_message_exit_container(m);
    return text;
  }

  static int opened(sd_bus_message* m, void* to, sd_bus_error*) {
    auto& self = *static_cast<MockPortal*>(to);
    Call call;
    call.method = sd_bus_message_get_member(m);
    call.sender = sd_bus_message_get_sender(m);
    const char *window = nullptr, *title = nullptr, *key = nullptr;
    sd_bus_message_read(m, "ss", &window, &title);
    call.window = window;
    call.title = title;
    sd_bus_message_enter_container(m, 'a', "{sv}");
    while (sd_bus_message_enter_container(m, 'e', "sv") > 0) {
      sd_bus_message_read(m, "s", &key);
      call.options[key] = value_text(m);
      sd_bus_message_exit_container(m);
    }
    std::string sender = call.sender.substr(1);
    std::replace(sender.begin(), sender.end(), '.', '_');
    call.handle = "/org/freedesktop/portal/desktop/request/" + sender + "/" + call.options["handle_token"];
    static const sd_bus_vtable kRequest[] = {SD_BUS_VTABLE_START(0),
                                             SD_BUS_METHOD(
                                                 "Close", "", "",
                                                 [](sd_bus_message* message, void* mock, sd_bus_error*) {
                                                   ++static_cast<MockPortal*>(mock)->closed_;
                                                   return sd_bus_reply_method_return(message, "");
                                                 },
                                                 SD_BUS_VTABLE_UNPRIVILEGED),
                                             SD_BUS_VTABLE_END};
    sd_bus_add_object_vtable(self.bus_, nullptr, call.handle.c_str(), "org.freedesktop.portal.Request", kRequest, to);
    const int sent = sd_bus_reply_method_return(m, "o", call.handle.c_str());
    const std::lock_guard lock(self.mutex_);
    self.calls_.push_back(std::move(call));
    return sent;
  }

  void answer(const Answer& answer) {
    const Call call = this->call(calls() - 1);
    sd_bus_message* m = nullptr;
    sd_bus_message_new_signal(bus_, &m, call.handle.c_str(), "org.freedesktop.portal.Request", "Response");
    sd_bus_message_set_destination(m, call.sender.c_str());
    sd_bus_message_append(m, "u", answer.code);
    sd_bus_message_open_container(m, 'a', "{sv}");
    sd_bus_message_append(m, "{sv}", "writable", "b", 1);
    sd_bus_message_open_container(m, 'e', "sv");
    sd_bus_message_append(m, "s", "uris");
    sd_bus_message_open_container(m, 'v', "as");
    sd_bus_message_open_container(m, 'a', "s");
    for (const std::string& uri : answer.uris) sd_bus_message_append(m, "s", uri.c_str());
    for (int k = 0; k < 4; ++k) sd_bus_message_close_container(m);
    sd_bus_send(bus_, m, nullptr);
    sd_bus_message_unref(m);
  }

  void loop(std::stop_token token) {
    static const sd_bus_vtable kChooser[] = {
        SD_BUS_VTABLE_START(0), SD_BUS_METHOD("OpenFile", "ssa{sv}", "o", opened, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("SaveFile", "ssa{sv}", "o", opened, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_PROPERTY(
            "version", "u",
            [](sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void* mock, sd_bus_error*) {
              return sd_bus_message_append(reply, "u", static_cast<MockPortal*>(mock)->version_);
            },
            0, SD_BUS_VTABLE_PROPERTY_CONST),
        SD_BUS_VTABLE_END};
    if (const int opened = sd_bus_open_user(&bus_); opened < 0) {
      named_ = opened;
      return;
    }
    sd_bus_add_object_vtable(bus_, nullptr, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.FileChooser",
                             kChooser, this);
    named_ = sd_bus_request_name(bus_, "org.freedesktop.portal.Desktop", 0);
    while (!token.stop_requested()) {
      const int worked = sd_bus_process(bus_, nullptr);
      if (worked < 0) break;
      std::vector<Answer> answers;
      {
        const std::lock_guard lock(mutex_);
        answers.swap(answers_);
      }
      for (const Answer& one : answers) answer(one);
      if (worked == 0) sd_bus_wait(bus_, 5000);
    }
    sd_bus_flush_close_unref(bus_);
  }

  std::uint32_t version_;
  mutable std::mutex mutex_;
  std::vector<Call> calls_;
  std::vector<Answer> answers_;
  std::atomic<int> closed_{0};
  static constexpr int kPending = 0;
  std::atomic<int> named_{kPending};  // of sd_bus_request_name(): above 0, or a negative errno
  sd_bus* bus_ = nullptr;
  std::jthread thread_;
};

}  // namespace pairs::model
