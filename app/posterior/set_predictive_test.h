#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/predictive_sets.h"
#include "core/eval/cells.h"
#include "core/report/figure.h"

namespace pairs {

// What a feature of single observations is like in the observed set and in simulated ones.
struct FeatureHistogram {
  std::string name;
  std::vector<double> edges, observed;    // observed: counts in the bins
  std::vector<double> low, middle, high;  // of simulated sets: 5, 50 and 95 % of their counts in each bin
};

// A run's predictive test of a set (predictive_sets, core/eval/predictive_test.h).
struct SetPredictiveTest {
  PredictiveTest test;
  std::int64_t n = 0, compared = 0;  // observations of the posterior, and those of them that were compared
  PsiSource psi = PsiSource::none;
  std::vector<FeatureHistogram> histograms;
  // The posterior of all n, and of those that are left without the observations that lie far; empty where none do, or
  // `unanswered` says why there is none.
  std::vector<TargetNumbers> all, without;
  std::int64_t left = 0;
  std::int64_t rounds = 0;             // in which observations that lie far were sought (SetPosterior::predictive_test)
  std::string unanswered, not_sought;  // not_sought: why no further round was made; "": none was needed
  // The test of what is left without the observations that lie far: its p-value, NaN where none do or `not_judged` says
  // why there is none. Where that is kUnlikeModel or less the set as a whole does not fit: `test.far` is empty, and so
  // many were left out.
  double left_p = NAN;
  std::string not_judged;
  std::int64_t left_out = 0;
};

std::vector<FeatureHistogram> feature_histograms(const ComparedSets& sets);

// From this p-value on a set is called unlike the model: one in a hundred of the model's own is.
inline constexpr double kUnlikeModel = 0.01;

// What the test says, a few sentences; and what it rests on, for a caption.
std::string predictive_text(const SetPredictiveTest& test, const TaskInfo& info);
std::string predictive_note(const SetPredictiveTest& test);
// {"p", "sets", "n", "compared", "rounds", "psi", "statistics": [{"name", "p", "corrected", "below", "z"}], "far":
// [{"observation" (from 1), "tail", "corrected"}], "left": {"n", "p", "left_out", "fits"}?, "without": {"n", "mean",
// "sd", "interval"}?, "text"}; lists one number a target.
nlohmann::json predictive_document(const SetPredictiveTest& test, const TaskInfo& info);
// A histogram of each feature with the band that 90 % of simulated sets fill; `role`: the run's.
Figure predictive_figure(const SetPredictiveTest& test, SeriesRole role, const std::string& source);

}  // namespace pairs
