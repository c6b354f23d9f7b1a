#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tasks/objects/view_cache.h"

namespace pairs {

// The file: 24 bytes (magic word, size of the settings, their checksum), the settings' text, then one record after
// another. A record: magic word, its total size, size of its head, checksum of its head, the head (key, cameras, size
// and checksum of each image), and the images, compressed separately. Numbers are little-endian.
std::string pack_view_header(const ViewSettings& settings);

// Packs the record of a mesh with views [views, side, side].
std::string pack_view_record(const std::string& key, const std::vector<render::MeshCamera>& cameras,
                             const std::uint8_t* views, std::int64_t side);

// Compresses one image, each row as its difference from the row above, deflated; and expands it, false if it is
// invalid.
std::string compress_view(const std::uint8_t* image, std::int64_t side);
bool expand_view(const std::string& bytes, std::int64_t side, std::uint8_t* out);

// The content of a file: the last complete record of each key, the end of the last record, and a sentence for each
// damaged part.
struct ViewFile {
  std::map<std::string, ViewRecord> records;
  std::uint64_t end = 0;
  std::vector<std::string> damaged;
};
// Reads the records' heads and, if `images` is set, checks every image. Throws Error if the file's own header is
// damaged or has other settings. Silently skips a torn last record.
ViewFile scan_view_file(int descriptor, const ViewSettings& settings, const std::string& where, bool images);

}  // namespace pairs
