#include "core/base/fields/renamed_keys.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pairs {
namespace {

struct Renamed {
  std::string_view table;  // the last part of the table that holds the key; "*": any
  std::string_view before, now;
};
constexpr Renamed kKeys[] = {
    {"*", "standardise", "standardize"}, {"*", "neighbours", "neighbors"}, {"*", "optimise", "optimize"},
    {"*", "normalised", "normalized"},   {"*", "maximised", "maximized"},  {"set", "given", "conditions"},
    {"pinned", "given", "conditions"},   {"", "beside", "others"},         {"question", "beside", "others"},
};
// Tables [[...]] of a file.
constexpr Renamed kTables[] = {{"", "given", "conditions"}};
// Values of the key `table`.
constexpr Renamed kValues[] = {{"heads", "amortised", "amortized"}};

// Options of commands, and a command.
constexpr Renamed kOptions[] = {{"", "--given", "--conditions"},
                                {"", "--learnt-prior", "--training-prior"},
                                {"", "--beside", "--compare-with"},
                                {"", "tried", "external-validation"}};

// The word before a prior that training had, in what a person writes.
constexpr Renamed kBefore = {"", "learnt ", "training "};

constexpr std::string_view kBlank = " \t";

bool in_word(char c) {
  return c == '_' || c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string_view last_part(std::string_view key) {
  return key.substr(key.rfind('.') + 1);
}

// The present name of the last part of a key in a table; "" if it is the same.
std::string_view present_part(std::string_view table, std::string_view part) {
  for (const Renamed& one : kKeys)
    if (one.before == part && (one.table == "*" || one.table == last_part(table))) return one.now;
  return {};
}

// Another prior, as a person writes it: "beta(2, 8); learnt theta = normal(0, 1)".
std::string present_prior(std::string_view text) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(';', from), text.size());
    const std::string_view part = text.substr(from, to - from);
    const std::size_t word = std::min(part.find_first_not_of(' '), part.size());
    const bool before = part.substr(word).starts_with(kBefore.before) && part.find('(') != part.npos;
    out += part.substr(0, word);
    if (before) out += kBefore.now;
    out += part.substr(word + (before ? kBefore.before.size() : 0));
    if (to < text.size()) out += ';';
    from = to + 1;
  }
  return out;
}

// A text in quotes, which is the value of a key or one of its values.
std::string present_text(std::string_view key, std::string_view text) {
  for (const Renamed& one : kValues)
    if (text == one.before && last_part(key) == one.table) return std::string(one.now);
  return key == "prior" ? present_prior(text) : std::string(text);
}

// What carries over from one line to the next.
struct Place {
  std::string table, key;      // the last ones
  std::string_view open = {};  // the quotes of a text of several lines
  std::int64_t depth = 0;      // of brackets
};

// The values in a line from `at` on, with their present names.
void add_rest(std::string_view line, std::size_t at, Place& place, std::string& out) {
  while (at < line.size()) {
    if (!place.open.empty()) {
      const std::size_t end = line.find(place.open, at);
      const std::size_t next = end == line.npos ? line.size() : end + place.open.size();
      out += line.substr(at, next - at);
      if (end != line.npos) place.open = {};
      at = next;
      continue;
    }
    const char c = line[at];
    if (c == '#') {
      out += line.substr(at);
      return;
    }
    if (c != '"' && c != '\'') {
      place.depth += (c == '[' || c == '{') - (c == ']' || c == '}');
      out += c;
      ++at;
      continue;
    }
    const std::string_view three = c == '"' ? R"(""")" : "'''";
    if (line.substr(at).starts_with(three)) {
      place.open = three;
      out += three;
      at += 3;
      continue;
    }
    std::size_t end = at + 1;
    while (end < line.size() && line[end] != c) end += c == '"' && line[end] == '\\' ? 2 : 1;
    end = std::min(end, line.size());
    const std::string_view text = line.substr(at + 1, end - at - 1);
    out += c;
    out += text.find('\\') == text.npos ? present_text(place.key, text) : std::string(text);
    if (end < line.size()) out += c;
    at = end + 1;
  }
}

// Renames the table of a line "[table]" or "[[table]]", or the key of a line "key = value", and returns where the rest
// of the line begins.
std::size_t add_name(std::string_view line, std::size_t at, Place& place, std::string& out) {
  const auto bare = [](std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c == '.' || in_word(c); });
  };
  constexpr std::string_view kQuotes = "[ \t\"'";
  if (at < line.size() && line[at] == '[') {
    const std::size_t begin = std::min(line.find_first_not_of(kQuotes, at), line.size());
    std::size_t end = begin;
    while (end < line.size() && (in_word(line[end]) || line[end] == '.')) ++end;
    const std::size_t close = line.find(']', end);
    std::string_view name = line.substr(begin, end - begin);
    if (!bare(name) || close == line.npos) return at;
    place.table = name;
    place.key.clear();
    for (const Renamed& one : kTables)
      if (name == one.before && line.substr(at).starts_with("[[")) name = one.now;
    out += line.substr(at, begin - at);
    out += name;
    const std::size_t after = std::min(line.find_first_not_of("] \t\"'", close), line.size());
    out += line.substr(end, after - end);
    return after;
  }
  const bool quoted = at < line.size() && (line[at] == '"' || line[at] == '\'');
  std::size_t end = at;
  if (quoted)
    end = std::min(line.find(line[at], at + 1), line.size() - 1) + 1;
  else
    while (end < line.size() && (in_word(line[end]) || line[end] == '.')) ++end;
  const std::size_t equals = line.find_first_not_of(kBlank, end);
  if (end == at || equals == line.npos || line[equals] != '=') return at;
  std::string_view key = line.substr(at, end - at);
  if (quoted) key = key.substr(1, key.size() - 2);
  place.key = key;
  const std::size_t part = key.rfind('.') + 1;
  const std::string_view table = part == 0 ? std::string_view(place.table) : key.substr(0, part - 1);
  const std::string_view now = present_part(table, key.substr(part));
  if (quoted) out += line[at];
  out += key.substr(0, part);
  out += now.empty() ? key.substr(part) : now;
  if (quoted) out += line[at];
  return end;
}

void add_line(std::string_view line, Place& place, std::string& out) {
  std::size_t at = 0;
  if (place.open.empty() && place.depth <= 0) {
    place.depth = 0;
    at = std::min(line.find_first_not_of(kBlank), line.size());
    out += line.substr(0, at);
    at = add_name(line, at, place, out);
  }
  add_rest(line, at, place, out);
}

}  // namespace

std::string present_key(std::string_view key) {
  const std::size_t part = key.rfind('.') + 1;
  const std::string_view now = present_part(part == 0 ? std::string_view() : key.substr(0, part - 1), key.substr(part));
  if (!now.empty()) return std::string(key.substr(0, part)) + std::string(now);
  for (const Renamed& one : kTables)
    if (key == one.before) return std::string(one.now);
  return "";
}

std::string present_option(std::string_view option) {
  for (const Renamed& one : kOptions)
    if (option == one.before) return std::string(one.now);
  return "";
}

std::string present_value(std::string_view value) {
  for (const Renamed& one : kValues)
    if (value == one.before) return std::string(one.now);
  return "";
}

std::string earlier_prior_word(std::string_view prior) {
  return present_prior(prior) == prior ? "" : std::string(kBefore.before.substr(0, kBefore.before.find(' ')));
}

std::string with_present_keys(std::string_view toml) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8
  std::string out;
  Place place;
  std::size_t at = 0;
  if (toml.starts_with(kMark)) {
    out += kMark;
    at = kMark.size();
  }
  while (at < toml.size()) {
    const std::size_t end = std::min(toml.find('\n', at), toml.size());
    add_line(toml.substr(at, end - at), place, out);
    if (end < toml.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace pairs
