#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pairs::model {

// What a run has in a column: words, or a number with the text that people read.
struct RunValue {
  std::string text;  // "" and "–": it has none
  double number = NAN, error = NAN;
  bool known() const { return !text.empty() && text != "–"; }
};

// The number that the whole text is; nothing where it is none.
std::optional<double> number_in(const std::string& text);

// A filter line over runs: terms with blanks between them, all of which a run must meet.
//
//   gap<0.02          a number: <, <=, >, >=, =, != of a score at the chosen N, cost (GFLOP), seconds, seed or a
//   setting preset=small      a word: = and !=; a list is any of them (strategy=pairs,n1), * stands for any letters
//   (name=bump*) batch=64          of a setting's key the last part will do where no other setting ends so
//   (pretrain.batch) tag:paper         has the tag; of other columns "holds these letters" (note:wide) wide "two words"
//   stands in the name, the note or a tag -tag:paper        not: turns any term around
//
// Capitals do not count. A run that has no such value meets no comparison with it but !=.
class RunFilter {
 public:
  RunFilter() = default;
  // `keys`: of columns and settings. Throws a usage Error, a sentence that names the term, what is wrong with it and
  // what would be right.
  RunFilter(const std::string& text, const std::vector<std::string>& keys);

  // What a run has under a key.
  using Lookup = std::function<RunValue(const std::string& key)>;
  enum class Fit {
    yes,
    no,
    lacks  // no, and only since it has no value where a term compares one
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
    std::string key;                  // of a comparison
    std::vector<std::string> values;  // any of them
    double number = NAN;              // of an order
  };
  static Term parse(const std::string& word, bool quoted, const std::vector<std::string>& keys);
  static Fit fit(const Term& term, const Lookup& run);

  std::vector<Term> terms_;
};

// What is wrong with a filter, a sentence; "" where it is right.
std::string filter_problem(const std::string& text, const std::vector<std::string>& keys);

// The grammar for people, as a help text tells it.
const std::string& filter_help();

}  // namespace pairs::model
