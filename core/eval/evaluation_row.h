#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/eval/mean_error.h"

namespace pairs {

// How the ranks of truths among posterior samples compare with uniform ones, of one target: its mean and the mean of
// |rank - 1/2|, both less what uniform ranks have and in standard errors, the p-value of a chi-square over bins, and
// that of their distribution function by simultaneous bands (core/eval/uniform_ecdf.h). Above zero, truths lie above
// the samples, and posteriors are too narrow. See core/eval/calibration.h.
struct RankTest {
  double location_z = NAN, width_z = NAN, rank_p = NAN, ecdf_p = NAN;
};

// What is measured at one set size.
struct EvaluationRow {
  std::int64_t n = 0, sets = 0, samples = 0;
  bool extrapolation = false;      // n is none of the sizes that the run was trained for: it is shown, and not judged
  double nll = NAN, nll_se = NAN;  // original units, nat
  double exact_nll = NAN;          // closed form where known, else the mean over the same sets
  // The exact posterior's mean over the same sets where it was scored, else exact_nll: nll = this + gap.
  double exact_on_sets() const {
    const auto scored = reference_nll.find("exact");
    return scored != reference_nll.end() ? scored->second : exact_nll;
  }
  double gap = NAN, gap_se = NAN;                          // mean and s.e. of log exact - log ours, same sets
  double prior_gain = NAN, prior_gain_se = NAN;            // PriorGain, on the first of these sets
  double acauc = NAN, acauc_floor = NAN, acauc_p95 = NAN;  // floor: mean and corrected 95th percentile
  double sd = NAN;                                         // mean posterior sd, averaged over targets
  // What no verdict asks for, by its key in documents ("rmae", and "rmae_se" for a standard error where it has one);
  // what is told of it stands in one list, app/scores/score_list.cpp.
  std::map<std::string, double> scores;
  // NaN where it is not known.
  double score(const std::string& key) const {
    const auto found = scores.find(key);
    return found == scores.end() ? NAN : found->second;
  }
  std::vector<RankTest> rank_tests;  // [target]
  // Where the task draws observations from a finite pool, else 0: its size, and that of the pool that training drew
  // from (0: endless, or the same); the sd of the mean rank over such pools, both taken together, and the location in
  // standard errors of sets and pools together, [target].
  std::int64_t pool = 0, pool_trained = 0;
  std::vector<double> pool_location_sd, pool_location_z;
  std::map<std::string, double> reference_nll;        // other references of the task on the same sets
  std::map<std::string, MeanAndError> reference_gap;  // of those, log exact - log reference on the same sets
  std::vector<std::vector<double>> ranks;             // [target][set]
  std::vector<double> log_prob;                       // [set], for paired comparisons of runs
  std::vector<std::uint16_t> tested;                  // [set]: what was tested (core/eval/set_digest.h)
  std::vector<std::vector<double>> means, sds;        // [target][set] of the posterior's samples, for the same
  std::vector<std::vector<double>> truths;            // [target][set]
  // [set]: of samples, the share closer to a reference point than the truth (core/eval/tarp.h).
  std::vector<double> distance_ranks;
  // Of another run on the same sets: how far the two posterior means are apart, rms over sets in units of the sd,
  // [target]. Empty where none was scored beside this one. See app/scores/beside.h.
  std::vector<double> beside;

  // Targets that are images, errors squared and averaged over pixels: of one draw of the posterior; of the mean of all
  // `samples` draws; of the posterior mean itself, (samples * mse_mean - mse) / (samples - 1), which is free of the
  // draws' noise; and of the mean image of the targets, a draw of the prior having twice that. `sd` is then the mean
  // over pixels.
  double mse = NAN, mse_se = NAN;
  double mse_mean = NAN, mse_mean_se = NAN;
  double mse_posterior = NAN, mse_posterior_se = NAN;
  double mse_prior = NAN;
  std::vector<double> set_mse, set_mse_posterior;  // [set], for paired comparisons of runs and of sizes
};

}  // namespace pairs
