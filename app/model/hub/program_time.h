#pragma once

#include <chrono>
#include <ctime>
#include <string>

#include "core/base/threads/clock.h"

namespace pairs::model {

inline const Stopwatch since_program_load;
inline const std::chrono::system_clock::time_point program_load_time = std::chrono::system_clock::now();

// Seconds since the program was loaded.
inline double program_seconds() {
  return since_program_load.seconds();
}

// The wall time so many seconds after the program was loaded, "14:03:21"; with `date`, "2026-03-01 14:03:21".
inline std::string wall_time(double program_seconds, bool date = false) {
  using std::chrono::system_clock;
  const auto after = std::chrono::duration_cast<system_clock::duration>(std::chrono::duration<double>(program_seconds));
  const std::time_t when = system_clock::to_time_t(program_load_time + after);
  std::tm parts{};
  char text[64];
  if (::localtime_r(&when, &parts) == nullptr) return "";
  return {text, std::strftime(text, sizeof text, date ? "%F %T" : "%T", &parts)};
}

}  // namespace pairs::model
