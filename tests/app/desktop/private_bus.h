#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "core/base/files/descriptor.h"
#include "core/base/threads/clock.h"
#include "tests/app/model/environment.h"

extern char** environ;

namespace pairs::model {

// A session bus for the test alone, which starts no services. DBUS_SESSION_BUS_ADDRESS holds its address.
class PrivateBus {
 public:
  explicit PrivateBus(const std::filesystem::path& folder)
      : socket_(folder / "bus"), address_("DBUS_SESSION_BUS_ADDRESS", "unix:path=" + socket_.string()) {
    std::ofstream(folder / "bus.conf")
        << R"(<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=)"
        << socket_.string() << R"(</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy></busconfig>)";
    const std::string config = "--config-file=" + (folder / "bus.conf").string();
    const char* const arguments[] = {"dbus-daemon", config.c_str(), "--nofork", "--nopidfile", nullptr};
    // What it complains of, limits above all, is of interest where it does not start.
    const std::string log = (folder / "bus.log").string();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int failed =
        ::posix_spawnp(&process_, "dbus-daemon", &actions, nullptr, const_cast<char* const*>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
      process_ = 0;
      ADD_FAILURE() << "dbus-daemon cannot be started: install the package dbus-daemon";
      return;
    }
    const Stopwatch watch;
    while (!listens() && watch.seconds() < 20) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(listens()) << "dbus-daemon does not listen: " << std::ifstream(log).rdbuf();
  }
  ~PrivateBus() { end(); }
  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;

  void end() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  // The socket's file is there a moment before it takes connections.
  bool listens() const {
    const Descriptor end(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_.string().copy(address.sun_path, sizeof address.sun_path - 1);
    return ::connect(end, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  std::filesystem::path socket_;
  Environment address_;
  pid_t process_ = 0;
};

}  // namespace pairs::model
