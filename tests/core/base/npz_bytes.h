#pragma once

#include <gtest/gtest.h>
#include <zip.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "tests/core/base/temporary_folder.h"

// Files of arrays byte by byte, for tests.

namespace pairs {

// A .npy array with this dictionary; `length` overrides what the header says of itself.
inline std::string npy(const std::string& dictionary, const std::string& data, int version = 1, long length = -1) {
  const auto size = static_cast<std::uint32_t>(length < 0 ? static_cast<long>(dictionary.size()) : length);
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  bytes.append(reinterpret_cast<const char*>(&size), version == 1 ? 2 : 4);
  return bytes + dictionary + data;
}
inline std::string dictionary(const std::string& type, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}
template <class Number>
inline std::string raw(const std::vector<Number>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
}
struct ZipMember {
  std::string name, bytes;
  int method = ZIP_CM_STORE;
};

// A zip file made by libzip alone.
inline std::string zip(const std::vector<ZipMember>& members) {
  const TemporaryFolder folder;
  const std::string file = (folder / "x.zip").string();
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE, nullptr);
  for (const ZipMember& member : members) {
    zip_source_t* source = zip_source_buffer(archive, member.bytes.data(), member.bytes.size(), 0);
    const auto index = zip_file_add(archive, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    EXPECT_GE(index, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), member.method, 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return read_file(file);
}

}  // namespace pairs
