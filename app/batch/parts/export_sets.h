#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/train/run/run.h"

namespace pairs::batch {

// A file with the test sets of one size.
struct ExportedSets {
  std::filesystem::path file;
  std::int64_t n = 0, sets = 0;
  std::string content;  // digest of all its numbers, eight hexadecimal digits, independent of the writer
};

// Throws a usage Error if test sets of these sizes do not fit into memory for writing.
void check_export(const LoadedRun& run, const EvaluationOptions& options);

// Writes the sets of the evaluation `metrics` with `options` to the folder, one file nN.npz per size N: theta [M, d],
// psi [M, p], given [M, g], the observations x [M * N, ...] with offsets [M + 1] and the set of each, set [M * N]; for
// ragged rows x [R, columns] with row_offsets [M * N + 1]. Stored simulations are read from such files, and blocks also
// by `infer --group set`. Throws Error if the drawn sets are no longer those that were scored; `keep_going()` false
// throws Stopped.
std::vector<ExportedSets> export_sets(const LoadedRun& run, const EvaluationOptions& options, const Metrics& metrics,
                                      const std::filesystem::path& folder, bool (*keep_going)());

}  // namespace pairs::batch
