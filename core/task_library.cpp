#include "core/task_library.h"

#include "core/base/text/error.h"

namespace pairs {
namespace {

[[noreturn]] void fail_no_files() {
  fail("This program reads no files of tasks; open them with one that does");
}

}  // namespace

TaskSettings TaskLibrary::default_settings(const std::string&) const {
  return {};
}

std::string TaskLibrary::open(const std::filesystem::path&) {
  fail_no_files();
}

std::string TaskLibrary::recorded(const std::filesystem::path&) const {
  fail_no_files();
}

std::string TaskLibrary::changed(const std::filesystem::path&) const {
  fail_no_files();
}

std::string TaskLibrary::preset(const TaskInfo&, const std::string&) const {
  fail_no_files();
}

}  // namespace pairs
