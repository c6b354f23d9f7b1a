#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/estimator.h"
#include "core/train/stages/likelihood_stage.h"

namespace pairs {

// How the refined posterior did against the run's own at one size: the mean of log refined - log own at the truth, with
// its standard error, over held-out sets; where a set is refused the run's own stands in.
struct SourceScore {
  std::int64_t n = 1, sets = 0, refused = 0;
  double gain = 0, se = 0;  // nat
};

// Which of a run's two posteriors is shown first at a size: its own, or the one that its likelihood refines. It is
// chosen on sets of its own, which no evaluation scores.
struct SourceChoice {
  std::vector<SourceScore> scores;  // by ascending n

  // Whether the refined one is first at N = n: unless it is worse by more than a standard error. Between two sizes
  // that were compared the gain is interpolated in log N; beyond the largest one that one decides.
  bool refined(std::int64_t n) const;
  // Why, a clause: "at N = 100 it gains 0.31 ± 0.05 nat over the run's own on 32 held-out sets".
  std::string text(std::int64_t n) const;
};

// Compares both posteriors at sizes up to the largest one of the run, at most 1,000, on `most` sets each, at least 4,
// and on half as many above N = 100. `open` makes the run's estimator for the task, or for one that serves stored sets
// of a size. `progress` receives the number of sets compared and of all. Throws Stopped once `keep_going` returns
// false.
using OpenEstimator = std::function<std::shared_ptr<Estimator>(const std::shared_ptr<const Task>& task)>;
SourceChoice compare_sources(const OpenEstimator& open, const std::shared_ptr<const Task>& task,
                             const RunLikelihood& known, std::int64_t most, std::uint64_t seed,
                             const std::function<bool()>& keep_going = {},
                             const std::function<void(std::int64_t done, std::int64_t all)>& progress = {});

// The comparison in a run's folder, RUN/likelihood/comparison.json. Nothing if there is none, or if the weights of the
// run or of its likelihood are others since. Throws Error if the file is damaged.
std::optional<SourceChoice> load_source_choice(const std::filesystem::path& run);
void save_source_choice(const std::filesystem::path& run, const SourceChoice& choice);

}  // namespace pairs
