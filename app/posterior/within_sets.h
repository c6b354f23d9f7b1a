#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/typicality.h"
#include "app/posterior/verdict.h"
#include "core/sets/observations.h"
#include "core/train/run.h"

namespace pairs {

struct WithinOptions {
  std::uint64_t seed = 1;                // of the simulated sets
  torch::Tensor given = {};              // [1, g], where the task's sets come with some
  std::function<bool()> keep_going = {}; // asked between pieces; false throws Stopped
  double longest = INFINITY;             // seconds; Stopped is thrown as soon as the pace shows that they do not do
};

// How a set's observations differ among themselves, beside simulated sets.
struct WithinTest {
  double p = NAN;             // share of the held-out simulated sets, the set included, that differ as much
  std::int64_t sets = 0;      // held-out simulated sets
  std::int64_t compared = 0;  // observations of the set that were compared, its first
  std::string most;           // the statistic that stands out most: "x: kurtosis"
  bool above = false;         // whether the set has more of it than its mean embedding leads to expect
};

// From this p-value of the test within the set on, the model is rejected: with the 0.1 % of typicality one in a hundred
// of the model's own sets is warned of.
inline constexpr double kUnlikeWithin = 0.009;

// Tests whether a set comes from the model by how its observations spread among themselves: moments and quantiles of
// the observations' numbers and of the leading components of their embeddings, each as it is and beside what the set's
// mean embedding leads to expect. Sets of the whole prior are simulated; one part gives the expected values and the
// scale of each statistic, the other, which had no part in that, the distribution of the largest deviation (split
// conformal: Papadopoulos et al. 2002). A set of the model is exchangeable with those, so that the level holds whatever
// the network answers. From one thread at a time.
class WithinSets {
 public:
  // Sets of n observations. Throws Error where within_sets_missing gives a reason, and Stopped.
  WithinSets(const LoadedRun& run, std::int64_t n, const WithinOptions& options);
  ~WithinSets();
  // Of the first compared() of the observations x.
  WithinTest test(const Observations& x) const;
  // Of several sets, whose first compared() observations follow one another in x.
  std::vector<WithinTest> tests(const Observations& x) const;
  std::int64_t compared() const;
  std::int64_t simulated() const;

 private:
  struct Reference;  // kept within the process for sets of the same size that come later
  LoadedRun run_;
  std::shared_ptr<const Reference> reference_;
};

// Whether observations of the task are few numbers, as those of sets that are compared by default are.
bool may_compare_within(const TaskInfo& info);

// Why sets of n observations of the run's task are not compared by default, a clause: "its sets take long to simulate
// and embed"; "" where they are. A function of the task, the weights and n alone.
std::string within_sets_missing(const LoadedRun& run, std::int64_t n);

// A verdict with what the test within the set adds to it: the model is rejected at kUnlikeWithin.
ModelVerdict within_verdict(ModelVerdict other, const WithinTest& within);

// What the test found, a sentence or two; {"p", "sets", "compared", "most", "above", "text"}.
std::string within_text(const WithinTest& test);
nlohmann::json within_document(const WithinTest& test);

}  // namespace pairs
