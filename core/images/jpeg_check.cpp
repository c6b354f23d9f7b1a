#include "core/images/jpeg_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace pairs {
namespace {

constexpr int kMostScans = 100;
constexpr std::size_t kTables = 4, kMostSymbols = 256;

// Walks from marker to marker as stb_image does, but accepts nothing between them.
class JpegWalk {
 public:
  explicit JpegWalk(std::string_view bytes) : bytes_(bytes) {}

  const char* flaw() {
    if (!bytes_.starts_with("\xff\xd8")) return "no JPEG";
    for (at_ = 2;;) {
      const std::optional<unsigned> marker = next_marker();
      if (!marker) return "cut short or damaged between its segments";
      if (*marker == 0xd9) return finished() ? nullptr : "it lacks a part of the image";
      std::string_view segment;
      if (!take_segment(segment)) return "cut short";
      const char* const wrong = read(*marker, segment);
      if (wrong) return wrong;
    }
  }

 private:
  struct Component {
    unsigned id, quantisation;
    bool seen = false;  // in a scan that begins it
  };

  static unsigned byte(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

  std::optional<unsigned> next_marker() {
    if (at_ >= bytes_.size() || byte(bytes_, at_) != 0xff) return {};
    while (at_ < bytes_.size() && byte(bytes_, at_) == 0xff) ++at_;
    if (at_ >= bytes_.size()) return {};
    return byte(bytes_, at_++);
  }

  bool take_segment(std::string_view& segment) {
    if (bytes_.size() - at_ < 2) return false;
    const std::size_t length = byte(bytes_, at_) << 8 | byte(bytes_, at_ + 1);
    if (length < 2 || length > bytes_.size() - at_) return false;
    segment = bytes_.substr(at_ + 2, length - 2);
    at_ += length;
    return true;
  }

  const char* read(unsigned marker, std::string_view segment) {
    if ((marker >= 0xe0 && marker <= 0xef) || marker == 0xfe || marker == 0xdd) return nullptr;
    if (marker == 0xc4) return read_huffman(segment);
    if (marker == 0xdb) return read_quantisation(segment);
    if (marker >= 0xc0 && marker <= 0xc2) return read_frame(marker, segment);
    if (marker == 0xda) return read_scan(segment);
    return "a kind of JPEG that is not supported";
  }

  const char* read_huffman(std::string_view segment) {
    while (!segment.empty()) {
      if (segment.size() < 17) return "a damaged Huffman table";
      const unsigned which = byte(segment, 0), kind = which >> 4, place = which & 15;
      std::size_t symbols = 0;
      for (std::size_t k = 1; k <= 16; ++k) symbols += byte(segment, k);
      if (kind > 1 || place >= kTables || symbols > kMostSymbols || symbols > segment.size() - 17)
        return "a damaged Huffman table";
      huffman_[kind][place] = true;
      segment.remove_prefix(17 + symbols);
    }
    return nullptr;
  }

  const char* read_quantisation(std::string_view segment) {
    while (!segment.empty()) {
      const unsigned which = byte(segment, 0), place = which & 15;
      const std::size_t length = which >> 4 ? 129 : 65;
      if (which >> 4 > 1 || place >= kTables || segment.size() < length) return "a damaged quantisation table";
      quantisation_[place] = true;
      segment.remove_prefix(length);
    }
    return nullptr;
  }

  const char* read_frame(unsigned marker, std::string_view segment) {
    if (count_ > 0 || segment.size() < 6) return "a damaged frame";
    count_ = byte(segment, 5);
    if (count_ < 1 || count_ > components_.size() || segment.size() != 6 + 3 * count_) return "a damaged frame";
    progressive_ = marker == 0xc2;
    for (std::size_t c = 0; c < count_; ++c) {
      components_[c] = {byte(segment, 6 + 3 * c), byte(segment, 8 + 3 * c)};
      if (components_[c].quantisation >= kTables) return "a damaged frame";
    }
    return nullptr;
  }

  const char* read_scan(std::string_view segment) {
    if (++scans_ > kMostScans) return "too many scans";
    const std::size_t count = segment.empty() ? 0 : byte(segment, 0);
    if (count_ == 0 || count < 1 || count > count_ || segment.size() != 4 + 2 * count) return "a damaged scan";
    const unsigned first = byte(segment, 1 + 2 * count), high = byte(segment, 3 + 2 * count) >> 4;
    for (std::size_t k = 0; k < count; ++k) {
      const unsigned id = byte(segment, 1 + 2 * k), tables = byte(segment, 2 + 2 * k);
      const auto end = components_.begin() + static_cast<std::ptrdiff_t>(count_);
      const auto component = std::find_if(components_.begin(), end, [&](const Component& c) { return c.id == id; });
      if (component == end || tables >> 4 >= kTables || (tables & 15) >= kTables) return "a damaged scan";
      const bool constant = first == 0, begins = !progressive_ || (constant && high == 0);
      if (!begins && !component->seen) return "a scan of what was not begun";
      component->seen |= begins;
      if (!quantisation_[component->quantisation] || (begins && !huffman_[0][tables >> 4]) ||
          ((!progressive_ || !constant) && !huffman_[1][tables & 15]))
        return "a scan without its tables";
    }
    // Zero bytes behind 0xff and restarts belong to the scan.
    while (at_ + 1 < bytes_.size()) {
      const unsigned next = byte(bytes_, at_ + 1);
      if (byte(bytes_, at_) == 0xff && next != 0 && (next < 0xd0 || next > 0xd7)) return nullptr;
      ++at_;
    }
    return "cut short";
  }

  bool finished() const {
    return count_ > 0 && std::all_of(components_.begin(), components_.begin() + static_cast<std::ptrdiff_t>(count_),
                                     [](const Component& c) { return c.seen; });
  }

  std::string_view bytes_;
  std::size_t at_ = 0, count_ = 0;
  std::array<Component, 4> components_{};
  std::array<std::array<bool, kTables>, 2> huffman_{};  // of constant terms, of the others
  std::array<bool, kTables> quantisation_{};
  bool progressive_ = false;
  int scans_ = 0;
};

}  // namespace

const char* jpeg_flaw(std::string_view bytes) {
  return JpegWalk(bytes).flaw();
}

}  // namespace pairs
