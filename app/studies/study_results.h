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

inline constexpr const char* kStudyCopy = "study.toml";  // in a study's folder, its file as it was run

// A run of a study with what is known of it; one that is only planned, or not done yet, has no metrics.
struct StudyResult {
  StudyRun run;
  std::filesystem::path folder;
  std::optional<Metrics> metrics;
  std::string problem = {};  // why its scores cannot be read, a sentence
};

// Runs that differ in their seed alone.
struct SeedGroup {
  std::string task, strategy;
  std::string preset;               // "" where all runs have one
  std::vector<std::string> varied;  // StudyRun::varied
  std::vector<const StudyResult*> runs;

  std::string title() const;  // "PAIRS, small, size 16"
  std::size_t done() const;   // runs with metrics
};

struct StudyResults {
  Tasks tasks;
  Study study;
  std::vector<StudyResult> results;

  // In the order of the study's file. They point into `results`.
  std::vector<SeedGroup> groups() const;
  std::vector<std::string> task_names() const;  // in order, each once
  std::string task_title(const std::string& task) const;
};

// Reads what the runs in `folder` have come to, and those of the studies that it reads, which lie beside the folder.
// Throws Error where such a study is not there, and as look_over where runs were made with other settings.
StudyResults study_results(const Tasks& tasks, const Study& study, const std::vector<StudyRun>& runs,
                           const std::filesystem::path& folder, const StudyOptions& options);

// A score of a group at one N.
struct SeedMean {
  std::int64_t n = 0, seeds = 0;
  double mean = 0;
  double sd = 0;  // over seeds; of one seed 0
  double se = 0;  // of one seed its standard error over test sets, where it is known
  bool extrapolation = false;
};
std::vector<SeedMean> seed_means(const SeedGroup& group, const Score& score);

// How much worse a group scores than another one at one N: the seeds that both have.
struct SeedDifference : SeedsDifference {
  std::int64_t n = 0;
};
// At the sizes at which both were scored on the same test sets one by one.
std::vector<SeedDifference> seed_differences(const SeedGroup& group, const SeedGroup& baseline);

}  // namespace pairs
