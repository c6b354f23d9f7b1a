#include "core/base/fields/renamed_keys.h"

#include <algorithm>
#include <utility>

namespace pairs {
namespace {

struct Renamed {
  std::string_view table;  // the last part of the table that holds the key; "*": any
  std::string_view before, now;
};
constexpr Renamed kKeys[] = {
    {"*", "standardise", "standardize"}, {"*", "neighbours", "neighbors"}, {"*", "optimise", "optimize"},
    {"*", "normalised", "normalized"},   {"set", "given", "conditions"},   {"", "beside", "others"},
};
// Tables [[...]] of a file.
constexpr Renamed kTables[] = {{"", "given", "conditions"}};
// Values, each a whole text.
constexpr Renamed kValues[] = {{"", "amortised", "amortized"}};

constexpr std::string_view kBlank = " \t";

bool in_word(char c) {
  return c == '_' || c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }

// The present name of the last part of a key in a table; "" if it is the same.
std::string_view present_part(std::string_view table, std::string_view part) {
  for (const Renamed& one : kKeys)
    if (one.before == part && (one.table == "*" || one.table == last_part(table))) return one.now;
  return {};
}

// A text in quotes: a setting's key, "KEY=VALUE", or a value that has another name.
std::string present_text(std::string_view text) {
  for (const Renamed& one : kValues)
    if (text == one.before) return std::string(one.now);
  const std::size_t end = std::min(text.find_first_of("= \t"), text.size());
  const std::string_view key = text.substr(0, end), rest = text.substr(end);
  if (key.empty() || !std::all_of(key.begin(), key.end(), [](char c) { return c == '.' || in_word(c); }) ||
      (!rest.empty() && rest.find('=') == rest.npos))
    return std::string(text);
  const std::size_t part = key.rfind('.') + 1;
  const std::string_view now = part == 0 ? std::string_view() : present_part(key.substr(0, part - 1), key.substr(part));
  std::string out(key.substr(0, part));
  out += now.empty() ? key.substr(part) : now;
  const std::size_t value = rest.find('=') == rest.npos ? rest.npos : rest.find_first_not_of("= \t");
  if (value == rest.npos) return out += rest;
  return out += std::string(rest.substr(0, value)) + present_text(rest.substr(value));
}

// The texts of a line from `at` on, with their present names; `open`: the quotes of a text of several lines that the
// line begins in or, afterwards, ends in.
void add_rest(std::string_view line, std::size_t at, std::string_view& open, std::string& out) {
  while (at < line.size()) {
    if (!open.empty()) {
      const std::size_t end = line.find(open, at);
      const std::size_t next = end == line.npos ? line.size() : end + open.size();
      out += line.substr(at, next - at);
      if (end != line.npos) open = {};
      at = next;
      continue;
    }
    const char c = line[at];
    if (c == '#') {
      out += line.substr(at);
      return;
    }
    if (c != '"' && c != '\'') {
      out += c;
      ++at;
      continue;
    }
    const std::string_view three = c == '"' ? R"(""")" : "'''";
    if (line.substr(at).starts_with(three)) {
      open = three;
      out += three;
      at += 3;
      continue;
    }
    std::size_t end = at + 1;
    while (end < line.size() && line[end] != c) end += c == '"' && line[end] == '\\' ? 2 : 1;
    end = std::min(end, line.size());
    const std::string_view text = line.substr(at + 1, end - at - 1);
    out += c;
    out += text.find('\\') == text.npos ? present_text(text) : std::string(text);
    if (end < line.size()) out += c;
    at = end + 1;
  }
}

// The line with its key renamed; `table` is the table that it is in and, for the line of a table, becomes its name.
void add_line(std::string_view line, std::string& table, std::string_view& open, std::string& out) {
  std::size_t at = 0;
  if (open.empty()) {
    at = std::min(line.find_first_not_of(kBlank), line.size());
    out += line.substr(0, at);
    if (at < line.size() && line[at] == '[') {
      const std::size_t begin = line.find_first_not_of("[ \t", at), end = std::min(line.find(']', at), line.size());
      std::string_view name = begin < end ? line.substr(begin, end - begin) : std::string_view();
      // A line of a list of lists names no table.
      if (!name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c == '.' || in_word(c); })) {
        out += line.substr(at, begin - at);
        for (const Renamed& one : kTables)
          if (name == one.before && line.substr(at).starts_with("[[")) name = one.now;
        out += name;
        table = name;
        at = end;
      }
    } else {
      std::size_t end = at;
      const bool quoted = at < line.size() && (line[at] == '"' || line[at] == '\'');
      if (quoted) {
        end = std::min(line.find(line[at], at + 1), line.size());
        end += end < line.size();
      } else {
        while (end < line.size() && (in_word(line[end]) || line[end] == '.')) ++end;
      }
      const std::size_t equals = line.find_first_not_of(kBlank, end);
      if (end > at && equals != line.npos && line[equals] == '=') {
        std::string_view key = line.substr(at, end - at);
        if (quoted) key = key.substr(1, key.size() - 2);
        const std::size_t part = key.rfind('.') + 1;
        const std::string_view now =
            present_part(part == 0 ? std::string_view(table) : key.substr(0, part - 1), key.substr(part));
        if (quoted) out += line[at];
        out += key.substr(0, part);
        out += now.empty() ? key.substr(part) : now;
        if (quoted) out += line[at];
        at = end;
      }
    }
  }
  add_rest(line, at, open, out);
}

}  // namespace

std::string present_key(std::string_view key) {
  const std::size_t part = key.rfind('.') + 1;
  const std::string_view now =
      present_part(part == 0 ? std::string_view() : key.substr(0, part - 1), key.substr(part));
  if (!now.empty()) return std::string(key.substr(0, part)) + std::string(now);
  for (const Renamed& one : kTables)
    if (key == one.before) return std::string(one.now);
  return "";
}

std::string present_value(std::string_view value) {
  for (const Renamed& one : kValues)
    if (value == one.before) return std::string(one.now);
  return "";
}

std::string with_present_keys(std::string_view toml) {
  std::string out, table;
  std::string_view open;
  for (std::size_t at = 0; at < toml.size();) {
    const std::size_t end = std::min(toml.find('\n', at), toml.size());
    add_line(toml.substr(at, end - at), table, open, out);
    if (end < toml.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace pairs
