#include "core/base/threads/load.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

namespace pairs {
namespace {

// Seconds for which all cores together were busy since the system started; 0 if it does not report them.
double busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string line, name;
  if (!std::getline(file, line)) return 0;
  std::istringstream words(line);
  double user = 0, nice = 0, system = 0, idle = 0, wait = 0, interrupts = 0, soft = 0, stolen = 0;
  words >> name >> user >> nice >> system >> idle >> wait >> interrupts >> soft >> stolen;
  return (user + nice + system + interrupts + soft + stolen) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double own_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

LoadMeter::LoadMeter() : busy_(busy_seconds()), own_(own_seconds()) {}

double LoadMeter::others() const {
  const double passed = std::max(1e-3, watch_.seconds());
  return std::max(0.0, (busy_seconds() - busy_ - (own_seconds() - own_)) / passed);
}

double LoadMeter::runnable_others() {
  std::ifstream file("/proc/stat");
  double runnable = -1;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("procs_running "))
      runnable = std::atof(line.c_str() + std::string_view("procs_running ").size());
  if (runnable < 0) return std::numeric_limits<double>::infinity();
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    std::ifstream stat(task.path() / "stat");
    std::string text;
    std::getline(stat, text);
    const std::size_t name = text.rfind(") ");  // the state follows the name, which may hold anything
    runnable -= name != std::string::npos && text[name + 2] == 'R';
  }
  return std::max(0.0, runnable);
}

double LoadMeter::cores() const {
  return static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::string busy_sentence(double others, double cores, double threads) {
  const double wanted = std::min(threads, cores);
  if (cores - others > 0.75 * wanted) return "";
  return fmt::format("Other processes keep {:.1f} of {:.0f} cores busy: with them it takes up to {:.1f} times as long.",
                     std::min(others, cores), cores, (wanted + others) / cores);
}

}  // namespace pairs
