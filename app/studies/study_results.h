#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "app/scores/over_seeds.h"
#include "app/scores/score.h"
#include "app/studies/study_runs.h"

namespace pairs {

inline constexpr const char* kStudyCopy = "study.toml";  // in a study's folder: its file as run

// A run of a study with its results; one that is only planned or not done yet has no metrics.
struct StudyResult {
  StudyRun run;
  std::filesystem::path folder;
  std::optional<Metrics> metrics;
  std::string problem = {};  // why its scores are unreadable, a sentence
};

// Runs that differ only in the seed.
struct SeedGroup {
  std::string task, strategy;
  std::string preset;               // "" if all runs have the same
  std::vector<std::string> varied;  // StudyRun::varied
  std::vector<const StudyResult*> runs;

  std::string title() const;  // "PAIRS, small, size 16"
  std::size_t done() const;   // runs with metrics
};

struct StudyResults {
  Tasks tasks;
  Study study;
  std::vector<StudyResult> results;

  // The groups in the order of the study's file. They point into `results`.
  std::vector<SeedGroup> groups() const;
  std::vector<std::string> task_names() const;  // in order, each once
  std::string task_title(const std::string& task) const;
};

// Reads the results of the runs in `folder`, and those of the studies that it reads, which are next to the folder.
// Throws Error if such a study is missing, and as look_over if runs were made with other settings.
StudyResults study_results(const Tasks& tasks, const Study& study, const std::vector<StudyRun>& runs,
                           const std::filesystem::path& folder, const StudyOptions& options);

// A score of a group at one N.
struct SeedMean {
  std::int64_t n = 0, seeds = 0;
  double mean = 0;
  double sd = 0;  // over seeds; 0 for one seed
  double se = 0;  // for one seed, its standard error over test sets, if known
  bool extrapolation = false;
};
std::vector<SeedMean> seed_means(const SeedGroup& group, const Score& score);

// How much worse a group scores than another one at one N, for the seeds that both have.
struct SeedDifference : SeedsDifference {
  std::int64_t n = 0;
};
// The differences at the sizes at which both were scored one by one on the same test sets.
std::vector<SeedDifference> seed_differences(const SeedGroup& group, const SeedGroup& baseline);

}  // namespace pairs
