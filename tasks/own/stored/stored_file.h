#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/files/descriptor.h"

namespace pairs {

// A file that stays open for reading from any number of threads.
class StoredFile {
 public:
  // `name`: its name in sentences. Throws Error if it is missing, empty or not a regular file.
  StoredFile(std::filesystem::path path, std::string name);

  const std::filesystem::path& path() const { return path_; }
  const std::string& name() const { return name_; }
  std::uint64_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }
  // Reads exactly these bytes, or throws Error.
  void read(std::uint64_t offset, char* out, std::size_t count) const;

  // "4,096 bytes, modified 2026-11-24 16:59:25.123456789 UTC, ends 1a2b3c4d": identifies the file's state; the last
  // item is a checksum of its first and last 4 KiB, where headers and directories are.
  std::string state() const;
  // Throws Error if the file at that path has changed since it was opened.
  void check_unchanged() const;

 private:
  std::filesystem::path path_;
  std::string name_;
  Descriptor descriptor_;
  std::uint64_t bytes_ = 0;
  std::int64_t seconds_ = 0, nanoseconds_ = 0;  // time of its last modification
};

}  // namespace pairs
