#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/batch/parts/arguments.h"
#include "app/posterior/question/question.h"
#include "core/report/figure.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// The options of the figure forest, in addition to the shared options of sets and --interval.
struct ForestArguments {
  std::string order = "file";
  std::int64_t most = 40;
};
void add_forest_options(CLI::App& app, ForestArguments& arguments);

// Draws the posterior mean and interval of each of many sets of a file, by a column, or of a folder. Adds caveats to
// `warnings`. Throws Error, a usage error for arguments that exclude each other.
Figure draw_forest(const LoadedRun& run, const Question& question, const ForestArguments& own,
                   std::vector<std::string>& warnings);

}  // namespace pairs::batch
