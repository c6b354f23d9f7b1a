#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/report/figure.h"
#include "core/task_library.h"

namespace pairs::model {

// What a file or folder holds, in a few lines.
struct FilePreview {
  std::filesystem::path path;
  std::string title;                                       // "Run", "2 arrays", "Picture"
  std::vector<std::pair<std::string, std::string>> facts;  // "Preset": "quick"; "theta": "1000 × 2"
  std::vector<std::string> lines;                          // a text's first
  std::shared_ptr<const Picture> picture;
  bool plain = false;  // a folder that can only be looked into: it holds no run, task or picture, and no folder of runs
  std::string problem;  // why nothing can be told of it: a sentence
};

// Looks into a run folder of one of `tasks`, a task.toml, arrays (NPZ, NPY, HDF5: their headers), a table (CSV), a
// picture or a text; of other folders it counts what is in them. Reads little and only regular files, so that a pipe is
// never waited for. What is wrong with a file becomes `problem`. Throws Stopped once `stale`.
FilePreview preview_of(const Tasks& tasks, const std::filesystem::path& path, const std::function<bool()>& stale);

}  // namespace pairs::model
