#pragma once

#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "app/scores/score_list.h"
#include "core/report/figure.h"

// What the figures of metrics share.
namespace pairs {

// The colour of the run's strategy in the run's shade.
SeriesRole role_of_run(const Metrics& metrics);

// The data and the runs; of runs that were evaluated on different numbers of sets, these too.
std::string footnote(const std::vector<Metrics>& metrics);

// One line a group: the mean over seeds at each N, the band from least to greatest (one seed: ± 2 standard errors).
std::vector<Line> metric_lines(const std::vector<Metrics>& metrics, const Score& score);

// A figure of one empty plot over the set size. Throws Error without runs.
Figure against_n(const std::vector<Metrics>& metrics, const std::string& title, const std::string& label);

// Up to `most` rows spread over those that carry ranks, with the least calibrated one among them.
std::vector<std::size_t> spread_rows(const std::vector<EvaluationRow>& rows, std::size_t most);
// What the pool alone does, where test sets share one; "" where none do.
std::string pool_footnote(const std::vector<Metrics>& metrics);

// Throws Error for metrics without posterior samples.
void check_sampled(const std::vector<Metrics>& metrics);
// Throws Error, naming a figure that suits, where this one is of another kind of target.
void check_figure_suits(const std::vector<Metrics>& metrics, const std::string& figure);

}  // namespace pairs
