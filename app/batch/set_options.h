#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/posterior/set_choice.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// The options that name a set, as they were given.
class SetOptions {
 public:
  // The set that they name. `seed`: that --random draws by where it names none, and by which observations are made of a
  // thing where the command has no --seed of a set's own. Throws a usage Error where they do not go together.
  SetChoice choice(std::uint64_t seed = 1) const;
  bool given(const std::string& option) const { return words_.contains(option); }

 private:
  friend void add_set_options(CLI::App& app, SetOptions& options, const struct SetOptionUse& use);
  std::map<std::string, std::string> words_;    // by option, without "--"
  std::map<std::string, std::string> without_;  // as SetOptionUse has it
};

// How a command takes a set. Every command that takes one has all options of set_fields() but those in `without`.
struct SetOptionUse {
  std::string data = "The observed set, as infer takes it";  // help of --data
  bool needs_data = false;
  // Options that the command lacks, with the sentence that says why, which whoever gives one reads. "": the command has
  // an option of this name that means something else.
  std::map<std::string, std::string> without = {};
  std::map<std::string, std::string> before = {};  // words before the help of an option: "posterior, predictive"
};
// Declares the options. `options` outlives the parsed command.
void add_set_options(CLI::App& app, SetOptions& options, const SetOptionUse& use);

}  // namespace pairs::batch
