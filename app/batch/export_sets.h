#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "core/eval/evaluate.h"
#include "core/train/run.h"

namespace pairs::batch {

// A file of the test sets of one size.
struct ExportedSets {
  std::filesystem::path file;
  std::int64_t n = 0, sets = 0;
  std::string content;  // eight hexadecimal digits of all its numbers, whatever wrote them
};

// Throws a usage Error where test sets of these sizes cannot be held until they are written.
void check_export(const LoadedRun& run, const EvaluationOptions& options);

// Writes the sets that the evaluation `metrics` by `options` was of into the folder, a file nN.npz for each size N:
// theta [M, d], psi [M, p], given [M, g], the observations x [M * N, ...] with offsets [M + 1] and the set of each,
// set [M * N]; of ragged rows x [R, columns] with row_offsets [M * N + 1]. Stored simulations are read from such files,
// and those of blocks by `infer --group set`. Throws Error where the sets that are drawn are no longer those that were
// scored; `keep_going()` false throws Stopped.
std::vector<ExportedSets> export_sets(const LoadedRun& run, const EvaluationOptions& options, const Metrics& metrics,
                                      const std::filesystem::path& folder, bool (*keep_going)());

}  // namespace pairs::batch
