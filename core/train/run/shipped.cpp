#include "core/train/run/shipped.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "core/train/run/shipped_name.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_of(const Tasks& tasks, const std::string& task) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(assets_folder() / "weights", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if ((name == task || name.starts_with(task + "-")) && fs::exists(at->path() / run_file::config) &&
        read_run_toml(tasks, at->path() / run_file::config).task == task)
      found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string trained_on(const fs::path& folder) {
  const auto metadata = read_safetensors(folder / run_file::estimator).metadata;
  const auto data = metadata.find("data_source");
  PAIRS_CHECK(data != metadata.end(), "{} does not record what it was trained on; restore the file",
              (folder / run_file::estimator).string());
  return data->second;
}

}  // namespace

std::vector<ShippedWeights> shipped_weights(const Tasks& tasks, const std::string& task) {
  std::vector<ShippedWeights> all;
  for (const fs::path& folder : folders_of(tasks, task)) all.push_back({folder, trained_on(folder)});
  return all;
}

bool has_shipped_weights(const Tasks& tasks, const std::string& task) {
  try {
    return !task.empty() && !folders_of(tasks, task).empty();
  } catch (const Error&) {
    return false;  // a program without its assets
  }
}

std::optional<fs::path> fitting_weights(const Tasks& tasks, const std::string& task, const std::string& data) {
  const std::vector<fs::path> folders = folders_of(tasks, task);
  if (folders.empty()) return {};
  if (folders.size() > 1)
    for (const fs::path& folder : folders) {
      RunConfig config = read_run_toml(tasks, folder / run_file::config);
      if (!data.empty()) config.data = data;
      if (config.make_task()->info().data_source == trained_on(folder)) return folder;
    }
  return folders.front();
}

std::vector<fs::path> all_fitting_weights(const Tasks& tasks, const std::string& task, const std::string& data) {
  std::vector<fs::path> found;
  const std::optional<fs::path> first = fitting_weights(tasks, task, data);
  if (!first) return found;
  const std::string known = trained_on(*first);
  for (const fs::path& folder : folders_of(tasks, task))
    if (trained_on(folder) == known) found.push_back(folder);
  return found;
}

std::string shipped_name(const Tasks& tasks, const fs::path& folder) {
  const std::string known = trained_on(folder), task = read_run_toml(tasks, folder / run_file::config).task;
  for (const fs::path& one : folders_of(tasks, task))
    if (trained_on(one) == known)
      return one.filename() == folder.filename()
                 ? kShippedName
                 : fmt::format("Shipped, {}", folder.filename().string().substr(task.size() + 1));
  return kShippedName;
}

}  // namespace pairs
