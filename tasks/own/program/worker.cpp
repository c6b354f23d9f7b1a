#include "tasks/own/program/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"

extern char** environ;

namespace pairs::own {
namespace {

constexpr std::size_t kErrorTail = 8192;
constexpr std::size_t kLinesShown = 6;
constexpr int kPipeBytes = 1 << 20;
// For the last words: the time to wait for the next, in milliseconds, and limits for all, in seconds and bytes.
constexpr int kNextWords = 200;
constexpr double kAllWords = 0.6;
constexpr std::size_t kMostHeard = 1 << 20;
// The keeper gives up after 1.5 s on processes that the kernel does not let die.
constexpr double kKeeperSeconds = 3;
constexpr int kKeeperLink = 3;  // the keeper's descriptor of the link

// Two ends that no other program inherits.
struct Ends {
  Ends() = default;
  ~Ends() {
    if (ours >= 0) ::close(ours);
    if (theirs >= 0) ::close(theirs);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  int ours = -1, theirs = -1;
};

// A pipe; `ours` does not block.
struct Pipe : Ends {
  explicit Pipe(bool we_write) {
    int ends[2];
    PAIRS_CHECK(::pipe2(ends, O_CLOEXEC) == 0, "No pipe can be made for a simulator: {}", std::strerror(errno));
    ours = ends[we_write ? 1 : 0];
    theirs = ends[we_write ? 0 : 1];
    (void)::fcntl(ours, F_SETFL, O_NONBLOCK);
    (void)::fcntl(ours, F_SETPIPE_SZ, kPipeBytes);  // fewer rounds; less if the system does not allow more
  }
};

// The connection to the keeper.
struct Link : Ends {
  Link() {
    int ends[2];
    PAIRS_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0,
                "No connection can be made for a simulator: {}", std::strerror(errno));
    ours = ends[0];
    theirs = ends[1];
  }
  // Waits until the program was started: 0, or the errno of the failure; none if the keeper died.
  std::optional<int> started() const {
    int error = 0;
    std::size_t got = 0;
    while (got < sizeof error) {
      const ssize_t count = ::recv(ours, reinterpret_cast<char*>(&error) + got, sizeof error - got, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      got += static_cast<std::size_t>(count);
    }
    return error;
  }
};

// The path of pairs-keeper, which is next to this program in a build folder and in libexec of an installation.
std::string keeper_program() {
  const std::filesystem::path folder = program_folder(), name = "pairs-keeper",
                              installed = folder.parent_path() / "libexec" / "pairs-studio" / name;
  std::error_code error;
  for (const auto& file : {installed, folder / name})
    if (std::filesystem::is_regular_file(file, error)) return file.string();
  fail("{}, the part of Pairs Studio that ends simulators with it, is missing; install Pairs Studio again",
       printable(installed.string(), 300));
}

// While it exists, a write to a pipe without a reader is an error instead of a signal, on this thread only.
class WithoutBrokenPipes {
 public:
  WithoutBrokenPipes() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutBrokenPipes() {
    const timespec none{0, 0};
    if (!was_pending_)
      while (sigtimedwait(&pipe_, nullptr, &none) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutBrokenPipes(const WithoutBrokenPipes&) = delete;
  WithoutBrokenPipes& operator=(const WithoutBrokenPipes&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

// This process's environment; several workers share the cores, so each uses one thread, and Python finds the helper.
std::vector<std::string> variables() {
  std::vector<std::string> all;
  std::string python_path;
  for (char** at = environ; *at; ++at) {
    const std::string_view variable = *at;
    if (variable.starts_with("PYTHONPATH="))
      python_path = variable.substr(11);
    else
      all.emplace_back(variable);
  }
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
    if (!std::getenv(name)) all.push_back(fmt::format("{}=1", name));
  const std::string helper = (assets_folder() / "python").string();
  all.push_back(fmt::format("PYTHONPATH={}{}{}", python_path, python_path.empty() ? "" : ":", helper));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

Worker::Worker(const std::vector<std::string>& command, const std::filesystem::path& folder) {
  std::error_code missing;
  PAIRS_CHECK(std::filesystem::is_directory(folder, missing), "the folder {} is missing",
              printable(folder.string(), 300));
  std::vector<std::string> words = {keeper_program()}, environment = variables();
  words.insert(words.end(), command.begin(), command.end());
  Pipe in(true), out(false), err(false);
  Link link;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_adddup2(&actions, in.theirs, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.theirs, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.theirs, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, link.theirs, kKeeperLink);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);  // a group of its own: Ctrl+C in the terminal is handled by this process
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int error = ::posix_spawn(&keeper_, words.front().c_str(), &actions, &attributes, pointers(words).data(),
                            pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  PAIRS_CHECK(error == 0, "{} cannot be started: {}", printable(words.front(), 300), std::strerror(error));
  ::close(std::exchange(link.theirs, -1));
  const std::optional<int> started = link.started();
  if (!started || *started != 0) {
    while (::waitpid(keeper_, &status_, 0) < 0 && errno == EINTR) {
    }
    fail("its program {} cannot be started: {}", printable(command.front(), 300),
         started ? std::strerror(*started) : "pairs-keeper was ended by another process");
  }
  in_ = std::exchange(in.ours, -1);
  out_ = std::exchange(out.ours, -1);
  err_ = std::exchange(err.ours, -1);
  link_ = std::exchange(link.ours, -1);
}

Worker::~Worker() {
  for (const int end : {in_, out_, err_, link_}) ::close(end);
  const Stopwatch watch;
  while (!reaped() && watch.seconds() < kKeeperSeconds) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (reaped_) return;
  (void)::kill(keeper_, SIGKILL);  // the kernel then kills the program
  while (::waitpid(keeper_, &status_, 0) < 0 && errno == EINTR) {
  }
}

bool Worker::reaped() {
  reaped_ = reaped_ || ::waitpid(keeper_, &status_, WNOHANG) == keeper_;
  return reaped_;
}

void Worker::send(std::string bytes) {
  if (!sending()) {
    outgoing_ = std::move(bytes);
    sent_ = 0;
  } else {
    outgoing_ += bytes;
  }
  flush();
}

void Worker::flush() {
  if (!sending()) return;
  const WithoutBrokenPipes guard;
  while (sending()) {
    const ssize_t count = ::write(in_, outgoing_.data() + sent_, outgoing_.size() - sent_);
    if (count > 0) {
      sent_ += static_cast<std::size_t>(count);
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      if (count < 0 && errno != EAGAIN) sent_ = outgoing_.size();  // the program has ended, as its output will show
      return;
    }
  }
}

bool Worker::receive(std::size_t most) {
  if (taken_ == incoming_.size()) {
    incoming_.clear();
    taken_ = 0;
  }
  constexpr std::size_t kPiece = 1 << 18;
  if (buffer_.empty()) buffer_.resize(kPiece);
  for (std::size_t got = 0; got < most;) {
    const ssize_t count = ::read(out_, buffer_.data(), kPiece);
    if (count > 0) incoming_.append(buffer_.data(), static_cast<std::size_t>(count));
    if (count == 0) return false;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    got += static_cast<std::size_t>(count);
    if (static_cast<std::size_t>(count) < kPiece) return true;
  }
  return true;
}

void Worker::take(std::size_t bytes) {
  taken_ += bytes;
}

bool Worker::listen() {
  char buffer[4096];
  for (int turn = 0; turn < 64; ++turn) {
    const ssize_t count = ::read(err_, buffer, sizeof buffer);
    if (count == 0) return false;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    heard_ += static_cast<std::size_t>(count);
    errors_text_.append(buffer, static_cast<std::size_t>(count));
    if (errors_text_.size() > 2 * kErrorTail) errors_text_.erase(0, errors_text_.size() - kErrorTail);
  }
  return true;
}

std::string Worker::last_words() {
  pollfd ready{err_, POLLIN, 0};
  const Stopwatch watch;
  const std::size_t before = heard_;
  while (watch.seconds() < kAllWords && heard_ - before<kMostHeard&& ::poll(&ready, 1, kNextWords)> 0 && listen()) {
  }
  std::vector<std::string> lines;
  std::string_view text = errors_text_;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != line.npos) lines.emplace_back(line.substr(line.find_first_not_of(" \t\r")));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::string joined;
  for (std::size_t k = lines.size() > kLinesShown ? lines.size() - kLinesShown : 0; k < lines.size(); ++k)
    joined += (joined.empty() ? "" : "\n  ") + printable(lines[k], 300);
  return joined;
}

std::string Worker::end_text() {
  for (int turn = 0; turn < 100 && !reaped(); ++turn) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!reaped_) return "closed its standard output";
  if (WIFSIGNALED(status_)) return fmt::format("was killed by signal {}", WTERMSIG(status_));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status_));
}

}  // namespace pairs::own
