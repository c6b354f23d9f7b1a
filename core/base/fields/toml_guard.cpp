#include "core/base/fields/toml_guard.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr int max_dots = 15;

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// Scans the text for strings, comments and keys; whether it is valid TOML is checked by the parser.
class Guard {
 public:
  Guard(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  void check() {
    int dots = 0;
    if (starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        // Elsewhere the parser treats the string as part of an unquoted value.
        if (at_ > 0 && (std::string_view(" \t\r\n=,[{.").find(text_[at_ - 1]) == std::string_view::npos ||
                        (text_[at_ - 1] == '.' && value_)))
          refuse("a quote stands in the middle of a value; quote the whole value");
        skip_string();
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      check_bracket(c);
      if (std::string_view("=,{\n").find(c) != std::string_view::npos) value_ = c == '=';
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r')
        refuse("a control character stands outside of quotes; is this a text file?");
      if (!is_ascii(c)) refuse("a character beyond ASCII stands outside of quotes; put the text in quotes");
      if (c == '.') {
        if (++dots > max_dots) refuse("a key has too many dotted parts; check that this is the right file");
      } else if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) {
        dots = 0;
      }
      ++at_;
    }
  }

 private:
  bool starts_with(std::string_view prefix) const { return text_.substr(at_).starts_with(prefix); }

  // An unmatched closing bracket also trips the parser.
  void check_bracket(char c) {
    if (c == '\n') header_ = false;
    if (c == '[' && open_.empty() && opens_line()) {
      header_ = true;
      check_header();
    } else if (c == '[' || c == '{') {
      if (header_) return;
      const std::size_t before = text_.substr(0, at_).find_last_not_of(" \t\r\n");
      if (before == text_.npos || std::string_view("=,[{").find(text_[before]) == std::string_view::npos)
        refuse("a bracket stands in the middle of a value; quote the whole value");
      open_ += c;
    } else if ((c == ']' || c == '}') && !header_) {
      if (open_.empty() || open_.back() != (c == ']' ? '[' : '{')) refuse("a bracket closes nothing that is open");
      open_.pop_back();
    }
  }

  // Whether only blanks precede this on its line.
  bool opens_line() const {
    const std::size_t before = text_.substr(0, at_).find_last_not_of(" \t");
    return before == text_.npos || text_[before] == '\n' || text_[before] == '\r';
  }

  // The parser asserts that a table's name begins like a key.
  void check_header() const {
    const std::size_t name = text_.find_first_not_of(" \t", at_ + (starts_with("[[") ? 2 : 1));
    if (name == text_.npos) return;
    const char c = text_[name];
    const bool key = std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_-\"']").find(c) != text_.npos;
    if (!key) refuse("a table's name must begin with a letter, a digit, _ or -, or stand in quotes");
  }

  // Moves past the string that opens here with a quote of either kind, single or triple.
  void skip_string() {
    const char quote = text_[at_];
    const std::string three(3, quote);
    const bool triple = starts_with(three);
    at_ += triple ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && quote == '"') {
        skip_escape();
      } else if (text_[at_] == '\n' && !triple) {
        return;
      } else if (text_[at_] != quote || (triple && !starts_with(three))) {
        ++at_;
      } else {
        at_ += triple ? 3 : 1;
        // A triple-quoted string may end with quotes of its own.
        while (triple && at_ < text_.size() && text_[at_] == quote) ++at_;
        return;
      }
    }
  }

  void skip_escape() {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", at_ + 1);
    if (next != text_.npos && !is_ascii(text_[next]))
      refuse("a backslash stands before a character beyond ASCII; remove it");
    at_ = std::min(at_ + 2, text_.size());
  }

  [[noreturn]] void refuse(const char* what) const {
    fail_usage(ErrorPlace{where_, 1 + std::count(text_.begin(), text_.begin() + at_, '\n')}, "{}", what);
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::string open_;     // brackets of values that are not closed yet
  bool header_ = false;  // within the line of a table's name
  bool value_ = false;   // after the = of a setting
};

}  // namespace

void check_toml_guard(std::string_view text, const std::string& where) {
  Guard(text, where).check();
}

}  // namespace pairs
