#include "app/model/files/portal.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"

namespace pairs::model {
namespace {

constexpr const char *kPortal = "org.freedesktop.portal.Desktop", *kObject = "/org/freedesktop/portal/desktop",
                     *kChooser = "org.freedesktop.portal.FileChooser", *kRequest = "org.freedesktop.portal.Request",
                     *kDaemon = "org.freedesktop.DBus", *kDaemonObject = "/org/freedesktop/DBus";
constexpr double kReadySeconds = 3, kReplySeconds = 20, kFarewellSeconds = 0.5;

using Abandoned = std::function<bool()>;  // whether the conversation was abandoned

struct Unref {
  void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
  void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
};
template <class T>
using Owned = std::unique_ptr<T, Unref>;

void check_bus(int result, const char* what) {
  PAIRS_CHECK(result >= 0, "{}: {}", what, std::strerror(-result));
}

std::string valid_text(const std::string& text) {
  return printable(text, 1000);  // D-Bus accepts only UTF-8
}

// "*.csv" for names in upper and lower case.
std::string pattern_of(const std::string& ending) {
  std::string pattern = "*";
  for (const char c : ending) {
    const bool small = c >= 'a' && c <= 'z', large = c >= 'A' && c <= 'Z';
    if (small || large)
      pattern += fmt::format("[{}{}]", static_cast<char>(small ? c : c + 32), static_cast<char>(small ? c - 32 : c));
    else
      pattern += c;
  }
  return pattern;
}

// A private connection to the session's bus. All waiting is in turn(), which ends when the conversation is abandoned.
// Throws Error if the bus fails, Stopped if it is abandoned.
class Conversation {
 public:
  Conversation(int signal, Abandoned given_up) : signal_(signal), given_up_(std::move(given_up)) {
    sd_bus* opened = nullptr;
    check_bus(sd_bus_open_user(&opened), "There is no session bus");
    bus_.reset(opened);
    wait(kReadySeconds, "The session bus does not answer", [&] { return sd_bus_is_ready(opened) > 0; });
  }

  sd_bus* bus() const { return bus_.get(); }

  // Processes messages until `done`, for at most so many seconds.
  template <class Done>
  void wait(double seconds, const char* late, Done&& done) {
    const Stopwatch watch;
    while (!done()) {
      const double left = seconds - watch.seconds();
      PAIRS_CHECK(left > 0, "{}", late);
      turn(left);
    }
  }

  // Sends a message and returns its reply. Throws Error if there is none or it is an error.
  Owned<sd_bus_message> call(sd_bus_message* message, double seconds) {
    struct Reply {
      Owned<sd_bus_message> message;
    } reply;
    sd_bus_slot* slot = nullptr;
    check_bus(sd_bus_call_async(
                  bus(), &slot, message,
                  [](sd_bus_message* came, void* to, sd_bus_error*) {
                    static_cast<Reply*>(to)->message.reset(sd_bus_message_ref(came));
                    return 1;
                  },
                  &reply, static_cast<std::uint64_t>(seconds * 1e6)),
              "The session bus takes no message");
    const Owned<sd_bus_slot> kept(slot);
    wait(seconds + 1, "The desktop does not answer", [&] { return reply.message != nullptr; });
    if (const sd_bus_error* error = sd_bus_message_get_error(reply.message.get()))
      fail("{}", printable(error->message ? error->message : error->name, 300));
    return std::move(reply.message);
  }

  // Processes incoming messages, or waits for one.
  void turn(double seconds) {
    if (given_up_()) throw Stopped();
    const int worked = sd_bus_process(bus(), nullptr);
    check_bus(worked, "The session bus is gone");
    PAIRS_CHECK(sd_bus_is_open(bus()) > 0, "The session bus is gone");
    if (worked > 0) return;
    pollfd waits[2] = {{sd_bus_get_fd(bus()), static_cast<short>(std::max(sd_bus_get_events(bus()), 0)), 0},
                       {signal_, POLLIN, 0}};
    std::uint64_t until = 0;
    double left = std::min(seconds, 3600.0);
    if (sd_bus_get_timeout(bus(), &until) >= 0 && until != std::numeric_limits<std::uint64_t>::max()) {
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
      const double at = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
      left = std::clamp(1e-6 * static_cast<double>(until) - at, 0.0, left);
    }
    ::poll(waits, 2, static_cast<int>(left * 1000) + 1);
    if (waits[1].revents & POLLIN) {
      eventfd_t count = 0;
      ::eventfd_read(signal_, &count);
    }
  }

 private:
  int signal_;
  Abandoned given_up_;
  Owned<sd_bus> bus_;
};

Owned<sd_bus_message> method(sd_bus* bus, const char* to, const char* object, const char* interface, const char* name) {
  sd_bus_message* message = nullptr;
  check_bus(sd_bus_message_new_method_call(bus, &message, to, object, interface, name), "No message can be made");
  return Owned<sd_bus_message>(message);
}

bool portal_is_known(Conversation& with) {
  const auto ask = method(with.bus(), kDaemon, kDaemonObject, kDaemon, "NameHasOwner");
  check_bus(sd_bus_message_append(ask.get(), "s", kPortal), "No message can be made");
  int owned = 0;
  check_bus(sd_bus_message_read(with.call(ask.get(), kReadySeconds).get(), "b", &owned), "The bus makes no sense");
  if (owned) return true;
  const auto list = method(with.bus(), kDaemon, kDaemonObject, kDaemon, "ListActivatableNames");
  const auto names = with.call(list.get(), kReadySeconds);
  check_bus(sd_bus_message_enter_container(names.get(), 'a', "s"), "The bus makes no sense");
  const char* name = nullptr;
  while (sd_bus_message_read(names.get(), "s", &name) > 0)
    if (std::string_view(name) == kPortal) return true;
  return false;
}

// Whether the portal exists and can choose files. Starts it if the bus can.
bool can_choose(Conversation& with) {
  if (!portal_is_known(with)) return false;
  const auto ask = method(with.bus(), kPortal, kObject, "org.freedesktop.DBus.Properties", "Get");
  check_bus(sd_bus_message_append(ask.get(), "ss", kChooser, "version"), "No message can be made");
  const auto reply = with.call(ask.get(), kReplySeconds);
  std::uint32_t version = 0;
  return sd_bus_message_read(reply.get(), "v", "u", &version) >= 0 && version >= 1;
}

void append_option(sd_bus_message* message, const char* key, const char* type, const auto& value) {
  check_bus(sd_bus_message_append(message, "{sv}", key, type, value), "No message can be made");
}

// Null-terminated bytes, as the portal expects paths.
void append_bytes(sd_bus_message* message, const char* key, const std::string& bytes) {
  const auto check = [](int result) { check_bus(result, "No message can be made"); };
  check(sd_bus_message_open_container(message, 'e', "sv"));
  check(sd_bus_message_append(message, "s", key));
  check(sd_bus_message_open_container(message, 'v', "ay"));
  check(sd_bus_message_append_array(message, 'y', bytes.c_str(), bytes.size() + 1));
  check(sd_bus_message_close_container(message));
  check(sd_bus_message_close_container(message));
}

void append_filters(sd_bus_message* message, const std::vector<FileFilter>& filters) {
  const auto check = [](int result) { check_bus(result, "No message can be made"); };
  check(sd_bus_message_open_container(message, 'e', "sv"));
  check(sd_bus_message_append(message, "s", "filters"));
  check(sd_bus_message_open_container(message, 'v', "a(sa(us))"));
  check(sd_bus_message_open_container(message, 'a', "(sa(us))"));
  for (const FileFilter& filter : filters) {
    check(sd_bus_message_open_container(message, 'r', "sa(us)"));
    check(sd_bus_message_append(message, "s", valid_text(filter.title).c_str()));
    check(sd_bus_message_open_container(message, 'a', "(us)"));
    if (filter.endings.empty()) check(sd_bus_message_append(message, "(us)", std::uint32_t{0}, "*"));
    for (const std::string& ending : filter.endings)
      check(sd_bus_message_append(message, "(us)", std::uint32_t{0}, pattern_of(ending).c_str()));
    check(sd_bus_message_close_container(message));
    check(sd_bus_message_close_container(message));
  }
  check(sd_bus_message_close_container(message));
  check(sd_bus_message_close_container(message));
  check(sd_bus_message_close_container(message));
}

Owned<sd_bus_message> chooser_call(sd_bus* bus, const Portal::Question& question, const std::string& token) {
  Owned<sd_bus_message> message = method(bus, kPortal, kObject, kChooser, question.save ? "SaveFile" : "OpenFile");
  check_bus(sd_bus_message_append(message.get(), "ss", question.window.c_str(), valid_text(question.title).c_str()),
            "No message can be made");
  check_bus(sd_bus_message_open_container(message.get(), 'a', "{sv}"), "No message can be made");
  append_option(message.get(), "handle_token", "s", token.c_str());
  append_option(message.get(), "modal", "b", 1);
  if (!question.accept.empty()) append_option(message.get(), "accept_label", "s", valid_text(question.accept).c_str());
  if (!question.save) append_option(message.get(), "multiple", "b", 0);
  if (question.folder) append_option(message.get(), "directory", "b", 1);
  if (!question.filters.empty() && !question.folder) append_filters(message.get(), question.filters);
  if (!question.start.empty()) append_bytes(message.get(), "current_folder", question.start.string());
  if (question.save && !question.name.empty())
    append_option(message.get(), "current_name", "s", valid_text(question.name).c_str());
  check_bus(sd_bus_message_close_container(message.get()), "No message can be made");
  return message;
}

// The signals received while the dialog is open.
struct Heard {
  bool ended = false, gone = false;
  std::uint32_t response = 0;
  std::string address;
};

int take_response(sd_bus_message* message, void* to, sd_bus_error*) {
  Heard& heard = *static_cast<Heard*>(to);
  if (heard.ended || sd_bus_message_read(message, "u", &heard.response) < 0) return 0;
  heard.ended = true;
  if (sd_bus_message_enter_container(message, 'a', "{sv}") < 0) return 0;
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    const char *key = nullptr, *address = nullptr;
    if (sd_bus_message_read(message, "s", &key) < 0) return 0;
    if (std::string_view(key) != "uris") {
      if (sd_bus_message_skip(message, "v") < 0) return 0;
    } else {
      if (sd_bus_message_enter_container(message, 'v', "as") <= 0) return 0;
      if (sd_bus_message_enter_container(message, 'a', "s") < 0) return 0;
      while (sd_bus_message_read(message, "s", &address) > 0)
        if (heard.address.empty()) heard.address = address;
      sd_bus_message_exit_container(message);
      sd_bus_message_exit_container(message);
    }
    sd_bus_message_exit_container(message);
  }
  return 0;
}

int take_owner(sd_bus_message* message, void* to, sd_bus_error*) {
  const char *name = nullptr, *before = nullptr, *after = nullptr;
  if (sd_bus_message_read(message, "sss", &name, &before, &after) >= 0 && std::string_view(name) == kPortal &&
      std::string_view(after).empty())
    static_cast<Heard*>(to)->gone = true;
  return 0;
}

Owned<sd_bus_slot> hear_response(sd_bus* bus, const std::string& handle, Heard& heard) {
  sd_bus_slot* slot = nullptr;
  check_bus(sd_bus_match_signal_async(bus, &slot, kPortal, handle.c_str(), kRequest, "Response", take_response, nullptr,
                                      &heard),
            "The session bus takes no match");
  return Owned<sd_bus_slot>(slot);
}

Portal::Answer answer_of(const Heard& heard) {
  if (heard.response == 1) return {Portal::End::canceled, {}, {}};
  PAIRS_CHECK(heard.response == 0, "The desktop closed it");
  const auto path = path_of_address(heard.address);
  PAIRS_CHECK(path, "{} is no file of this machine", printable(heard.address, 300));
  return {Portal::End::chosen, *path, {}};
}

// Closes the dialog, if the bus responds quickly.
void close_request(sd_bus* bus, const std::string& handle) {
  const auto message = method(bus, kPortal, handle.c_str(), kRequest, "Close");
  sd_bus_message_set_expect_reply(message.get(), 0);
  if (sd_bus_send(bus, message.get(), nullptr) < 0) return;
  const Stopwatch watch;
  while (watch.seconds() < kFarewellSeconds && (sd_bus_get_events(bus) & POLLOUT) != 0 &&
         sd_bus_process(bus, nullptr) >= 0) {
    pollfd wait = {sd_bus_get_fd(bus), POLLOUT, 0};
    ::poll(&wait, 1, 50);
  }
}

// Opens the dialog and waits for the user's answer without a time limit.
Portal::Answer converse(Conversation& with, const Portal::Question& question) {
  static std::atomic<int> count{0};
  const char* unique = nullptr;
  check_bus(sd_bus_get_unique_name(with.bus(), &unique), "The session bus does not answer");
  std::string sender = unique + 1;  // after its colon
  std::replace(sender.begin(), sender.end(), '.', '_');
  const std::string token = fmt::format("pairs{}", ++count);
  std::string handle = fmt::format("/org/freedesktop/portal/desktop/request/{}/{}", sender, token);
  Heard heard;
  Owned<sd_bus_slot> response = hear_response(with.bus(), handle, heard);
  sd_bus_slot* slot = nullptr;
  check_bus(sd_bus_match_signal_async(with.bus(), &slot, kDaemon, kDaemonObject, kDaemon, "NameOwnerChanged",
                                      take_owner, nullptr, &heard),
            "The session bus takes no match");
  const Owned<sd_bus_slot> owner(slot);
  try {
    const auto reply = with.call(chooser_call(with.bus(), question, token).get(), kReplySeconds);
    const char* reported = nullptr;
    check_bus(sd_bus_message_read(reply.get(), "o", &reported), "The desktop's answer makes no sense");
    if (handle != reported) {  // an old portal without tokens
      handle = reported;
      response = hear_response(with.bus(), handle, heard);
    }
    while (!heard.ended) {
      PAIRS_CHECK(!heard.gone, "The desktop's part that shows it has ended");
      with.turn(3600);
    }
    return answer_of(heard);
  } catch (const Stopped&) {
    close_request(with.bus(), handle);
    throw;
  }
}

}  // namespace

std::optional<std::filesystem::path> path_of_address(const std::string& address) {
  constexpr std::string_view kScheme = "file://";
  if (!address.starts_with(kScheme)) return {};
  const std::size_t slash = address.find('/', kScheme.size());
  if (slash == address.npos) return {};
  const std::string host = address.substr(kScheme.size(), slash - kScheme.size());
  if (!host.empty() && host != "localhost") return {};
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string path;
  for (std::size_t i = slash; i < address.size(); ++i) {
    if (address[i] != '%') {
      path += address[i];
      continue;
    }
    if (i + 2 >= address.size() || digit(address[i + 1]) < 0 || digit(address[i + 2]) < 0) return {};
    path += static_cast<char>(16 * digit(address[i + 1]) + digit(address[i + 2]));
    i += 2;
  }
  if (path.find('\0') != path.npos) return {};
  return path;
}

Portal::Portal(std::function<void()> wake)
    : wake_(std::move(wake)),
      signal_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this](std::stop_token token) { loop(token); }) {}

Portal::~Portal() {
  thread_.request_stop();
  ::eventfd_write(signal_, 1);
  changed_.notify_all();
  thread_.join();
  ::close(signal_);
}

void Portal::look() {
  const std::lock_guard lock(mutex_);
  if (wanted_ || looked_) return;
  wanted_ = true;
  changed_.notify_all();
}

bool Portal::looking() const {
  const std::lock_guard lock(mutex_);
  return wanted_;
}

bool Portal::there() const {
  const std::lock_guard lock(mutex_);
  return there_;
}

std::uint64_t Portal::ask(Question question) {
  const std::lock_guard lock(mutex_);
  question_ = std::move(question);
  answer_.reset();
  ++newest_;
  ::eventfd_write(signal_, 1);
  changed_.notify_all();
  return newest_;
}

std::optional<Portal::Answer> Portal::take(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (number != answered_ || !answer_) return {};
  return std::exchange(answer_, std::nullopt);
}

void Portal::withdraw(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (number != newest_) return;
  question_.reset();
  answer_.reset();
  ++newest_;
  ::eventfd_write(signal_, 1);
}

void Portal::loop(std::stop_token token) {
  for (;;) {
    std::optional<Question> question;
    std::uint64_t number = 0;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, token, [&] { return (wanted_ && !looked_) || question_; })) return;
      question = std::exchange(question_, std::nullopt);
      number = newest_;
    }
    const Abandoned given_up = [&] {
      if (token.stop_requested()) return true;
      const std::lock_guard lock(mutex_);
      return question ? newest_ != number : question_.has_value();
    };
    Answer answer{End::failed, {}, {}};
    bool found = false;
    try {
      Conversation with(signal_, given_up);
      if (question)
        answer = converse(with, *question);
      else
        found = can_choose(with);
    } catch (const Stopped&) {
      continue;  // the check continues after the intervening question
    } catch (const std::exception& error) {
      answer.problem = fmt::format("The desktop's file dialog failed: {}", sentence(error));
    }
    {
      const std::lock_guard lock(mutex_);
      if (!question) {
        looked_ = true;
        wanted_ = false;
        there_ = found;
      } else if (newest_ == number) {
        answered_ = number;
        if (answer.end == End::failed) {  // the portal may be gone
          there_ = looked_ = false;
          wanted_ = true;
        }
        answer_ = std::move(answer);
      }
    }
    wake_();
  }
}

}  // namespace pairs::model
