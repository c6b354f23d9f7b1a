#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "core/train/run/run.h"

namespace pairs {

// What a run loses to the exact posterior at the least, by comparison with other densities made from the same test
// sets, those of other runs. Averaged over the prior, no density exceeds the exact posterior's mean log density of the
// truths (Gibbs' inequality), so that the gain of another run is a lower bound of the run's gap, whether or not either
// is right. Calibration does not detect such a loss.
struct Sharpness {
  bool density = false;              // the run has a density of its targets
  bool exact = false;                // the gap to the exact posterior is known, which says more
  bool refined = false;              // a posterior that its learned likelihood refined was scored
  std::size_t compared = 0;          // other runs that were scored on the same sets
  std::string other;                 // the one with the largest lower end
  std::int64_t n = 0;                // the size at which it is largest,
  std::size_t sets = 0;              // and the number of sets
  double gain = NAN, gain_se = NAN;  // mean and standard error of log other - log ours, in nats
  double lower = NAN;                // lower end, one-sided 95 % for all other runs and sizes together (Bonferroni)

  bool loses() const { return lower > 0; }
};
// `others`: of runs that infer the same targets of the same task.
Sharpness sharpness(const Metrics& metrics, const std::vector<Metrics>& others);

// A sentence for each size at which a posterior that is made from each set was scored, without a full stop: "At N = 10
// the refined posterior has a higher log density by 0.99 ± 0.13 nat, on 100 sets, …".
std::vector<std::string> gain_texts(const std::vector<EvaluationRow>& rows);

// A sentence for each posterior that is made from each set, on whether its ranks are uniform, without a full stop: "The
// refined posterior: no miscalibration detected (100 sets; …)". `targets`: labels.
std::vector<std::string> made_calibration_texts(const std::vector<EvaluationRow>& rows,
                                                const std::vector<std::string>& targets);

// Sharpness as a sentence without its full stop; "" if the gap to the exact posterior is known and no run is sharper,
// and for images.
std::string sharpness_text(const Sharpness& found);
// What is known of sharpness and of the calibration of posteriors that are made from each set: sentences, the last
// without its full stop; or "".
std::string sharpness_sentences(const Metrics& metrics, const std::vector<Metrics>& others,
                                const std::vector<std::string>& targets);
// {"known", "compared", "loses_at_least"?, "other"?, "n"?, "sets"?, "gain"?, "gain_se"?}
nlohmann::json sharpness_document(const Sharpness& found);

// The stored scores of other runs next to this one (folders in the same folder, the newest first, at most 30) and of
// the task's shipped weights, of the same task and settings and on the same test sets. Files that cannot be read are
// left out.
std::vector<Metrics> neighbor_metrics(const Tasks& tasks, const std::filesystem::path& run_folder,
                                      const Metrics& metrics);

}  // namespace pairs
