#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/common/metrics_file.h"
#include "app/common/score.h"
#include "core/report/figure.h"
#include "core/train/run.h"

// Figures of runs as plain data. Builders that need only numbers are pure; those that sample a posterior or simulate
// take the loaded run, ask `keep_going` while they work and throw Stopped when it says no.
namespace pairs {

// Seed of the sets that figures simulate.
inline constexpr std::uint64_t kFigureSeed = 1;

SeriesRole strategy_role(const std::string& strategy);
std::string strategy_title(const std::string& strategy);

// Refuses a figure of metrics, by its name, that cannot be drawn of this task, before anything is evaluated.
void check_figure_of(const std::string& figure, const Task& task);

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
// Images: squared errors of one sample and of the posterior mean, beside the prior's.
Figure mse_figure(const std::vector<Metrics>& metrics);
Figure rmae_figure(const std::vector<Metrics>& metrics);
// ACAUC with its noise floor at each N, and the location z, width z and rank p of every run and target.
Figure acauc_figure(const std::vector<Metrics>& metrics);
// Coverage of central intervals against their level, one plot for each of up to four set sizes.
Figure coverage_figure(const std::vector<Metrics>& metrics);
// Rank histograms of one run over what calibrated ranks have in each bin, one plot for each target and up to six set
// sizes, with their 99 % band.
Figure ranks_figure(const Metrics& metrics, const std::vector<std::string>& targets);

// Training and validation loss of each stage from the runs' event logs.
struct LossCurves {
  std::string name, strategy;
  std::vector<Event> events;
  std::string label = "loss / nat";  // what they are
  int shade = 0;                     // as Metrics::shade
};
Figure loss_figure(const std::vector<LossCurves>& runs);

// Cost against quality: each run a point, by the paper's rule and with stage 2 counted.
struct ParetoPoint {
  std::string name, strategy;
  double gflop, gflop_with_cache, score, score_se;
  std::int64_t n;
  std::string axis = "NLL / nat";  // what the score is
  int shade = 0;                   // as Metrics::shade
};
Figure pareto_figure(const std::vector<ParetoPoint>& points);

// One test set: the posterior at growing N (or at `only_n`, when above zero) around the truth, beside the references
// where the task has them. One target: densities; two: contours of 50 and 90 % with marginals.
Figure posterior_figure(const std::vector<LoadedRun>& runs, std::int64_t set_index,
                        const std::function<bool()>& keep_going, std::int64_t only_n = 0);

// Bump hunt: median posterior sd against ψ at N = 100 and θ = 0.2 for each run beside exact, naive and per-event.
Figure width_figure(const std::vector<LoadedRun>& runs, std::int64_t sets, const std::function<bool()>& keep_going);

// What a set looks like.
Figure samples_figure(const Task& task, std::int64_t set_index);

// The figures by name, in the order of `figure list`.
struct FigureEntry {
  const char* name;
  const char* summary;
};
const std::vector<FigureEntry>& figure_entries();

}  // namespace pairs
