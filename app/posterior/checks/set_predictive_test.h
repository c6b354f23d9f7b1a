#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/posterior/checks/predictive_sets.h"
#include "core/eval/metrics/cells.h"
#include "core/report/figure.h"

namespace pairs {

// The histogram of a feature of single observations in the observed set and in simulated ones.
struct FeatureHistogram {
  std::string name;
  std::vector<double> edges, observed;    // observed: counts in the bins
  std::vector<double> low, middle, high;  // 5, 50 and 95 % quantiles of simulated counts in each bin
};

// A run's predictive test of a set (predictive_sets, core/eval/calibration/predictive_test.h).
struct SetPredictiveTest {
  PredictiveTest test;
  std::int64_t n = 0, compared = 0;  // observations in the posterior, and those compared
  PsiSource psi = PsiSource::none;
  bool by_likelihood = false;  // PredictiveSets::by_likelihood
  std::vector<FeatureHistogram> histograms;
  // The posterior of all n observations, and that without outliers; empty without outliers, or if `unanswered` gives a
  // reason.
  std::vector<TargetNumbers> all, without;
  std::int64_t left = 0;
  std::int64_t rounds = 0;             // number of rounds of the search for outliers (SetPosterior::predictive_test)
  std::string unanswered, not_sought;  // not_sought: why no further round was made; "": not needed
  // The p-value of the set without outliers; NaN without outliers, or if `not_judged` gives a reason. At kUnlikeModel
  // or below, the set as a whole does not fit: `test.far` is then empty, and left_out counts the removed observations.
  double left_p = NAN;
  std::string not_judged;
  std::int64_t left_out = 0;
};

std::vector<FeatureHistogram> feature_histograms(const ComparedSets& sets);

// The result of the test in a few sentences, and its method as a caption.
std::string predictive_text(const SetPredictiveTest& test, const TaskInfo& info);
std::string predictive_note(const SetPredictiveTest& test);
// {"p", "sets", "n", "compared", "rounds", "psi", "by_likelihood", "statistics": [{"name", "p", "corrected", "below",
// "z"}], "far":
// [{"observation" (from 1), "tail", "corrected"}], "left": {"n", "p", "left_out", "fits"}?, "without": {"n", "mean",
// "sd", "interval"}?, "text"}; lists have one number per target.
nlohmann::json predictive_document(const SetPredictiveTest& test, const TaskInfo& info);
// A histogram of each feature with the band of 90 % of simulated sets; `role`: the run's.
Figure predictive_figure(const SetPredictiveTest& test, SeriesRole role, const std::string& source);

}  // namespace pairs
