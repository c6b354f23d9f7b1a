#pragma once

#include <string>
#include <vector>

#include "app/posterior/frequentist/frequentist.h"
#include "core/report/figure.h"

namespace pairs {

// The results of one likelihood for a set, and the critical values at the nodes, one row per level.
struct NeymanCurves {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  FrequentistAnswer answer;
  std::vector<double> nodes;
  std::vector<std::vector<double>> critical;
};

// The curves of the set x from any source of `answer`.
NeymanCurves neyman_curves(const Frequentist& answers, const std::string& name, SeriesRole role,
                           FrequentistAnswer answer, const Observations& x);

// Plots a set's likelihood ratio against θ with its critical values, below which θ is in the interval, and the p-values
// that define intervals and upper limits.
Figure neyman_figure(const TaskInfo& info, const std::vector<NeymanCurves>& curves, const std::string& title,
                     const std::string& source);

// Plots the coverage of intervals at each level against the first nuisance (or against θ without one), one line per θ,
// with a band of three binomial errors around the level.
Figure coverage_figure(const TaskInfo& info, const std::vector<CoveragePoint>& points, const std::string& title,
                       const std::string& source);

}  // namespace pairs
