#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/scratch_folder.h"

namespace pairs {

// Whether bytes begin as those of a gzip file.
bool is_gzip(std::string_view bytes);

// Whether a file begins so.
bool is_gzip_file(const std::filesystem::path& file);

// Up to `most` bytes from the beginning of a file, unpacked where it is a gzip file. "" where it cannot be read.
std::string unzipped_head(const std::filesystem::path& file, std::size_t most);

// As read_file, unpacked where it is a gzip file. Throws Error where that is damaged, cut short, or holds more than
// `limit` bytes.
std::string read_unzipped(const std::filesystem::path& file, std::uint64_t limit);

// What a gzip file holds, as a file in a scratch folder that goes with this object.
class UnzippedFile {
 public:
  // Throws Error where the file is damaged, or the disk of temporary files too small.
  explicit UnzippedFile(const std::filesystem::path& file);
  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchFolder folder_;
  std::filesystem::path path_;
};

// Throws the Error of text that `where` names and that is in UTF-16, by its mark or by every second byte being 0.
void check_utf8(std::string_view text, const std::string& where);

}  // namespace pairs
