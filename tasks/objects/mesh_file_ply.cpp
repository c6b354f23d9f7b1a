#include "tasks/objects/mesh_file_ply.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pairs {
namespace {

constexpr std::size_t longest_ply_header = 1 << 20;

std::vector<std::string_view> ply_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t from = line.find_first_not_of(" \t", at);
    if (from == line.npos) break;
    at = std::min(line.find_first_of(" \t", from), line.size());
    words.push_back(line.substr(from, at - from));
  }
  return words;
}

// Bytes of a number in a binary file, 0 for an unknown type.
std::uint64_t ply_type_bytes(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 16> types = {{{"char", 1},
                                                                                        {"uchar", 1},
                                                                                        {"int8", 1},
                                                                                        {"uint8", 1},
                                                                                        {"short", 2},
                                                                                        {"ushort", 2},
                                                                                        {"int16", 2},
                                                                                        {"uint16", 2},
                                                                                        {"int", 4},
                                                                                        {"uint", 4},
                                                                                        {"int32", 4},
                                                                                        {"uint32", 4},
                                                                                        {"float", 4},
                                                                                        {"float32", 4},
                                                                                        {"double", 8},
                                                                                        {"float64", 8}}};
  for (const auto& [name, bytes] : types)
    if (type == name) return bytes;
  return 0;
}

struct PlyElement {
  std::string name;
  std::uint64_t count = 0, bytes = 0, properties = 0;  // bytes: the fewest of one
};

}  // namespace

void check_ply_counts(std::string_view bytes, const std::string& where) {
  bool text = true, started = false, ended = false;
  std::vector<PlyElement> elements;
  std::size_t at = 0;
  while (!ended) {
    PAIRS_CHECK(at < bytes.size() && at < longest_ply_header,
                "{} has no end of a PLY header: it is no PLY file, or "
                "truncated",
                where);
    const std::size_t end = std::min(bytes.find_first_of("\r\n", at), bytes.size());
    const std::vector<std::string_view> words = ply_words(bytes.substr(at, end - at));
    const std::string_view line = bytes.substr(at, end - at);
    at = end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1);
    if (!started) {
      PAIRS_CHECK(words.size() == 1 && (words[0] == "ply" || words[0] == "PLY"),
                  "{} does not start with 'ply': it is no PLY file, or damaged", where);
      started = true;
      continue;
    }
    if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
    const auto refuse = [&] {
      fail("{} has '{}' in its header, which is no line of PLY; get it again", where, printable(line));
    };
    if (words[0] == "end_header") {
      ended = true;
    } else if (words[0] == "format" && words.size() == 3) {
      text = words[1] == "ascii";
    } else if (words[0] == "element" && words.size() == 3) {
      PlyElement& element = elements.emplace_back();
      element.name = words[1];
      const char* last = words[2].data() + words[2].size();
      const auto [stop, error] = std::from_chars(words[2].data(), last, element.count);
      if (stop != last || error != std::errc()) refuse();
    } else if (words[0] == "property" && !elements.empty() && (words.size() == 3 || words.size() == 5)) {
      PlyElement& element = elements.back();
      const bool list = words.size() == 5;
      if (list != (words[1] == "list")) refuse();
      const std::uint64_t number = ply_type_bytes(words[1 + list]), entry = list ? ply_type_bytes(words[3]) : 1;
      if (number == 0 || entry == 0) refuse();
      // The first list of a face is its corners.
      const std::uint64_t entries = list && element.name == "face" && element.properties == 0 ? 3 : 0;
      element.bytes += text ? 2 * (1 + entries) : number + entries * entry;
      ++element.properties;
    } else {
      refuse();
    }
  }
  std::uint64_t left = bytes.size() - std::min(at, bytes.size()) + 1;  // the last line may lack its end
  for (const PlyElement& element : elements) {
    const std::uint64_t each = std::max<std::uint64_t>(element.bytes, 1);
    PAIRS_CHECK(element.count <= left / each,
                "{} announces {} elements '{}', more than its {} can hold: it is truncated or its header wrong, get "
                "it again",
                where, element.count, printable(element.name), byte_text(bytes.size()));
    left -= element.count * each;
  }
}

}  // namespace pairs
