#include "core/base/system/crash_report.h"

#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <mutex>
#include <vector>

#include "core/base/system/xdg_folder.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLines = 20, kLine = 400, kPath = 4096, kStack = 64;
constexpr const char* kCrashBefore = "crash-before.txt";
constexpr std::string_view kDiedOf = "Died of ";
struct Fault {
  int signal;
  const char* name;
};
constexpr std::array<Fault, 5> kFaults = {
    {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"}, {SIGABRT, "SIGABRT"}}};

// Everything that the handler reads is prepared in memory that never moves, because the handler may call next to
// nothing.
struct Prepared {
  char version[64] = "", asked[8192] = "";
  char lines[kLines][kLine] = {};
  std::atomic<unsigned> reported = 0;  // lines so far
  char fallback[kPath] = "";           // the file of crash_folder()
  char file[kPath] = "";               // the file of the latest CrashPlace, "" if there is none
};
Prepared prepared;
std::mutex places_mutex;
std::vector<std::pair<const CrashPlace*, std::string>> places;
std::atomic<bool> dying = false;

void keep(char* to, std::size_t room, std::string_view text) {
  const std::size_t length = std::min(room - 1, text.size());
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

void put(int file, const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t written = ::write(file, text, left);
    if (written <= 0) return;
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

int open_report() {
  for (const char* file : {prepared.file, prepared.fallback}) {
    if (file[0] == '\0') continue;
    const int opened = ::open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (opened >= 0) return opened;
  }
  return -1;
}

void on_fault(int signal) {
  if (dying.exchange(true)) ::_exit(128 + signal);
  const int file = open_report();
  if (file >= 0) {
    const char* name = "a fault";
    for (const Fault& one : kFaults)
      if (one.signal == signal) name = one.name;
    put(file, kDiedOf.data());
    put(file, name);
    put(file, "\npairs ");
    put(file, prepared.version);
    put(file, "\n\nAsked:\n");
    put(file, prepared.asked);
    put(file, "\nTold last:\n");
    const unsigned reported = prepared.reported;
    for (unsigned i = reported > kLines ? reported - kLines : 0; i < reported; ++i) {
      put(file, "  ");
      put(file, prepared.lines[i % kLines]);
      put(file, "\n");
    }
    put(file, "\nStack:\n");
    void* frames[kStack];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, kStack), file);
    ::close(file);
  }
  ::raise(signal);  // the handler was removed when it was entered
}

void set_file() {
  keep(prepared.file, kPath, places.empty() ? "" : places.back().second);
}

}  // namespace

void report_crashes(int argc, const char* const* argv, std::string_view version) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  (void)argc, (void)argv, (void)version;
#else
  std::string asked;
  for (int i = 0; i < argc; ++i) asked += (i > 0 ? " " : "  ") + shell_word(argv[i]);
  keep(prepared.version, sizeof prepared.version, version);
  keep(prepared.asked, sizeof prepared.asked, asked + "\n");
  std::error_code error;
  const fs::path folder = crash_folder();
  if (!folder.empty()) {
    fs::create_directories(folder, error);
    keep(prepared.fallback, kPath, (folder / kCrashFile).string());
  }
  void* first[1];
  (void)::backtrace(first, 1);  // loads its libraries, which a handler must not do
  // The handler has its own stack, because an overflowed one has no room left.
  static char stack[1 << 16];
  stack_t own{};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  ::sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_handler = on_fault;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  ::sigemptyset(&action.sa_mask);
  for (const Fault& one : kFaults) ::sigaction(one.signal, &action, nullptr);
#endif
}

CrashPlace::CrashPlace(const fs::path& folder) {
  std::error_code error;
  const std::lock_guard lock(places_mutex);
  places.emplace_back(this, (fs::absolute(folder, error) / kCrashFile).string());
  set_file();
}

CrashPlace::~CrashPlace() {
  const std::lock_guard lock(places_mutex);
  std::erase_if(places, [this](const auto& place) { return place.first == this; });
  set_file();
}

fs::path crash_folder() {
  const fs::path state = xdg_folder("XDG_STATE_HOME", ".local/state");
  return state.empty() ? state : state / "pairs-studio";
}

void note_for_crash(std::string_view line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const unsigned at = prepared.reported;
  keep(prepared.lines[at % kLines], kLine, printable(line, kLine - 1));
  prepared.reported = at + 1;
}

std::string crash_text(const fs::path& folder) {
  std::ifstream file(folder / kCrashFile);
  std::string line;
  if (!file || !std::getline(file, line) || !line.starts_with(kDiedOf)) return "";
  return fmt::format("the last session died of {} ({} shows where)", printable(line.substr(kDiedOf.size()), 20),
                     (folder / kCrashFile).string());
}

void file_crash(const fs::path& folder) {
  std::error_code none;
  if (!crash_text(folder).empty()) fs::rename(folder / kCrashFile, folder / kCrashBefore, none);
}

}  // namespace pairs
