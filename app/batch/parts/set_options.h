#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/posterior/question/set_choice.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// The options that name a set, as given.
class SetOptions {
 public:
  // The set that they name. `seed`: default seed of --random. Throws a usage Error for options that exclude each other.
  SetChoice choice(std::uint64_t seed = 1) const;
  bool given(const std::string& option) const { return words_.contains(option); }

 private:
  friend void add_set_options(CLI::App& app, SetOptions& options, const struct SetOptionUse& use);
  std::map<std::string, std::string> words_;    // by option, without "--"
  std::map<std::string, std::string> without_;  // as in SetOptionUse
};

// How a command uses the options of sets. Every such command has all options of set_fields() except those in `without`.
struct SetOptionUse {
  std::string data = "The observed set, as infer takes it";  // help of --data
  bool needs_data = false;
  // Options that the command lacks, with the sentence shown to the user who gives one. "": the command has an option of
  // this name with another meaning.
  std::map<std::string, std::string> without = {};
  std::map<std::string, std::string> before = {};  // text before the help of an option: "posterior, predictive"
};
// Declares the options. `options` outlives the parsed command.
void add_set_options(CLI::App& app, SetOptions& options, const SetOptionUse& use);

}  // namespace pairs::batch
