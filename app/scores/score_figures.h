#pragma once

#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "app/scores/score.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// Refuses a figure of metrics, by its name, that cannot be drawn of this task, before anything is evaluated.
void check_figure_of(const std::string& figure, const Task& task);

// The figure of a score, of targets with these labels. Throws Error where no row knows it.
Figure score_figure(const Score& score, const std::vector<Metrics>& metrics, const std::vector<std::string>& targets);

// Metrics against N. Runs of one task, strategy, preset and label are seeds of one another and become one line with a
// band from least to greatest; throws Error where two of them have the same seed.
Figure nll_figure(const std::vector<Metrics>& metrics);
// How far each run's NLL lies above that of the exact posterior on the same sets. Throws Error without exact
// posteriors.
Figure gap_figure(const std::vector<Metrics>& metrics);
// Score of runs minus that of a baseline on the same sets of `data`, at each N, with two standard errors.
struct DifferenceCurve {
  std::string name, strategy;
  std::vector<double> n, mean, se;
  int shade = 0;  // as Metrics::shade
};
Figure difference_figure(const std::string& baseline, const std::vector<DifferenceCurve>& runs, const std::string& data,
                         const Score& score);
// How far the posterior means of runs lie from those of a baseline on the same sets: `mean` is the rms difference in
// units of the posterior sd, `se` is not used. Throws Error where there is none.
Figure apart_figure(const std::string& baseline, const std::vector<DifferenceCurve>& runs, const std::string& data);
// Images: squared errors of one sample and of the posterior mean, beside the prior's.
Figure mse_figure(const std::vector<Metrics>& metrics);
// ACAUC with its noise floor at each N, and the location z, width z and rank p of every run and target.
Figure acauc_figure(const std::vector<Metrics>& metrics);
// Coverage of central intervals against their level, one plot for each of up to four set sizes.
Figure coverage_figure(const std::vector<Metrics>& metrics);
// Rank histograms of one run over what calibrated ranks have in each bin, one plot for each target and up to six set
// sizes, with their 99 % band.
Figure ranks_figure(const Metrics& metrics, const std::vector<std::string>& targets);

}  // namespace pairs
