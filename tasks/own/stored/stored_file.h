#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/descriptor.h"

namespace pairs {

// A file that stays open for reading, from as many threads as there are.
class StoredFile {
 public:
  // `name`: as sentences call it. Throws Error where it is missing, empty or no regular file.
  StoredFile(std::filesystem::path path, std::string name);

  const std::filesystem::path& path() const { return path_; }
  const std::string& name() const { return name_; }
  std::uint64_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }
  // Exactly these bytes, or an Error.
  void read(std::uint64_t offset, char* out, std::size_t count) const;

  // "4,096 bytes, modified 2026-11-24 16:59:25.123456789 UTC, ends 1a2b3c4d": what tells whether the file is the same,
  // the last being a checksum of its first and last 4 KiB, where headers and directories stand.
  std::string state() const;
  // Throws Error where the file at that path is no longer as it was when it was opened.
  void check_unchanged() const;

 private:
  std::filesystem::path path_;
  std::string name_;
  Descriptor descriptor_;
  std::uint64_t bytes_ = 0;
  std::int64_t seconds_ = 0, nanoseconds_ = 0;  // of its last change
};

}  // namespace pairs
