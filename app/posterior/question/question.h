#pragma once

#include <toml++/toml.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/posterior/question/set_choice.h"
#include "app/posterior/question/source_wish.h"
#include "core/base/fields/table_reader.h"
#include "core/eval/metrics/interval.h"

namespace pairs {

// A posterior that is drawn behind the shown one for comparison: its name, its run, and what it answers.
struct PinnedQuestion {
  std::string name, run;  // run: a folder, or a task's name for its shipped weights
  SetChoice set;
  std::int64_t n = 1;
  // Checksums of the run's weights and of the set's file when a session was saved; "": unknown.
  std::string weights = {}, sha256 = {};
  SourceWish source = SourceWish::run;  // run, or refined
  bool operator==(const PinnedQuestion&) const = default;
};

// The tests of a posterior that a person asks for by name.
inline constexpr std::array<const char*, 4> kPosteriorTests = {"local", "predictive", "observations", "confidence"};

// What a person asks of a posterior: which run and set, how many of its observations, and what is shown with the
// answer. Commands, the requests of the window, reports, settings and sessions hold it whole, so that none of them
// loses a field. A new field needs its line in `question_fields` (question.cpp), where it gets its key in TOML, and
// nothing else to be kept.
struct Question {
  std::string run = {};  // a folder, or a task's name for its shipped weights; "": the open one
  SetChoice set = {};
  bool many = false;                     // the file of `set` holds many sets, of which `set.member` is shown
  std::int64_t n = 0;                    // observations of the set; 0: the program's choice
  std::vector<std::string> others = {};  // runs whose posteriors are drawn, too
  IntervalKind interval = IntervalKind::central;
  bool learned_product = false;           // among the references
  SourceWish source = SourceWish::best;   // the run's own posterior or its refined one
  std::vector<std::string> derived = {};  // quantities of the targets: "ratio = theta/psi"
  // Quantities of other targets, by the targets' names: shown with runs that have these targets.
  std::map<std::vector<std::string>, std::vector<std::string>> other_derived = {};
  std::string prior = {};               // another prior as it was typed: "theta = beta(2, 8)"; "": none
  std::vector<std::string> tests = {};  // of this set and N, among kPosteriorTests
  std::uint64_t seed = 1;               // of posterior samples, and of tests but the predictive one
  std::uint64_t predictive_seed = 1;    // of the predictive test
  std::vector<PinnedQuestion> pinned = {};
  bool operator==(const Question&) const = default;
};

// The question as a table of TOML, with what differs from the usual: keys of its own, [set] and [[pinned]].
toml::table question_table(const Question& question);
// Takes the keys of a question from a table that may hold others; `more_of_set` takes other keys of its [set]. Throws a
// usage Error that names file and line. `where`: the file, which outlives the call.
Question read_question(TableReader& reader, const std::string& where,
                       const std::function<void(TableReader&)>& more_of_set = {});

// Replaces each path in the question: of runs, and of files.
using PathChange = std::function<std::string(const std::string& path)>;
void change_paths(Question& question, const PathChange& run, const PathChange& file);

// Whether every text of the question is UTF-8, which TOML needs.
bool is_utf8(const Question& question);

}  // namespace pairs
