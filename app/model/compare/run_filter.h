#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pairs::model {

// A run's value in a column: words, or a number and its printed form.
struct RunValue {
  std::string text;  // "" or "–": no value
  double number = NAN, error = NAN;
  bool known() const { return !text.empty() && text != "–"; }
};

// The number that the text consists of, if it is one.
std::optional<double> number_in(const std::string& text);

// A filter of runs: terms separated by blanks; a run must match all of them.
//
//   gap<0.02         compares a number (<, <=, >, >=, =, !=): a score at the chosen N, cost (GFLOP), seconds, seed
//                    or a setting
//   preset=small     compares a word (=, !=); a list matches any of its words (strategy=pairs,n1), and * matches any
//                    text (name=bump*)
//   batch=64         the last part of a setting's key suffices if it is unique (pretrain.batch)
//   tag:paper        has the tag; in other columns, contains the text (note:wide)
//   wide             contains the text in the name, the note or a tag; "two words" in quotes
//   -tag:paper       negates any term
//
// Ignores case. A run without a value fails every comparison with it except !=.
class RunFilter {
 public:
  RunFilter() = default;
  // `keys`: the keys of columns and settings. Throws a usage Error that names the term, the problem and the remedy.
  RunFilter(const std::string& text, const std::vector<std::string>& keys);

  // Returns a run's value for a key.
  using Lookup = std::function<RunValue(const std::string& key)>;
  enum class Fit {
    yes,
    no,
    lacks  // no, only because a compared value is missing
  };
  Fit fits(const Lookup& run) const;
  bool empty() const { return terms_.empty(); }
  // The keys that terms compare.
  std::vector<std::string> keys() const;

 private:
  enum class Relation { words, holds, equal, unequal, less, at_most, more, at_least };
  struct Term {
    bool turned = false;
    Relation relation = Relation::words;
    std::string key;                  // the key that is compared
    std::vector<std::string> values;  // alternatives, any of which matches
    double number = NAN;              // the bound of <, <=, > and >=
  };
  static Term parse(const std::string& word, bool quoted, const std::vector<std::string>& keys);
  static Fit fit(const Term& term, const Lookup& run);

  std::vector<Term> terms_;
};

// Describes the error of a filter; "" for a valid one.
std::string filter_problem(const std::string& text, const std::vector<std::string>& keys);

// The grammar as a help text.
const std::string& filter_help();

}  // namespace pairs::model
