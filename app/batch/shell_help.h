#pragma once

#include <string>

namespace CLI {
class App;
}

namespace pairs::batch {

// The manual page pairs(1) in the language of man: every command with its options and examples, from what --help tells.
// `date` "2026-11-27".
std::string man_page(const CLI::App& app, const std::string& version, const std::string& date);

// A script of bash that completes what stands behind `pairs`: commands, their options, the values of options that name
// some, and files.
std::string bash_completion(const CLI::App& app);

}  // namespace pairs::batch
