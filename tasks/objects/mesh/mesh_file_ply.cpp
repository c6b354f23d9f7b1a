#include "tasks/objects/mesh/mesh_file_ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

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

struct PlyType {
  std::uint64_t bytes = 0;  // size of a number in a binary file, 0 for an unknown type
  bool whole = false, negative = false;
};

PlyType ply_type(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, PlyType>, 16> types = {{{"char", {1, true, true}},
                                                                                  {"uchar", {1, true, false}},
                                                                                  {"int8", {1, true, true}},
                                                                                  {"uint8", {1, true, false}},
                                                                                  {"short", {2, true, true}},
                                                                                  {"ushort", {2, true, false}},
                                                                                  {"int16", {2, true, true}},
                                                                                  {"uint16", {2, true, false}},
                                                                                  {"int", {4, true, true}},
                                                                                  {"uint", {4, true, false}},
                                                                                  {"int32", {4, true, true}},
                                                                                  {"uint32", {4, true, false}},
                                                                                  {"float", {4, false, true}},
                                                                                  {"float32", {4, false, true}},
                                                                                  {"double", {8, false, true}},
                                                                                  {"float64", {8, false, true}}}};
  for (const auto& [known, type] : types)
    if (name == known) return type;
  return {};
}

// One number of an element, or a list of numbers after their count.
struct PlyProperty {
  bool list = false;
  PlyType number, count;
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0, bytes = 0;  // bytes: the smallest size of one element
  std::vector<PlyProperty> properties;
};

enum class PlyFormat { text, little_endian, big_endian };

bool has_list(const PlyElement& element) {
  return std::ranges::any_of(element.properties, &PlyProperty::list);
}

void check_list(const PlyElement& element, std::string_view count, bool holds, const std::string& where) {
  PAIRS_CHECK(holds, "{} has a list of '{}' entries in an element '{}', which cannot be: it is damaged, get it again",
              where, printable(count), printable(element.name));
}

// Assimp reads one element per line and ignores what follows its properties. Empty lines and comments are skipped.
void check_text_lists(std::string_view body, std::span<const PlyElement> elements, const std::string& where) {
  std::size_t at = 0;
  const auto next_line = [&] {
    const std::size_t end = std::min(body.find_first_of("\r\n", at), body.size());
    const std::string_view line = body.substr(at, end - at);
    at = std::min(end + (body.substr(end).starts_with("\r\n") ? 2 : 1), body.size());
    return line;
  };
  for (const PlyElement& element : elements) {
    const bool lists = has_list(element);
    for (std::uint64_t k = 0; k < element.count && at < body.size();) {
      const std::string_view line = next_line(),
                             text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
      if (text.empty() || text.starts_with("comment")) continue;
      ++k;
      if (!lists) continue;
      const std::vector<std::string_view> words = ply_words(text);
      std::size_t word = 0;
      for (const PlyProperty& property : element.properties) {
        if (word >= words.size()) break;
        std::uint64_t entries = 0;
        if (property.list) {
          const std::string_view digits = words[word].substr(words[word].starts_with('+') ? 1 : 0);
          const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), entries);
          check_list(element, words[word], error == std::errc() && entries < words.size() - word, where);
        }
        word += 1 + entries;
      }
    }
  }
  while (at < body.size()) {
    const std::string_view line = next_line(), text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!text.empty() && !text.starts_with("comment"))
      fail("{} holds more lines than its header announces, the first '{}'; correct the counts of its elements", where,
           printable(std::string(text), 40));
  }
}

void check_binary_lists(std::string_view body, std::span<const PlyElement> elements, bool little,
                        const std::string& where) {
  std::uint64_t at = 0;
  const auto whole_number = [&](const PlyType& type) {
    std::uint64_t bits = 0;
    for (std::uint64_t k = 0; k < type.bytes; ++k) {
      const std::uint64_t byte = static_cast<unsigned char>(body[at + k]);
      bits |= byte << (8 * (little ? k : type.bytes - 1 - k));
    }
    const std::uint64_t beyond = std::uint64_t{1} << (8 * type.bytes);
    return static_cast<std::int64_t>(type.negative && bits >= beyond / 2 ? bits - beyond : bits);
  };
  for (const PlyElement& element : elements) {
    if (!has_list(element)) {
      at += element.count * element.bytes;
      continue;
    }
    for (std::uint64_t k = 0; k < element.count; ++k)
      for (const PlyProperty& property : element.properties) {
        if (!property.list) {
          at += property.number.bytes;
          continue;
        }
        if (at > body.size() || body.size() - at < property.count.bytes) return;  // truncated, which Assimp reports
        const std::int64_t entries = whole_number(property.count);
        at += property.count.bytes;
        check_list(element, fmt::to_string(entries),
                   entries >= 0 && static_cast<std::uint64_t>(entries) <= (body.size() - at) / property.number.bytes,
                   where);
        at += static_cast<std::uint64_t>(entries) * property.number.bytes;
      }
  }
}

}  // namespace

void check_ply_counts(std::string_view bytes, const std::string& where) {
  PlyFormat format = PlyFormat::text;
  bool started = false, ended = false;
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
      format = words[1] == "ascii"               ? PlyFormat::text
               : words[1] == "binary_big_endian" ? PlyFormat::big_endian
                                                 : PlyFormat::little_endian;
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
      const PlyProperty property{list, ply_type(words[list ? 3 : 1]), list ? ply_type(words[2]) : PlyType{}};
      if (property.number.bytes == 0 || (list && !property.count.whole)) refuse();
      // The first list of a face holds its corners.
      const std::uint64_t entries = !list ? 1 : element.name == "face" && element.properties.empty() ? 3 : 0;
      element.bytes +=
          format == PlyFormat::text ? 2 * (entries + list) : property.count.bytes + entries * property.number.bytes;
      element.properties.push_back(property);
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
  const std::string_view body = bytes.substr(std::min(at, bytes.size()));
  if (format == PlyFormat::text)
    check_text_lists(body, elements, where);
  else
    check_binary_lists(body, elements, format == PlyFormat::little_endian, where);
}

}  // namespace pairs
