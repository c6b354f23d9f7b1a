#pragma once

#include <filesystem>
#include <vector>

namespace pairs::batch {

// Conversion of files that earlier versions wrote: keys that have other names now (core/base/fields/renamed_keys.h) and
// names of files in run folders. Numbers, weights and comments stay to the bit.

// A file that conversion changes or renames.
struct ConvertedFile {
  std::filesystem::path before, now;  // equal unless the file gets another name
};

// Converts the file, or all files of runs, studies, sessions and custom tasks in a folder and the folders below, each
// written through a temporary file. Files that need no change stay untouched, so that a second call changes nothing.
// `dry`: changes nothing on the disk. Throws Error for a damaged file, and for a run that a process works on.
std::vector<ConvertedFile> convert_files(const std::filesystem::path& path, bool dry);

}  // namespace pairs::batch
