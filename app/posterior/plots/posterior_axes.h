#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "app/posterior/source/posterior_numbers.h"
#include "core/task.h"

namespace pairs {

using AxisRange = std::pair<double, double>;

// The range that an axis must show: `must` at least, `well` with some margin.
struct AxisNeed {
  AxisRange must = {INFINITY, -INFINITY}, well = {INFINITY, -INFINITY};

  // Includes a posterior by its quantiles. Beyond `support`, it includes only as far as nine tenths of the posterior
  // lie, and nothing beyond the cells of its density.
  void include(const TargetNumbers& numbers, const Cells& cells, AxisRange support);
  // Includes a value as well.
  void include(double value);
};

// The true value of target t next to the posterior of the first series: that of a periodic target by whole periods.
double next_to_posterior(double truth, const Target& target, const std::vector<PosteriorNumbers>& series,
                         std::size_t t);

// The range of an axis: stays fixed under small changes, and moves to round numbers when the content leaves it or fills
// little of it.
class StableRange {
 public:
  // Starts at `first`, the prior's range, and stays within `support` if the content does.
  explicit StableRange(AxisRange first, AxisRange support = {-INFINITY, INFINITY})
      : first_(first), support_(support), shown_(first) {}
  // Returns the range.
  AxisRange update(const AxisNeed& need);

 private:
  AxisRange first_, support_, shown_;
};

// The height of a density's axis, which starts at zero.
class StableHeight {
 public:
  double update(double peak);

 private:
  double shown_ = 0;
};

// The axes of a figure of posteriors: each target's range and the height of its marginal density.
struct PosteriorAxes {
  std::vector<AxisRange> ranges;
  std::vector<double> heights;
  IntervalKind interval = IntervalKind::central;  // shaded below the first run's density
  bool operator==(const PosteriorAxes&) const = default;
};

// Axes that stay fixed while posteriors of one set at growing N are shown.
class StableAxes {
 public:
  explicit StableAxes(std::vector<Target> targets);
  // `truth`: θ of a simulated set, else empty. Axes without content stay unchanged. Of ghosts, the peak and the middle
  // half of the mass are visible.
  PosteriorAxes update(const std::vector<PosteriorNumbers>& series, const std::vector<double>& truth);

 private:
  std::vector<Target> targets_;
  std::vector<StableRange> ranges_;
  std::vector<StableHeight> heights_;
};

}  // namespace pairs
