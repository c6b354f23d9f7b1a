#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pairs::batch {

// Conversion of files that earlier versions wrote: keys that have other names now (core/base/fields/renamed_keys.h) and
// names of files in run folders. Numbers, weights and comments stay to the bit.

// A file that conversion changes or renames, or a run's folder that it renames.
struct ConvertedFile {
  std::filesystem::path before, now;  // equal unless the file gets another name
};

struct Conversion {
  std::vector<ConvertedFile> files;
  std::vector<std::string> problems;  // why files stay as they are, a sentence each
};
// Converts the file, or all files of runs, sessions, custom tasks and studies (study.toml) in a folder and the folders
// below, each written through a temporary file. Files that need no change stay untouched, so that a second call changes
// nothing; one that is damaged, or of a run that a process works on, does not keep others from being converted. `dry`:
// changes nothing on the disk. Throws Error if the path is a file that cannot be converted, or does not exist.
Conversion convert_files(const std::filesystem::path& path, bool dry);

}  // namespace pairs::batch
