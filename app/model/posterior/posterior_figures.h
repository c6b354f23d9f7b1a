#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/posterior/grid_posterior.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs::model {

// The range that an axis shows: stands still while what it shows changes little, and grows or shrinks to round numbers
// when that leaves it or fills little of it.
class StableRange {
 public:
  // `low` .. `high`: the widest it needs to be, and where it starts.
  StableRange(double low, double high) : most_{low, high}, shown_{low, high} {}
  // Takes in what must be seen; gives the range.
  std::pair<double, double> update(double low, double high);

 private:
  std::pair<double, double> most_, shown_;
};

// The same for densities, whose axis starts at zero.
class StableHeight {
 public:
  double update(double peak);

 private:
  double shown_ = 0;
};

using Truth = std::vector<double>;  // θ of a simulated set; empty when unknown

// What the axis of a target must show of the posteriors of runs and the exact one.
std::pair<double, double> occupied_range(const std::vector<PosteriorNumbers>& series, std::size_t target);

// One target: densities, with the intervals of 50 and 90 % of the first run shaded. More: marginals, a plot each.
Plot density_plot(const std::vector<PosteriorNumbers>& series, const Target& target, std::size_t index,
                  const Truth& truth, std::pair<double, double> range, double height);
// Contours of 50 and 90 %.
Plot contour_plot(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets, const Truth& truth,
                  const std::vector<std::pair<double, double>>& ranges);

// Posterior sd of each target against N.
struct WidthPoint {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  std::int64_t n = 0;
  std::vector<double> sd;
};
Figure width_against_n(const std::vector<WidthPoint>& points, const std::vector<Target>& targets, std::int64_t most,
                       std::int64_t shown);

// What the first run answers, beside the exact posterior where there is one; empty where no run is shown.
std::string posterior_sentence(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets);

}  // namespace pairs::model
