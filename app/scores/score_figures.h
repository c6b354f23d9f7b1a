#pragma once

#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "app/scores/score.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// Throws for a figure of metrics, by name, that is not possible for this task, before any evaluation.
void check_figure_of(const std::string& figure, const Task& task);

// The figure of a score, for targets with these labels. Throws Error if no row has it.
Figure score_figure(const Score& score, const std::vector<Metrics>& metrics, const std::vector<std::string>& targets);

// Metrics against N. Runs of one task, strategy, preset and label are seeds of one another and form one line with a
// band from minimum to maximum; throws Error if two of them have the same seed.
Figure nll_figure(const std::vector<Metrics>& metrics);
// The excess of each run's NLL over the exact posterior's on the same sets. Throws Error without exact posteriors.
Figure gap_figure(const std::vector<Metrics>& metrics);
// The runs' score minus a baseline's on the same sets of `data`, at each N, with two standard errors.
struct DifferenceCurve {
  std::string name, strategy;
  std::vector<double> n, mean, se;
  int shade = 0;  // as Metrics::shade
};
Figure difference_figure(const std::string& baseline, const std::vector<DifferenceCurve>& runs, const std::string& data,
                         const Score& score);
// The rms difference of posterior means between runs and a baseline on the same sets: `mean` is in units of the
// posterior sd, `se` is unused. Throws Error if there is none.
Figure apart_figure(const std::string& baseline, const std::vector<DifferenceCurve>& runs, const std::string& data);
// Images: squared errors of one sample and of the posterior mean, compared with the prior's.
Figure mse_figure(const std::vector<Metrics>& metrics);
// ACAUC with its noise floor at each N, and the location z, width z and rank p of every run and target.
Figure acauc_figure(const std::vector<Metrics>& metrics);
// Coverage of central intervals against their level, one plot for each of up to four set sizes.
Figure coverage_figure(const std::vector<Metrics>& metrics);
// Rank histograms of one run relative to the expectation for calibrated ranks, one plot for each target and up to six
// set sizes, with their 99 % band.
Figure ranks_figure(const Metrics& metrics, const std::vector<std::string>& targets);

}  // namespace pairs
