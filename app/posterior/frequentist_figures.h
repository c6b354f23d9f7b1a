#pragma once

#include <string>
#include <vector>

#include "app/posterior/frequentist.h"
#include "core/report/figure.h"

namespace pairs {

// What one likelihood says of a set: its answer, and critical values at the nodes, a row a level of the answer.
struct NeymanCurves {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  FrequentistAnswer answer;
  std::vector<double> nodes;
  std::vector<std::vector<double>> critical;
};

// Of the set x, by whatever answers it.
NeymanCurves neyman_curves(const Frequentist& answers, const std::string& name, SeriesRole role,
                           FrequentistAnswer answer, const Observations& x);

// The likelihood ratio of a set against θ beside its critical values, below which θ is in the interval, and the
// p-values that intervals and upper limits are read off.
Figure neyman_figure(const TaskInfo& info, const std::vector<NeymanCurves>& curves, const std::string& title,
                     const std::string& source);

// How often intervals hold θ at each level, against the first nuisance (without one against θ), a line a θ, with three
// binomial errors about the level.
Figure coverage_figure(const TaskInfo& info, const std::vector<CoveragePoint>& points, const std::string& title,
                       const std::string& source);

}  // namespace pairs
