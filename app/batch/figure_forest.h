#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/batch/arguments.h"
#include "app/posterior/set_choice.h"
#include "core/report/figure.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// What the figure forest reads beside the options of sets and --interval, which it shares.
struct ForestArguments {
  std::string order = "file";
  std::int64_t most = 40;
};
void add_forest_options(CLI::App& app, ForestArguments& arguments);

// Posterior mean and interval of each of many sets: of a file by a column, or of a folder. What is to be told with it
// goes into `warnings`. Throws Error, a usage error where the arguments do not go together.
struct ForestQuestion {
  SetChoice set;  // its file, or folder
  std::string interval;
  ForestArguments own;
  std::int64_t n = 0;  // of each set so many; 0: all
};
Figure draw_forest(const LoadedRun& run, const ForestQuestion& question, std::vector<std::string>& warnings);

}  // namespace pairs::batch
