#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/eval/evaluate.h"
#include "core/task_library.h"

namespace pairs {

// What metrics.json holds: an evaluation and what it was made of.
struct Metrics {
  std::string task, run, data, strategy, preset;
  std::map<std::string, std::string> settings;  // the task's own, as field_text writes them
  std::int64_t seed = 1;                        // of the test sets
  std::int64_t training_seed = 1;               // of the run
  std::string weights;                          // checksum of the estimator's file: metrics of other weights are stale
  std::string sampler;                          // of images: "50 steps of euler"; else ""
  std::int64_t subjects = 0;  // what test sets can be about (Task::subjects), each at most once; 0: no end
  std::string subject_word;   // TaskInfo::subjects; "" where there is no end
  std::vector<EvaluationRow> rows;
  std::string caution;  // why these scores may be of another model than was trained, a sentence; "" where they are not
  std::string beside, beside_weights;  // the run that the rows' `beside` is about, and its weights; "" without one
  // Not stored. In legends, in place of the strategy's title; runs of different labels are not seeds of one another.
  std::string label;
  int shade = 0;  // not stored: which shade of its strategy's colour the run has (RunShades)
};

// The document that `evaluate --json` prints: numbers by set size, absent where unknown.
nlohmann::json metrics_document(const Metrics& metrics);
// metrics.json: the document, the digests of the test sets (EvaluationRow::tested) and, per row, the log densities and
// ranks that comparisons and figures need, with a checksum of all at its end ("check").
std::string metrics_text(const Metrics& metrics);
// Reads it back; throws Error with one sentence on anything malformed, without a row, or that does not fit its checksum.
// Files of older versions hold no settings, and no checksum, of which a warning is given.
Metrics parse_metrics(const std::string& text, const std::string& where);
// Of a run's file; settings that it does not hold come from the run.toml beside it. Nothing where there is no file.
std::optional<Metrics> read_metrics(const Tasks& tasks, const std::filesystem::path& file);

std::map<std::string, std::string> setting_texts(TaskSettings settings);

// A row's N as tables show it: "20", and "20, extrapolation" where the run was not trained for it.
std::string size_text(const EvaluationRow& row);
// A p-value: "0.312", "3e-05", "< 1e-12".
std::string p_text(double p);
// What the verdicts on calibration stand on, what they mean, and what a finite pool of observations does, in full
// sentences; "" without ranks, and without a pool.
std::string calibration_note(const std::vector<EvaluationRow>& rows);
std::string pool_note(const std::vector<EvaluationRow>& rows);
// What errors and floors count where test sets are about subjects of which there are so many; "" where there is no end.
std::string subject_note(const Metrics& metrics);

// The rows as a table for people.
std::string metrics_table(const std::vector<EvaluationRow>& rows, int indent = 0);

}  // namespace pairs
