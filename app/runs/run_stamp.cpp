#include "app/runs/run_stamp.h"

#include <fmt/format.h>

#include <initializer_list>

#include "core/base/text/error.h"
#include "core/train/run/run.h"

namespace pairs::model {
namespace {

std::string stamp(const Tasks& tasks, const std::string& run, const std::string& data,
                  std::initializer_list<const char*> files) {
  std::string text;
  try {
    const std::filesystem::path folder = find_run(tasks, run, data).folder;
    for (const char* name : files) {
      std::error_code error;
      const auto time = std::filesystem::last_write_time(folder / name, error);
      const auto size = std::filesystem::file_size(folder / name, error);
      text += error ? "-;" : fmt::format("{}:{};", time.time_since_epoch().count(), size);
    }
  } catch (const Error&) {
    return "gone";
  }
  return text;
}

}  // namespace

std::string run_stamp(const Tasks& tasks, const std::string& run, const std::string& data) {
  return stamp(tasks, run, data, {run_file::config, run_file::pretrained, run_file::estimator, run_file::metrics});
}

std::string log_stamp(const Tasks& tasks, const std::string& run, const std::string& data) {
  return stamp(tasks, run, data, {run_file::events});
}

}  // namespace pairs::model
