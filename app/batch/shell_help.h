#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace pairs::batch {

// The manual page pairs(1) in the language of man: every command with its options and examples, from what --help tells.
// `date` "2026-11-27".
std::string man_page(const CLI::App& app, const std::string& version, const std::string& date);

// Words that stand for what help calls by a name: of an argument or an option's value ("TASK", "RUN"), of one
// command's argument ("figure NAME"), or of an option ("--preset").
using WordsByName = std::map<std::string, std::vector<std::string>>;

// A script of bash that completes what stands behind `pairs`: commands, their options, the values of options that name
// some in their help or in `known`, arguments by `known`, and files.
std::string bash_completion(const CLI::App& app, const WordsByName& known);

}  // namespace pairs::batch
