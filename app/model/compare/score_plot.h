#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/model/compare/run_record.h"
#include "core/report/figure.h"

namespace pairs::model {

// What is drawn against what of the runs that a table lists.
struct PlotChoices {
  std::string y = {};  // a score's key; "": by which runs of the task are compared
  std::string x = {};  // "": N; else "cost", "cost_with_cache", "seconds" or a setting whose values are numbers
  std::int64_t n = 0;  // of the score, where x is not N
  friend bool operator==(const PlotChoices&, const PlotChoices&) = default;
};

// A run whose score is drawn.
struct PlottedRun {
  const RunRecord* record = nullptr;
  std::shared_ptr<const Metrics> metrics;
};

// A score of runs as lines: those that differ in their seed alone (and, against a setting, in that setting) are one
// line, the mean, with a band of one standard deviation between them; a line of one run has the run's name. Against
// cost and time each group is a point. Lines beyond kMostLines are left out, and `note` says so.
struct ScorePlot {
  std::shared_ptr<const Figure> figure;                  // null: there is nothing to draw, and `note` says why
  std::string note;                                      // "" where nothing is left out
  std::map<std::string, std::vector<std::string>> runs;  // by the name of their line
};
inline constexpr std::size_t kMostLines = 40;
ScorePlot score_plot(const std::vector<PlottedRun>& runs, const PlotChoices& choices);

}  // namespace pairs::model
