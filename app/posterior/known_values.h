#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/train/run.h"

namespace pairs {

// Where θ of the things lies that a run learnt from. Where a thing's own θ is such as hardly any of these has, the
// posterior, which expects training's, is drawn away from it, and its aggregate need not show that.
struct KnownValues {
  std::int64_t targets = 0;
  std::vector<double> values;  // [T, targets]; empty where nothing is known of them
  std::vector<double> ends;    // [targets, 2]: the range of each target, infinite where it is open
  double most = 0;             // the distance() that at most 5 % of things held out in training exceed

  bool known() const { return !values.empty(); }
  // Of θ [targets] to the fifth nearest in training. Targets are compared as logarithms of how far they lie from the
  // ends of their range, in units of their sd: what lies at an end is as far away as if all but 3 % of training had
  // stayed away from it, not infinitely.
  double distance(const std::vector<double>& own) const;
  bool unlike(const std::vector<double>& own) const { return known() && distance(own) > most; }
};

// Of the first 20,000 things of the run's stage 1, and 2,000 held out, which stage 2 has; nothing where the target is
// an image, or the run learnt from other data than the task has. `keep_going()` is asked now and then; false throws
// Stopped.
KnownValues learn_values(const LoadedRun& run, const std::function<bool()>& keep_going);

// As FILE.npz: "values" [T, targets], "ends" [targets, 2] and "most" [1], float64. Reading gives nothing where there is
// no file, and throws Error where it is damaged or of another number of targets.
void write_known_values(const std::filesystem::path& file, const KnownValues& values);
KnownValues read_known_values(const std::filesystem::path& file, std::int64_t targets);

// "it is unlike training, where hardly any object has values like its own (V 1.00, log a 0.00)", a clause; "" where
// it is like training or nothing is known.
std::string far_values_text(const KnownValues& known, const TaskInfo& info, const std::vector<double>& own);

}  // namespace pairs
