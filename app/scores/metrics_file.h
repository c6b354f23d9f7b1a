#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/eval/evaluate/evaluate.h"
#include "core/task_library.h"

namespace pairs {

// The contents of metrics.json: an evaluation and its origin.
struct Metrics {
  std::string task, run, data, strategy, preset;
  std::map<std::string, std::string> settings;  // of the task, as written by field_text
  std::int64_t seed = 1;                        // of the test sets
  std::int64_t training_seed = 1;               // of the run
  std::string weights;                          // checksum of the estimator's file; other weights make metrics stale
  std::string sampler;                          // for images: "50 steps of euler"; else ""
  std::int64_t subjects = 0;  // items that test sets can be about (Task::subjects), each at most once; 0: unlimited
  std::string subject_word;   // TaskInfo::subjects; "" if unlimited
  std::vector<EvaluationRow> rows;
  std::string caution;  // why these scores may belong to another model than was trained, a sentence; else ""
  std::string companion, companion_weights;  // the run of the rows' `companion`, and its weights; or ""
  // Not stored. Replaces the strategy's title in legends; runs with different labels are not seeds of one another.
  std::string label;
  int shade = 0;  // not stored: the run's shade of its strategy's color (RunShades)
};

// The document printed by `evaluate --json`: numbers by set size, absent if unknown.
nlohmann::json metrics_document(const Metrics& metrics);
// The text of metrics.json: the document, the digests of the test sets (EvaluationRow::tested) and, per row, the log
// densities and ranks that comparisons and figures need, with a checksum of everything at its end ("check").
std::string metrics_text(const Metrics& metrics);
// Such a text as `change` returns it, called without the checksum at its end, which is made again. Throws Error, naming
// `where`, if the text is no JSON or does not match its checksum.
std::string changed_metrics(const std::string& text, const std::string& where,
                            const std::function<std::string(std::string)>& change);
// Parses that text; throws Error with one sentence if it is malformed, has no row, or does not match its checksum.
// Files of older versions have no settings, and no checksum, which causes a warning.
Metrics parse_metrics(const std::string& text, const std::string& where);
// Reads a run's file; missing settings come from the run.toml next to it. None if there is no file.
std::optional<Metrics> read_metrics(const Tasks& tasks, const std::filesystem::path& file);

std::map<std::string, std::string> setting_texts(TaskSettings settings);

// A row's N in tables: "20", or "20, extrapolation" if the run was not trained for it.
std::string size_text(const EvaluationRow& row);
// A p-value: "0.312", "3e-05", "< 1e-12".
std::string p_text(double p);
// The basis and meaning of the verdicts on calibration, and the effect of a finite pool of observations, in full
// sentences; "" without ranks, and without a pool.
std::string calibration_note(const std::vector<EvaluationRow>& rows);
std::string pool_note(const std::vector<EvaluationRow>& rows);
// The meaning of errors and floors if test sets are about a limited number of items; "" if unlimited.
std::string subject_note(const Metrics& metrics);

// The rows as a table.
std::string metrics_table(const std::vector<EvaluationRow>& rows, int indent = 0);

}  // namespace pairs
