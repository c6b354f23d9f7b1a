#include "tasks/objects/mesh/mesh_file_off.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/objects/mesh/mesh_file_polygon.h"

namespace pairs {
namespace {

constexpr std::uint64_t shortest_vertex = 6, shortest_face = 2;  // "0 0 0\n", "0\n"
constexpr std::size_t most_colors = 4;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// The next word of a line, empty at its end.
std::string_view take_word(std::string_view& line) {
  std::size_t from = 0;
  while (from < line.size() && is_blank(line[from])) ++from;
  std::size_t to = from;
  while (to < line.size() && !is_blank(line[to])) ++to;
  const std::string_view word = line.substr(from, to - from);
  line.remove_prefix(to);
  return word;
}

bool parse_number(std::string_view word, double& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (stop != end || word.empty()) return false;
  // Too large or too small for float64: strtod decides which.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(word).c_str(), nullptr);
  return error == std::errc() || error == std::errc::result_out_of_range;
}

bool parse_count(std::string_view word, std::uint64_t& value) {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  return !word.empty() && stop == end && error == std::errc();
}

class OffReader {
 public:
  OffReader(std::string_view bytes, const std::string& where)
      : rest_(bytes), size_(bytes.size()), where_(where), cutter_(file_, where) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  MeshFile read() {
    read_header();
    check_count(vertices_, shortest_vertex, "vertices");
    file_.mesh.vertices.reserve(vertices_);
    for (std::uint64_t k = 0; k < vertices_; ++k) read_vertex(k);
    check_count(faces_, shortest_face, "faces");
    file_.mesh.triangles.reserve(std::min<std::uint64_t>(faces_, rest_.size() / 8 + 1));
    for (std::uint64_t k = 0; k < faces_; ++k) read_face(k);
    if (next_line())
      fail(ErrorPlace{where_, number_},
           "'{}' stands behind the last of its {}, so the counts in its header are wrong; get it again",
           printable(line_), counted(faces_, "face"));
    PAIRS_CHECK(!file_.mesh.triangles.empty(), "{} has no face of three or more corners: it is no surface", where_);
    return std::move(file_);
  }

 private:
  // Moves to the next line with content, without its comment.
  bool next_line() {
    while (!rest_.empty()) {
      ++number_;
      const std::size_t end = rest_.find('\n');
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
      line_ = line_.substr(0, line_.find('#'));
      while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
      while (!line_.empty() && is_blank(line_.back())) line_.remove_suffix(1);
      if (!line_.empty()) return true;
    }
    return false;
  }

  void read_header() {
    PAIRS_CHECK(next_line(), "{} holds nothing but blanks and comments: get it again", where_);
    std::string_view line = line_;
    const std::size_t word = line.find("OFF");
    if (word != line.npos || line[0] < '0' || line[0] > '9') {
      const std::string_view prefix = line.substr(0, word == line.npos ? 0 : word);
      PAIRS_CHECK(word != line.npos && is_prefix(prefix),
                  "{} starts with '{}', not with OFF: it is no OFF file, or damaged", where_, printable(line_));
      PAIRS_CHECK(prefix.find_first_of("4n") == prefix.npos,
                  "{} is of the kind {}OFF, whose places are not in three dimensions; only surfaces in three are read",
                  where_, prefix);
      line.remove_prefix(word + 3);
      std::string_view more = line;
      PAIRS_CHECK(take_word(more) != "BINARY", "{} is a binary OFF file; convert it to one of text", where_);
      if (more.empty() && line.empty()) {
        PAIRS_CHECK(next_line(), "{} ends behind its first word: it is truncated, get it again", where_);
        line = line_;
      }
    }
    const std::string_view vertices = take_word(line), faces = take_word(line), edges = take_word(line);
    PAIRS_CHECK(parse_count(vertices, vertices_) && parse_count(faces, faces_), ErrorPlace{where_, number_},
                "'{}' does not give the numbers of vertices and faces; get it again", printable(line_));
    std::uint64_t unused = 0;
    PAIRS_CHECK((edges.empty() || parse_count(edges, unused)) && take_word(line).empty(), ErrorPlace{where_, number_},
                "'{}' holds more than the numbers of vertices, faces and edges; get it again", printable(line_));
  }

  static bool is_prefix(std::string_view prefix) {
    if (prefix.starts_with("ST")) prefix.remove_prefix(2);
    for (const char letter : {'C', 'N', '4', 'n'})
      if (prefix.starts_with(letter)) prefix.remove_prefix(1);
    return prefix.empty();
  }

  // The last line may lack its end.
  void check_count(std::uint64_t count, std::uint64_t shortest, const char* what) const {
    PAIRS_CHECK(count <= (rest_.size() + 1) / shortest,
                "{} announces {} {}, more than its {} can hold: it is truncated or its header wrong, get it again",
                where_, count, what, byte_text(size_));
  }

  void read_vertex(std::uint64_t index) {
    PAIRS_CHECK(next_line(), "{} ends after {} of {} vertices: it is truncated, get it again", where_, index,
                vertices_);
    std::string_view line = line_;
    std::array<double, 3>& place = file_.mesh.vertices.emplace_back();
    for (double& x : place) {
      const std::string_view word = take_word(line);
      PAIRS_CHECK(parse_number(word, x), ErrorPlace{where_, number_},
                  "'{}' is no vertex, which has three numbers; get it again", printable(line_));
      PAIRS_CHECK(std::isfinite(x), ErrorPlace{where_, number_},
                  "the coordinate '{}' is not a finite number; get it again", printable(word));
    }
    std::size_t more = 0;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line), ++more) {
      double unused = 0;
      PAIRS_CHECK(parse_number(word, unused), ErrorPlace{where_, number_},
                  "'{}' behind a vertex is no number; get it again", printable(word));
    }
    if (index == 0) more_ = more;
    PAIRS_CHECK(more == more_, ErrorPlace{where_, number_},
                "a vertex of {} numbers where the first has {}; get it again", 3 + more, 3 + more_);
  }

  void read_face(std::uint64_t index) {
    PAIRS_CHECK(next_line(), "{} ends after {} of {} faces: it is truncated, get it again", where_, index, faces_);
    std::string_view line = line_;
    std::uint64_t count = 0;
    PAIRS_CHECK(parse_count(take_word(line), count), ErrorPlace{where_, number_},
                "'{}' is no face, which begins with its number of corners; get it again", printable(line_));
    corners_.clear();
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::string_view word = take_word(line);
      std::uint64_t corner = 0;
      PAIRS_CHECK(!word.empty(), ErrorPlace{where_, number_},
                  "a face of {} corners of which {} are there; get it again", count, k);
      PAIRS_CHECK(parse_count(word, corner), ErrorPlace{where_, number_},
                  "the corner '{}' is no index of a vertex; get it again", printable(word));
      PAIRS_CHECK(corner < vertices_, ErrorPlace{where_, number_},
                  "the corner {} is beyond the last of {} vertices; get it again", corner, vertices_);
      corners_.push_back(static_cast<std::uint32_t>(corner));
    }
    std::size_t colors = 0;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      double unused = 0;
      PAIRS_CHECK(parse_number(word, unused) && ++colors <= most_colors, ErrorPlace{where_, number_},
                  "'{}' behind the corners of a face is no color; get it again", printable(word));
    }
    cutter_.add(corners_);
  }

  std::string_view rest_, line_;
  std::size_t size_, number_ = 0;
  const std::string& where_;
  std::uint64_t vertices_ = 0, faces_ = 0;
  std::size_t more_ = 0;  // numbers after each vertex's three
  std::vector<std::uint32_t> corners_;
  MeshFile file_;
  PolygonCutter cutter_;
};

}  // namespace

MeshFile parse_off(std::string_view bytes, const std::string& where) {
  return OffReader(bytes, where).read();
}

}  // namespace pairs
