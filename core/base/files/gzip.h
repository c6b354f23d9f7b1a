#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/files/scratch_folder.h"

namespace pairs {

// Whether bytes begin like a gzip file.
bool is_gzip(std::string_view bytes);

// Whether a file begins like a gzip file.
bool is_gzip_file(const std::filesystem::path& file);

// Up to `most` bytes from the beginning of a file, unpacked if it is a gzip file. "" if it cannot be read.
std::string unzipped_head(const std::filesystem::path& file, std::size_t most);

// read_file that unpacks a gzip file. Throws Error if the file is damaged, cut short, or holds more than `limit` bytes.
std::string read_unzipped(const std::filesystem::path& file, std::uint64_t limit);

// Unpacks a gzip file to a file in a scratch folder, which is removed with this object.
class UnzippedFile {
 public:
  // Throws Error if the file is damaged or the disk of temporary files is too small.
  explicit UnzippedFile(const std::filesystem::path& file);
  const std::filesystem::path& path() const { return path_; }

 private:
  ScratchFolder folder_;
  std::filesystem::path path_;
};

// Throws Error for text in UTF-16, detected by its mark or by every second byte being 0; `where` names the text.
void check_utf8(std::string_view text, const std::string& where);

}  // namespace pairs
