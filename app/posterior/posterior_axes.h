#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "app/posterior/posterior_numbers.h"
#include "core/task.h"

namespace pairs {

using AxisRange = std::pair<double, double>;

// What an axis has to show: `must` at least, `well` with some room around it.
struct AxisNeed {
  AxisRange must = {INFINITY, -INFINITY}, well = {INFINITY, -INFINITY};

  // Takes in a posterior by its quantiles. What lies beyond `support` is shown only as far as nine tenths of it do, and
  // nothing beyond the cells that its density is known on.
  void include(const TargetNumbers& numbers, const Cells& cells, AxisRange support);
  // Takes in a value beside what is there already.
  void include(double value);
};

// The range that an axis shows: stands still while what it shows changes little, and moves to round numbers when that
// leaves it or fills little of it.
class StableRange {
 public:
  // Starts at `first`, the prior's, and stays within `support` where what it shows does.
  explicit StableRange(AxisRange first, AxisRange support = {-INFINITY, INFINITY})
      : first_(first), support_(support), shown_(first) {}
  // Gives the range.
  AxisRange update(const AxisNeed& need);

 private:
  AxisRange first_, support_, shown_;
};

// The same for densities, whose axis starts at zero.
class StableHeight {
 public:
  double update(double peak);

 private:
  double shown_ = 0;
};

// The axes of a figure of posteriors: of each target its range, and the height of its marginal's density.
struct PosteriorAxes {
  std::vector<AxisRange> ranges;
  std::vector<double> heights;
  IntervalKind interval = IntervalKind::central;  // that is shaded below the first run's density
  bool operator==(const PosteriorAxes&) const = default;
};

// Axes that stand still while posteriors of one set at growing N are shown.
class StableAxes {
 public:
  explicit StableAxes(std::vector<Target> targets);
  // `truth`: θ of a simulated set, else empty. What there is none of to show keeps its axes. Of ghosts the peak and the
  // middle half of the mass are seen.
  PosteriorAxes update(const std::vector<PosteriorNumbers>& series, const std::vector<double>& truth);

 private:
  std::vector<Target> targets_;
  std::vector<StableRange> ranges_;
  std::vector<StableHeight> heights_;
};

}  // namespace pairs
