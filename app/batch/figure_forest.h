#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/batch/arguments.h"
#include "core/report/figure.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// What the figure forest reads beside --file, --columns and --interval, which it shares.
struct ForestArguments {
  std::string group, order = "file";
  std::int64_t most = 40;
};
void add_forest_options(CLI::App& app, ForestArguments& arguments);

// Posterior mean and interval of each of many sets: of a file by a column, or of a folder. What is to be told with it
// goes into `warnings`. Throws Error, a usage error where the arguments do not go together.
struct ForestQuestion {
  std::string file, interval, reader;
  std::vector<std::string> columns;
  ForestArguments own;
  std::int64_t n = 0;        // of each set the first; 0: all
  std::int64_t random = -1;  // the seed that draws among them; below 0: the first
};
Figure draw_forest(const LoadedRun& run, const ForestQuestion& question, std::vector<std::string>& warnings);

}  // namespace pairs::batch
