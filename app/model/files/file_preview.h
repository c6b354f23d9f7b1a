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

// A short summary of a file or folder.
struct FilePreview {
  std::filesystem::path path;
  std::string title;                                       // "Run", "2 arrays", "Picture"
  std::vector<std::pair<std::string, std::string>> facts;  // "Preset": "quick"; "theta": "1000 × 2"
  std::vector<std::string> lines;                          // the first lines of a text file
  std::shared_ptr<const Picture> picture;
  bool plain = false;   // a folder without a run, task, picture or runs inside
  std::string problem;  // why there is no preview: a sentence
};

// Previews a run folder of one of `tasks`, a task.toml, arrays (headers of NPZ, NPY or HDF5), a table (CSV), a picture
// or a text; for other folders it counts the entries. Reads little, and only regular files, so that it never waits for
// a pipe. Reports what is wrong with a file in `problem`. Throws Stopped once `stale`.
FilePreview preview_of(const Tasks& tasks, const std::filesystem::path& path, const std::function<bool()>& stale);

}  // namespace pairs::model
