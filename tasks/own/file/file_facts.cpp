#include "tasks/file_facts.h"

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/file/permission.h"
#include "tasks/own/file/task_file.h"
#include "tasks/own/stored/stored_array.h"

namespace pairs {
namespace {

constexpr std::uint64_t kLargestTaskFile = 1 << 20;

}  // namespace

bool is_task_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return std::filesystem::exists(path / "task.toml", error) && !std::filesystem::exists(path / "run.toml", error);
  if (path.extension() != ".toml" || !std::filesystem::is_regular_file(path, error)) return false;
  if (path.filename() == "task.toml") return true;
  try {
    return read_file(path, kLargestTaskFile).find("[[targets]]") != std::string::npos;
  } catch (const Error&) {
    return false;  // opening it reports why it cannot be read
  }
}

void allow_task_file(const std::filesystem::path& file) {
  own::allow(own::read_task_file(file));
}

std::vector<std::filesystem::path> program_files(const std::filesystem::path& file) {
  const own::TaskFile task = own::read_task_file(file);
  return task.simulator ? own::own_program_files(task) : std::vector<std::filesystem::path>();
}

TaskFileFacts task_file_facts(const std::filesystem::path& file) {
  const own::TaskFile task = own::read_task_file(file);
  return {task.info, task.simulator.has_value()};
}

std::vector<ArrayFacts> hdf5_facts(const std::filesystem::path& file) {
  const std::string name = printable(file.filename().string(), 200);
  const auto arrays =
      hdf5_arrays(std::make_shared<const StoredFile>(file, name), std::filesystem::absolute(file).parent_path());
  std::vector<ArrayFacts> all;
  for (const std::string& one : arrays->names()) {
    ArrayFacts& facts = all.emplace_back(ArrayFacts{one, false, {}});
    try {
      if (const auto array = arrays->array(one)) facts = {one, true, array->shape()};
    } catch (const Error&) {
      // Texts, compounds and the like are not arrays of numbers.
    }
  }
  return all;
}

}  // namespace pairs
