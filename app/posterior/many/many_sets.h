#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/answer/posterior_answer.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/checks/within_sets.h"
#include "app/posterior/set/set_stream.h"
#include "app/posterior/source/refined_source.h"
#include "app/posterior/validation/recalibration.h"
#include "core/eval/calibration/disagreement.h"
#include "core/eval/metrics/cells.h"

namespace pairs {

// The results for one of many sets.
struct SetRow {
  std::string name;
  std::string problem;                      // a sentence on why it failed; then the rest is empty
  std::int64_t n = 0;                       // N
  std::int64_t held = 0, dropped = 0;       // observations of the set, and those omitted for a missing value
  std::vector<TargetNumbers> numbers;       // by target
  std::vector<TargetNumbers> exact = {};    // of the exact posterior, if requested and known
  std::vector<TargetNumbers> refined = {};  // of the refined posterior, if both were asked for and it is possible
  SourceWish source = SourceWish::run;      // of `numbers` and `samples`: run or refined
  bool sources = false;                     // it may have been either
  double kl = NAN;                          // from the exact posterior to the run's, nat
  std::vector<double> own = {};             // for an item: ItemMarks::truth,
  std::string kind = {};                    // kind_of(),
  std::vector<Recalibration> recalibrations = {};  // and the widening of its posterior, if any
  Typicality typicality = {};
  std::optional<WithinTest> within = {};  // the test within the set,
  std::string no_within = {};             // or why it was not made, a clause; "" if not requested
  ModelVerdict verdict = {};
  Disagreement disagreement = {};  // of an ensemble's members
  bool extrapolates = false;
  bool cut = false;  // it has more observations than the task's largest N; a warning reports it
  std::vector<std::string> warnings;
  std::vector<std::string> of_item = {};    // the warnings about this very item, by name
  torch::Tensor samples = {};               // [S, d] on the CPU, if requested
  torch::Tensor log_density = {};           // [P] float64, if values of θ were to be scored
  Observations x = {};                      // the N observations, if requested
  torch::Tensor given = {};                 // [1, g], its conditions
  std::vector<std::string> withdrawn = {};  // warnings that do not apply to a rejected model
};

// How to evaluate many sets.
struct ManySetsQuestion {
  // The N of a set that holds so many observations; throws Error if the set cannot be used.
  std::function<std::int64_t(const std::string& name, std::int64_t held)> size;
  std::optional<std::uint64_t> random = {};     // the seed of a random subset of N observations; none: the first N
  torch::Tensor given = {};                     // conditions of all sets, [1, g]; undefined: each set's own, or none
  std::uint64_t seed = 1;                       // of samples
  std::int64_t draws = 1000;                    // samples drawn of each set if needed,
  std::int64_t kept = 0;                        // and the number of them that are passed on
  bool keep_observations = false;               // SetRow::x
  bool within = true;                           // whether each is tested within the set (within_rows.h)
  std::shared_ptr<const Refiner> refiner = {};  // refines posteriors; null: they are not refined
  SourceWish source = SourceWish::run;          // which of them, and which comes first
  std::function<bool()> keep_refining = {};     // false ends the refinement of a set
  bool exact = false;                           // whether to add exact posteriors, for a task that knows_exact;
  bool files = false;                           // it may know sets by their file names
  // Values of θ to score, float64: [P, d] for all sets, or [sets, P, d] for each set; undefined: none.
  torch::Tensor theta = {};
};

// Evaluates every set of the stream, a bounded number at a time on all threads, and passes on the rows in order. Each
// row equals the results of SetPosterior for that set to the bit (a refined posterior but for rounding, since
// SetPosterior computes it on all threads); of references, only the exact posterior is used. A set's row reports its
// problems. `keep_going()` false between batches throws Stopped.
void answer_sets(const AskedRun& run, SetStream& sets, const ManySetsQuestion& question,
                 const std::function<void(const SetRow&)>& row, const std::function<bool()>& keep_going = {});

}  // namespace pairs
