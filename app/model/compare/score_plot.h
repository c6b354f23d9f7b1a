#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/model/compare/run_record.h"
#include "core/report/figure.h"

namespace pairs::model {

// The axes of the plot of the listed runs.
struct PlotChoices {
  std::string y = {};  // a score's key; "": the score that compares the task's runs
  std::string x = {};  // "": N; else "cost", "cost_with_cache", "seconds" or a setting whose values are numbers
  std::int64_t n = 0;  // set size of the score unless x is N
  friend bool operator==(const PlotChoices&, const PlotChoices&) = default;
};

// A run whose score is drawn.
struct PlottedRun {
  const RunRecord* record = nullptr;
  std::shared_ptr<const Metrics> metrics;
};

// Draws a score of the runs as lines. Runs that differ only in the seed (and in the setting on the horizontal axis)
// form one line, their mean, with a band of one standard deviation; a line of a single run has the run's name. Against
// cost or time, each group is a point. `note` reports whether lines beyond kMostLines are omitted.
struct ScorePlot {
  std::shared_ptr<const Figure> figure;                  // null: nothing to draw; `note` gives the reason
  std::string note;                                      // "" if nothing is omitted
  std::map<std::string, std::vector<std::string>> runs;  // runs by the name of their line
};
inline constexpr std::size_t kMostLines = 40;
ScorePlot score_plot(const std::vector<PlottedRun>& runs, const PlotChoices& choices);

}  // namespace pairs::model
