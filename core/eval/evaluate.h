#pragma once

#include <torch/types.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/eval/aggregate.h"
#include "core/eval/metrics.h"

namespace pairs {

// What is measured at one set size.
struct EvaluationRow {
  std::int64_t n = 0, sets = 0, samples = 0;
  double nll = NAN, nll_se = NAN;  // original units, nat
  double exact_nll = NAN;          // closed form where known, else the mean over the same sets
  // The exact posterior's mean over the same sets where it was scored, else exact_nll: nll = this + gap.
  double exact_on_sets() const {
    const auto scored = reference_nll.find("exact");
    return scored != reference_nll.end() ? scored->second : exact_nll;
  }
  double gap = NAN, gap_se = NAN;  // mean and s.e. of log exact - log ours, same sets
  double rmae = NAN, acauc = NAN, acauc_floor = NAN, acauc_p95 = NAN;  // floor: mean and corrected 95th percentile
  double sd = NAN;                                                     // mean posterior sd, averaged over targets
  double sbc_p = NAN;                           // chi-square p-value of the ranks, least over targets
  std::map<std::string, double> reference_nll;  // other references of the task on the same sets
  std::vector<std::vector<double>> ranks;       // [target][set]
  std::vector<double> log_prob;                 // [set], for paired comparisons of runs
};

struct EvaluationOptions {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> sets;       // one number for all sizes or one a size
  std::int64_t samples = 500;           // posterior draws a set; 0 leaves out what needs them
  std::uint64_t seed = 1;               // of the test sets: runs evaluated with the same seed see the same sets
  bool exact = true;                    // compare with the task's exact posterior where it has one
  std::vector<std::string> references;  // further references to score ("naive product", ...)
};

// Evaluates on freshly simulated test sets (Purpose::test), every observation embedded, memory independent of N.
// `keep_going` is asked between chunks (false: throws Stopped); `row` receives each finished size.
std::vector<EvaluationRow> evaluate(Estimator& estimator, const EvaluationOptions& options,
                                    const std::function<bool()>& keep_going = {},
                                    const std::function<void(const EvaluationRow&)>& row = {});

}  // namespace pairs
