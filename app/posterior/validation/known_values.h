#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/train/run/run.h"

namespace pairs {

// The θ of the items in a run's training. If hardly any of them resembles an item's own θ, the posterior, which assumes
// the training distribution, is biased away from it, and its aggregate need not show that.
struct KnownValues {
  std::int64_t targets = 0;
  std::vector<double> values;  // [T, targets]; empty if unknown
  std::vector<double> ends;    // [targets, 2]: the bounds of each target, infinite if unbounded
  double most = 0;             // the distance() exceeded by at most 5 % of held-out training items

  bool known() const { return !values.empty(); }
  // The distance from θ [targets] to the fifth nearest neighbor in training. Targets are compared as logarithms of
  // their distances from the bounds of their range, in units of the standard deviation; a value at a bound is treated
  // as if all but 3 % of training were farther from it, not as infinitely far.
  double distance(const std::vector<double>& own) const;
  bool unlike(const std::vector<double>& own) const { return known() && distance(own) > most; }
};

// Uses the first 20,000 items of the run's stage 1 and 2,000 held-out items of stage 2; nothing if the target is an
// image or the run was trained on other data than the task's. `keep_going()` is called at times; false throws Stopped.
KnownValues learn_values(const LoadedRun& run, const std::function<bool()>& keep_going);

// As FILE.npz: "values" [T, targets], "ends" [targets, 2] and "most" [1], float64. Reading returns nothing for a
// missing file and throws Error for one that is damaged or has another number of targets.
void write_known_values(const std::filesystem::path& file, const KnownValues& values);
KnownValues read_known_values(const std::filesystem::path& file, std::int64_t targets);

// "it is out of distribution, where hardly any object has values like its own (V 1.00, log a 0.00)", a clause; "" if
// the item resembles training or nothing is known.
std::string far_values_text(const KnownValues& known, const TaskInfo& info, const std::vector<double>& own);

}  // namespace pairs
