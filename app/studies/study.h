#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// A setting that a study varies, with its values as `--set` takes them.
struct Sweep {
  std::string key;
  std::vector<std::string> values;
};

// Runs of a study: each task with each strategy, seed and combination of swept values.
struct StudyRuns {
  std::string name = {};  // in the names of its runs; ""
  std::vector<std::string> tasks;
  std::vector<std::string> strategies = {"pairs"};
  std::vector<std::string> planned = {};  // further strategies, whose cost is told but which are not trained
  std::vector<std::int64_t> seeds = {1};
  std::vector<std::string> set = {};  // "key=value", of all of them
  std::vector<Sweep> vary = {};
};

// A study at one preset.
struct StudyPart {
  std::string preset;
  std::vector<StudyRuns> runs;
};

// What a study file says (docs/studies.md): which runs, and what is drawn of them.
struct Study {
  std::string name;  // of the file, without its ending
  std::filesystem::path file;
  std::string title, note;
  std::vector<StudyPart> parts;
  std::vector<std::string> figures = {};  // names of study figures
  std::int64_t mcmc_sets = 0;             // at each place of a nuisance that chains are run on beside; 0: none
  std::vector<std::string> reads = {};    // other studies, by name, whose runs its figures show, too
};

// Reads a study file. Tasks named by a file ending in .toml are relative to it. `presets`, where there are any, are run
// in place of those that the file names. Throws a usage error that names file and line.
Study read_study(const std::filesystem::path& file, const std::vector<std::string>& presets = {});

// The same of a text that stands, or will stand, in that file.
Study parse_study(std::string_view text, const std::filesystem::path& file,
                  const std::vector<std::string>& presets = {});

// Gives every run these settings ("key=value"), over what the file sets or varies.
void set_all(Study& study, const std::vector<std::string>& assignments);

}  // namespace pairs
