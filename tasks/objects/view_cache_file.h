#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tasks/objects/view_cache.h"

namespace pairs {

// The file: 24 bytes (magic word, bytes of the settings, their checksum), the settings' text, then records one behind
// the other. A record: magic word, its bytes in all, bytes of its head, checksum of its head, the head (key, cameras,
// bytes and checksum of each image), and the images, compressed one by one. Numbers little-endian.
std::string pack_view_header(const ViewSettings& settings);

// A mesh's record of views [views, side, side].
std::string pack_view_record(const std::string& key, const std::vector<render::MeshCamera>& cameras,
                             const std::uint8_t* views, std::int64_t side);

// One image, each row as its difference from the one above, deflated; and back, false when it is not one.
std::string compress_view(const std::uint8_t* image, std::int64_t side);
bool expand_view(const std::string& bytes, std::int64_t side, std::uint8_t* out);

// What a file holds: the last whole record of each key, where the last record ends, and a sentence for each stretch
// that is damaged.
struct ViewFile {
  std::map<std::string, ViewRecord> records;
  std::uint64_t end = 0;
  std::vector<std::string> damaged;
};
// Reads the records' heads, and where `images` says so checks every image. Throws Error when the file's own header is
// damaged or of other settings. A torn last record is left out without a word.
ViewFile scan_view_file(int descriptor, const ViewSettings& settings, const std::string& where, bool images);

}  // namespace pairs
