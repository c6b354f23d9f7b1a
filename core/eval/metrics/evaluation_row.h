#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/eval/metrics/mean_error.h"

namespace pairs {

// Compares the ranks of truths among posterior samples with uniform ranks, for one target: z-scores of the mean rank
// and of the mean of |rank - 1/2|, the p-value of a chi-square test over bins, and the p-value of the ranks' ECDF by
// simultaneous bands (core/eval/calibration/uniform_ecdf.h). Positive z: truths lie above the samples, and posteriors
// are too narrow. See core/eval/calibration/calibration.h.
struct RankTest {
  double location_z = NAN, width_z = NAN, rank_p = NAN, ecdf_p = NAN;
};

// log reference - log ours at the truths of the first sets: mean and standard error, the number of sets, and of those
// on which the reference has no density and counts as ours.
struct ReferenceGain {
  double mean = NAN, se = NAN;
  std::int64_t sets = 0, left_out = 0;
};

// Ranks of truths among samples of a reference that is made from each set, on the sets on which it has a density.
struct ReferenceRanks {
  std::int64_t samples = 0;                // of each set
  std::vector<std::int64_t> sets = {};     // indices among the row's sets, ascending
  std::vector<std::vector<double>> ranks;  // [target][set of these]
};

// The results at one set size.
struct EvaluationRow {
  std::int64_t n = 0, sets = 0, samples = 0;
  bool extrapolation = false;      // the run was not trained for size n: results are shown but not tested
  double nll = NAN, nll_se = NAN;  // in original units, nats
  double exact_nll = NAN;          // in closed form if known, else the mean over the same sets
  // The exact posterior's mean over the same sets if it was scored, else exact_nll: nll = this + gap.
  double exact_on_sets() const {
    const auto scored = reference_nll.find("exact");
    return scored != reference_nll.end() ? scored->second : exact_nll;
  }
  double gap = NAN, gap_se = NAN;                          // mean and s.e. of log exact - log ours, same sets
  double prior_gain = NAN, prior_gain_se = NAN;            // PriorGain, on the first of these sets
  double acauc = NAN, acauc_floor = NAN, acauc_p95 = NAN;  // floor: mean and corrected 95th percentile
  double sd = NAN;                                         // mean posterior sd, averaged over targets
  // Scores that no test uses, by their keys in documents ("rmae", and "rmae_se" for its standard error, if any); they
  // are described in one list, app/scores/score_list.cpp.
  std::map<std::string, double> scores;
  // NaN if unknown.
  double score(const std::string& key) const {
    const auto found = scores.find(key);
    return found == scores.end() ? NAN : found->second;
  }
  std::vector<RankTest> rank_tests;  // [target]
  // If the task draws observations from a finite pool, else 0: its size, and that of the pool that training used (0:
  // endless, or the same); the sd of the mean rank over such pools, both pools combined, and the location in combined
  // standard errors of sets and pools, [target].
  std::int64_t pool = 0, pool_trained = 0;
  std::vector<double> pool_location_sd, pool_location_z;
  std::map<std::string, double> reference_nll;            // other references of the task on the same sets
  std::map<std::string, MeanAndError> reference_gap;      // of those, log exact - log reference on the same sets
  std::map<std::string, ReferenceGain> reference_gain;    // of references that are made from each set,
  std::map<std::string, ReferenceRanks> reference_ranks;  // and their ranks, which no test of the row uses
  std::vector<std::vector<double>> ranks;                 // [target][set]
  std::vector<double> log_prob;                           // [set], for paired comparisons of runs
  std::vector<std::uint16_t> tested;            // [set]: digests of the test sets (core/eval/evaluate/set_digest.h)
  std::vector<std::vector<double>> means, sds;  // [target][set] of the posterior's samples, for the same
                                                // comparisons
  std::vector<std::vector<double>> truths;      // [target][set]
  // [set]: the share of samples closer to a reference point than the truth (core/eval/calibration/tarp.h).
  std::vector<double> distance_ranks;
  // Comparison with another run on the same sets: the distance between the two posterior means, rms over sets in units
  // of the sd, [target]. Empty if no other run was scored. See app/scores/companion.h.
  std::vector<double> companion;

  // For targets that are images, squared errors averaged over pixels: of a single posterior sample; of the mean of all
  // `samples`; of the posterior mean itself, (samples * mse_mean - mse) / (samples - 1), which is free of sampling
  // noise; and of the mean image of the targets (a sample of the prior has twice that error). `sd` is then the mean
  // over pixels.
  double mse = NAN, mse_se = NAN;
  double mse_mean = NAN, mse_mean_se = NAN;
  double mse_posterior = NAN, mse_posterior_se = NAN;
  double mse_prior = NAN;
  std::vector<double> set_mse, set_mse_posterior;  // [set], for paired comparisons of runs and of sizes
};

}  // namespace pairs
