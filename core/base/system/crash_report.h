#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pairs {

inline constexpr const char* kCrashFile = "crash.txt";

// From this call on, a program that dies of a fault (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, an uncaught exception)
// writes crash.txt: its command line, its version, its last messages and the stack, but none of the data. It then dies
// of the same signal as it would without the report. Call once, early in main. Does nothing under sanitizers, whose own
// reports are more detailed.
void report_crashes(int argc, const char* const* argv, std::string_view version);

// While it exists, crash.txt is written to this folder, e.g. a run's; the last one made counts. Without any, the report
// goes to crash_folder(). Thread-safe.
class CrashPlace {
 public:
  explicit CrashPlace(const std::filesystem::path& folder);
  ~CrashPlace();
  CrashPlace(const CrashPlace&) = delete;
  CrashPlace& operator=(const CrashPlace&) = delete;
};

// $XDG_STATE_HOME/pairs-studio, else ~/.local/state/pairs-studio.
std::filesystem::path crash_folder();

// Keeps a line for the report, which shows the last 20.
void note_for_crash(std::string_view line);

// One sentence on the crash that a crash.txt describes: "the last session died of SIGSEGV (crash.txt says where)"; ""
// if the folder holds none.
std::string crash_text(const std::filesystem::path& folder);
// Renames the crash.txt that crash_text described to crash-before.txt, replacing an older one, so that it is reported
// once.
void file_crash(const std::filesystem::path& folder);

}  // namespace pairs
