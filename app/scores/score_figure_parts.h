#pragma once

#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "app/scores/score_list.h"
#include "core/report/figure.h"

// Shared parts of the figures of metrics.
namespace pairs {

// The color of the run's strategy in the run's shade.
SeriesRole role_of_run(const Metrics& metrics);

// The data and the runs, with the numbers of sets if these differ between runs.
std::string footnote(const std::vector<Metrics>& metrics);

// One line per group: the mean over seeds at each N, with a band from minimum to maximum (for one seed: ± 2 standard
// errors).
std::vector<Line> metric_lines(const std::vector<Metrics>& metrics, const Score& score);

// A figure of one empty plot over the set size. Throws Error without runs.
Figure against_n(const std::vector<Metrics>& metrics, const std::string& title, const std::string& label);

// Up to `most` rows spread over those that carry ranks, with the least calibrated one among them.
std::vector<std::size_t> spread_rows(const std::vector<EvaluationRow>& rows, std::size_t most);
// The effect of a shared pool of observations; "" without one.
std::string pool_footnote(const std::vector<Metrics>& metrics);

// Throws Error for metrics without posterior samples.
void check_sampled(const std::vector<Metrics>& metrics);
// Throws Error, naming a suitable figure, if this one is for another kind of target.
void check_figure_suits(const std::vector<Metrics>& metrics, const std::string& figure);

}  // namespace pairs
