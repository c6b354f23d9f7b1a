#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/caveats/typicality.h"
#include "app/posterior/caveats/verdict.h"
#include "core/sets/observations.h"
#include "core/train/run/run.h"

namespace pairs {

struct WithinOptions {
  std::uint64_t seed = 1;                 // seeds the simulated sets
  torch::Tensor given = {};               // [1, g], if the task's sets have conditions
  std::function<bool()> keep_going = {};  // called between parts; false throws Stopped
  double longest = INFINITY;              // maximum seconds; throws Stopped as soon as more are expected
};

// How a set's observations differ among themselves compared with simulated sets.
struct WithinTest {
  double p = NAN;             // share of held-out simulated sets, the set included, that differ as much
  std::int64_t sets = 0;      // held-out simulated sets
  std::int64_t compared = 0;  // number of observations compared, the first ones
  std::string most;           // the most extreme statistic: "x: kurtosis"
  bool above = false;         // whether it is larger than expected from the set's mean embedding
};

// The p-value at or below which the test within the set rejects the model: with the 0.1 % of typicality, it warns about
// one in a hundred of the model's own sets.
inline constexpr double kUnlikeWithin = 0.009;

// Tests whether a set comes from the model by how its observations differ among themselves: moments and quantiles of
// the observations' numbers and of the leading components of their embeddings, each as it is and relative to the
// expectation given the set's mean embedding. Sets of the whole prior are simulated; one part gives the expected values
// and the scale of each statistic, the other, held-out part the distribution of the largest deviation (split conformal:
// Papadopoulos et al. 2002). A set of the model is exchangeable with the latter, so that the level is exact whatever
// the network's quality. From one thread at a time.
class WithinSets {
 public:
  // For sets of n observations. Throws Error if within_sets_missing gives a reason, and Stopped.
  WithinSets(const LoadedRun& run, std::int64_t n, const WithinOptions& options);
  ~WithinSets();
  // Tests the first compared() of the observations x.
  WithinTest test(const Observations& x) const;
  // Tests several sets, whose first compared() observations follow one another in x.
  std::vector<WithinTest> tests(const Observations& x) const;
  std::int64_t compared() const;
  std::int64_t simulated() const;

 private:
  struct Reference;  // kept in the process for later sets of the same size
  LoadedRun run_;
  std::shared_ptr<const Reference> reference_;
};

// Whether observations of the task are few numbers, as required for the default test.
bool may_compare_within(const TaskInfo& info);

// Why sets of n observations of the run's task are not tested by default, a clause: "its sets take long to simulate and
// embed"; "" if they are. Depends only on the task, the weights and n.
std::string within_sets_missing(const LoadedRun& run, std::int64_t n);

// Adds the test within the set to a verdict: the model is rejected at kUnlikeWithin.
ModelVerdict within_verdict(ModelVerdict other, const WithinTest& within);

// The result in a sentence or two; {"p", "sets", "compared", "most", "above", "text"}.
std::string within_text(const WithinTest& test);
nlohmann::json within_document(const WithinTest& test);

}  // namespace pairs
