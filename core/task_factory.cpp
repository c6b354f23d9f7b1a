#include "core/task_factory.h"

#include "core/base/error.h"

namespace pairs {
namespace {

TaskFactory& registered() {
  static TaskFactory factory;
  return factory;
}

}  // namespace

bool register_task_factory(TaskFactory factory) {
  registered() = std::move(factory);
  return true;
}

std::shared_ptr<const Task> make_registered_task(const std::string& name, const TaskOptions& options) {
  PAIRS_CHECK(registered().make, "This program was linked without tasks; link the tasks library");
  return registered().make(name, options);
}

std::vector<std::string> registered_task_names() {
  return registered().names ? registered().names() : std::vector<std::string>();
}

TaskSettings default_task_settings(const std::string& name) {
  return registered().settings ? registered().settings(name) : TaskSettings();
}

const TaskFiles& registered_task_files() {
  PAIRS_CHECK(registered().files.open, "This program reads no files of tasks; open them with one that does");
  return registered().files;
}

}  // namespace pairs
