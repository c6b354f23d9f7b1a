#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pairs {

inline constexpr const char* kCrashFile = "crash.txt";

// From here on a program that dies of a fault (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, an exception that nobody
// catches) writes crash.txt: the words it was started with, its version, what was told last, and the stack; nothing of
// the data. It then dies of the same signal as without. Call once, early in main; under sanitizers, whose own reports
// say more, it does nothing.
void report_crashes(int argc, const char* const* argv, std::string_view version);

// Where crash.txt is written while one lives, the last that was made: beside a run. Without any it goes into
// crash_folder(). On any thread.
class CrashPlace {
 public:
  explicit CrashPlace(const std::filesystem::path& folder);
  ~CrashPlace();
  CrashPlace(const CrashPlace&) = delete;
  CrashPlace& operator=(const CrashPlace&) = delete;
};

// $XDG_STATE_HOME/pairs-studio, else ~/.local/state/pairs-studio.
std::filesystem::path crash_folder();

// Keeps a line for the report, of which it tells the last 20.
void note_for_crash(std::string_view line);

// What a crash.txt says happened, one sentence: "the last session died of SIGSEGV (crash.txt says where)"; "" where the
// folder holds none.
std::string crash_text(const std::filesystem::path& folder);
// Keeps what crash_text told as crash-before.txt, in place of an older one, so that it is not told again.
void file_crash(const std::filesystem::path& folder);

}  // namespace pairs
