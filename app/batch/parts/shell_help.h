#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pairs::batch {

// The manual page pairs(1) in the language of man: every command with its options and examples, from the texts of
// --help. `date` "2026-11-27".
std::string man_page(const CLI::App& app, const std::string& version, const std::string& date);

// The possible words for a name in help texts: of an argument or an option's value ("TASK", "RUN"), of one command's
// argument ("figure NAME"), or of an option ("--preset").
using WordsByName = std::map<std::string, std::vector<std::string>>;

// A bash script that completes the arguments of `pairs`: commands, their options, option values listed in their help or
// in `known`, arguments by `known`, and files.
std::string bash_completion(const CLI::App& app, const WordsByName& known);

}  // namespace pairs::batch
