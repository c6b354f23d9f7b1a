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
  std::string name = {};  // part of the names of its runs; or ""
  std::vector<std::string> tasks;
  std::vector<std::string> strategies = {"pairs"};
  std::vector<std::string> planned = {};  // further strategies, whose cost is reported but which are not trained
  std::vector<std::int64_t> seeds = {1};
  std::vector<std::string> set = {};  // "key=value", for all runs
  std::vector<Sweep> vary = {};
};

// A study at one preset.
struct StudyPart {
  std::string preset;
  std::vector<StudyRuns> runs;
};

// The contents of a study file (docs/how-to/studies.md): its runs, and its figures.
struct Study {
  std::string name;  // name of the file without extension
  std::filesystem::path file;
  std::string title, note;
  std::vector<StudyPart> parts;
  std::vector<std::string> figures = {};  // names of study figures
  std::int64_t mcmc_sets = 0;             // sets at each nuisance value for comparison with Markov chains; 0: none
  std::vector<std::string> reads = {};    // other studies, by name, whose runs its figures include
};

// Reads a study file. Tasks named by a file ending in .toml are relative to it. `presets`, if any, replace those of the
// file. Throws a usage error with file and line.
Study read_study(const std::filesystem::path& file, const std::vector<std::string>& presets = {});

// Parses the text of a study, which is or will be stored in that file.
Study parse_study(std::string_view text, const std::filesystem::path& file,
                  const std::vector<std::string>& presets = {});

// Gives every run these settings ("key=value"), which override those of the file.
void set_all(Study& study, const std::vector<std::string>& assignments);

}  // namespace pairs
