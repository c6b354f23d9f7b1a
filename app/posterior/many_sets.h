#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/posterior_answer.h"
#include "app/posterior/recalibration.h"
#include "app/posterior/set_stream.h"
#include "app/posterior/verdict.h"
#include "app/posterior/within_sets.h"
#include "core/eval/cells.h"
#include "core/eval/disagreement.h"

namespace pairs {

// What is known of one of many sets.
struct SetRow {
  std::string name;
  std::string problem;                    // a sentence; then the rest is empty
  std::int64_t n = 0;                     // N
  std::int64_t held = 0, dropped = 0;     // observations of the set, and others that are left out for a missing value
  std::vector<TargetNumbers> numbers;     // by target
  std::vector<TargetNumbers> exact = {};  // those of the exact posterior, where it was asked for and is known
  double kl = NAN;                        // from that to ours, nat
  std::vector<double> own = {};           // of a thing: ThingMarks::truth,
  std::string kind = {};                  // kind_of(),
  std::vector<Recalibration> recalibrations = {};  // and by what its posterior is widened, none where it is not
  Typicality typicality = {};
  std::optional<WithinTest> within = {};  // whether it differs among itself as sets of the model do,
  std::string no_within = {};             // or why that was not tested, a clause; "" where it was not asked for
  ModelVerdict verdict = {};
  Disagreement disagreement = {};  // of an ensemble's members
  bool extrapolates = false;
  bool cut = false;  // it holds more observations than the task's largest N; a warning reports it
  std::vector<std::string> warnings;
  std::vector<std::string> of_thing = {};  // those of them that are about this very thing, by its name
  torch::Tensor samples = {};              // [S, d] on the CPU, where they were asked for
  torch::Tensor log_density = {};          // [P] float64, where values of θ were to be scored
  Observations x = {};                     // the N observations, where they were asked for
  torch::Tensor given = {};                // [1, g], what was given of it
  std::vector<std::string> withdrawn = {};  // those of the warnings that do not hold where the model is rejected
};

// How many sets are asked about.
struct ManySetsQuestion {
  // N of a set that holds so many observations; throws Error where the set cannot be asked about.
  std::function<std::int64_t(const std::string& name, std::int64_t held)> size;
  std::optional<std::uint64_t> random = {};  // the seed that draws N of the observations; none: the first
  torch::Tensor given = {};                  // of every set, [1, g]; undefined: each set's own, or none
  std::uint64_t seed = 1;                    // of samples
  std::int64_t draws = 1000;                 // samples of each set that are drawn where they are needed,
  std::int64_t kept = 0;                     // and the first of them, which are handed on
  bool keep_observations = false;            // SetRow::x
  bool within = true;                        // whether each is tested within the set (within_rows.h)
  bool exact = false;                        // the exact posterior of each set as well, of a task that knows_exact;
  bool files = false;                        // it may know sets by names that are those of files
  // Values of θ to score, float64: [P, d] of every set, or [sets, P, d] of each its own; undefined: none.
  torch::Tensor theta = {};
};

// Asks the run about every set of the stream, a bounded number of them at a time on all threads, and hands on the
// answers in the order of the stream. Each is what SetPosterior says of the set alone, to the bit; of references none
// but the exact posterior is asked. The row of a set reports what is wrong with it. Between batches `keep_going()`
// false throws Stopped.
void answer_sets(const AskedRun& run, SetStream& sets, const ManySetsQuestion& question,
                 const std::function<void(const SetRow&)>& row, const std::function<bool()>& keep_going = {});

}  // namespace pairs
