#include "app/model/compare/run_filter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "app/runs/run_about.h"
#include "app/text/words.h"
#include "core/base/fields/fields.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::model {
namespace {

constexpr std::size_t kLongestFilter = 1000;  // bytes

struct Word {
  std::string text;
  bool quoted = false;  // it begins with a quote: only a text to find
};

// Words between blanks; a quoted text is part of one.
std::vector<Word> split_words(const std::string& text) {
  std::vector<Word> words;
  bool inside = false, open = false;  // within a word; within quotes
  for (const char c : text) {
    if (!open && (c == ' ' || c == '\t' || c == '\n')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    Word& word = words.back();
    if (c == '"') {
      open = !open;
      if (word.text.empty() || word.text == "-") word.quoted = true;
    } else {
      word.text += c;
    }
    inside = true;
  }
  if (open) fail_usage("The filter has a quote without an end; write the second \"");
  std::erase_if(words, [](const Word& word) { return word.text.empty(); });
  return words;
}

bool same_number(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// Whether `text` matches `pattern`, in which * is any text.
bool is_like(const std::string& text, const std::string& pattern) {
  const std::string a = small_letters(text), b = small_letters(pattern);
  std::size_t at = 0, of = 0, star = b.npos, from = 0;
  while (at < a.size()) {
    if (of < b.size() && b[of] == '*') {
      star = of++;
      from = at;
    } else if (of < b.size() && b[of] == a[at]) {
      ++at;
      ++of;
    } else if (star != b.npos) {
      of = star + 1;
      at = ++from;
    } else {
      return false;
    }
  }
  return b.find_first_not_of('*', of) == b.npos;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> all;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(',', from)) != text.npos; from = at + 1)
    all.push_back(text.substr(from, at - from));
  all.push_back(text.substr(from));
  return all;
}

// The full key: the word itself, or the key whose last part it is.
std::string key_named(const std::string& name, const std::string& term, const std::vector<std::string>& keys) {
  std::vector<std::string> ends;
  for (const std::string& key : keys) {
    if (same_word(key, name)) return key;
    const std::size_t dot = key.rfind('.');
    if (dot != key.npos && same_word(key.substr(dot + 1), name)) ends.push_back(key);
  }
  if (ends.size() == 1) return ends.front();
  if (!ends.empty()) fail_usage("\"{}\" may be {}; write the whole key", printable(term), fmt::join(ends, " or "));
  const std::string near = nearest(name, keys);
  fail_usage("\"{}\": there is no column or setting {}{}", printable(term), printable(name),
             near.empty() ? "; put text that is to be found in quotes" : fmt::format("; did you mean {}?", near));
}

bool any_word(const std::vector<std::string>& patterns, const RunValue& value) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    const auto number = number_in(pattern);
    if (number && std::isfinite(value.number)) return same_number(value.number, *number);
    return is_like(value.text, pattern);
  });
}

}  // namespace

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

RunFilter::RunFilter(const std::string& text, const std::vector<std::string>& keys) {
  if (text.size() > kLongestFilter) fail_usage("The filter is longer than {} bytes", kLongestFilter);
  for (const Word& word : split_words(text)) terms_.push_back(parse(word.text, word.quoted, keys));
}

RunFilter::Term RunFilter::parse(const std::string& word, bool quoted, const std::vector<std::string>& keys) {
  Term term;
  std::string rest = word;
  if (rest.size() > 1 && rest.front() == '-' && !number_in(rest)) {
    term.turned = true;
    rest = rest.substr(1);
  }
  const std::size_t at = quoted ? rest.npos : rest.find_first_of("<>=!:");
  if (at == rest.npos) {
    term.values = {rest};
    return term;
  }
  const bool orders = rest[at] == '<' || rest[at] == '>';
  const std::size_t length = rest.compare(at, 2, "<=") == 0 || rest.compare(at, 2, ">=") == 0 ||
                                     rest.compare(at, 2, "!=") == 0 || rest.compare(at, 2, "==") == 0
                                 ? 2
                                 : 1;
  const std::string sign = rest.substr(at, length), value = rest.substr(at + length), name = rest.substr(0, at);
  if (sign == "!") fail_usage("\"{}\": ! alone compares nothing; write != for \"not equal\"", printable(word));
  if (name.empty())
    fail_usage("\"{}\" has nothing before {}; write a column or a setting, such as gap{}0.02", printable(word), sign,
               sign);
  if (value.empty()) fail_usage("\"{}\" has nothing after {}; write what to compare with", printable(word), sign);
  if (value.find_first_of("<>=") != value.npos)
    fail_usage("\"{}\" compares twice; write two terms, such as gap>0.01 gap<0.02", printable(word));
  term.key = same_word(name, "tag") ? "tags" : key_named(name, word, keys);
  if (orders) {
    const auto number = number_in(value);
    if (!number)
      fail_usage("\"{}\": {} is no number, and {} compares numbers", printable(word), printable(value), sign);
    term.number = *number;
    term.relation = sign == "<"    ? Relation::less
                    : sign == "<=" ? Relation::at_most
                    : sign == ">"  ? Relation::more
                                   : Relation::at_least;
    return term;
  }
  term.values = split_list(value);
  term.relation = sign == ":" ? Relation::holds : sign == "!=" ? Relation::unequal : Relation::equal;
  return term;
}

RunFilter::Fit RunFilter::fit(const Term& term, const Lookup& run) {
  const auto reported = [&](bool yes) { return yes != term.turned ? Fit::yes : Fit::no; };
  if (term.relation == Relation::words) {
    const auto holds = [&](const char* key) { return holds_words(run(key).text, term.values.front()); };
    return reported(holds("name") || holds("note") || holds("tags"));
  }
  const RunValue value = run(term.key);
  if (term.key == "tags") {
    RunAbout about;
    about.tags = split_list(value.text);
    for (std::string& tag : about.tags) tag = tidy_text(tag, false);
    const bool any = std::any_of(about.tags.begin(), about.tags.end(), [&](const std::string& tag) {
      return !tag.empty() && std::any_of(term.values.begin(), term.values.end(),
                                         [&](const std::string& pattern) { return is_like(tag, pattern); });
    });
    return reported(any != (term.relation == Relation::unequal));
  }
  if (term.relation == Relation::holds)
    return reported(std::any_of(term.values.begin(), term.values.end(),
                                [&](const std::string& part) { return holds_words(value.text, part); }));
  if (term.relation == Relation::unequal) return reported(!value.known() || !any_word(term.values, value));
  if (!value.known()) return term.turned ? Fit::yes : Fit::lacks;
  if (term.relation == Relation::equal) return reported(any_word(term.values, value));
  if (!std::isfinite(value.number)) return term.turned ? Fit::yes : Fit::lacks;
  switch (term.relation) {
    case Relation::less:
      return reported(value.number < term.number);
    case Relation::at_most:
      return reported(value.number <= term.number);
    case Relation::more:
      return reported(value.number > term.number);
    default:
      return reported(value.number >= term.number);
  }
}

RunFilter::Fit RunFilter::fits(const Lookup& run) const {
  Fit all = Fit::yes;
  for (const Term& term : terms_) {
    const Fit one = fit(term, run);
    if (one == Fit::no) return Fit::no;
    if (one == Fit::lacks) all = Fit::lacks;
  }
  return all;
}

std::vector<std::string> RunFilter::keys() const {
  std::vector<std::string> all;
  for (const Term& term : terms_)
    if (!term.key.empty()) all.push_back(term.key);
  return all;
}

std::string filter_problem(const std::string& text, const std::vector<std::string>& keys) {
  try {
    RunFilter(text, keys);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::string& filter_help() {
  static const std::string text =
      "Terms separated by blanks, all of which a run must match:\n"
      "gap<0.02   a score at the selected N, cost (GFLOP), seconds, seed or a setting: < <= > >= = !=\n"
      "preset=small   the value is this word; strategy=pairs,n1 is any of them; name=bump* begins with bump\n"
      "batch=64   names a setting by the last part of its key, which must be unique\n"
      "tag:paper   has the tag; note:wide has a note that contains these letters\n"
      "wide \"two words\"   each appear in the name, the note or a tag\n"
      "-tag:paper   negates a term\n"
      "A run without such a value matches only !=.";
  return text;
}

}  // namespace pairs::model
