#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/posterior/many/many_sets.h"
#include "core/eval/metrics/interval.h"

namespace pairs {

// The header of a file with results of many sets.
struct SetsHead {
  const TaskInfo* info = nullptr;  // outlives the output
  nlohmann::json reported;         // describes run and data, for formats that can hold it
  IntervalKind interval = IntervalKind::central;
  std::int64_t sets = 0;     // number of rows to expect
  std::int64_t samples = 0;  // per set, in formats that hold them
  std::int64_t scored = 0;   // values of θ per set, in formats that hold their log densities
  bool ensemble = false;     // the run is an ensemble; tables show its disagreement
  bool exact = false;        // the exact posterior was requested
  bool refined = false;      // the refined posterior was requested
  bool source = false;       // either posterior may come first
  bool own = false;          // sets are made from items with values of their own
};

// A file that receives one row per set.
class SetsOutput {
 public:
  virtual ~SetsOutput() = default;
  virtual void add(const SetRow& row) = 0;
  // Call after the last row. add and finish throw Error if they cannot write.
  virtual void finish() = 0;
};

// Whether a format holds samples: never, in addition to the numbers if requested, or only samples.
enum class HeldSamples { none, asked, always };

// A format by the extension of the file.
struct SetsFormat {
  const char* ending;  // ".csv"
  HeldSamples samples;
  bool scores;  // holds log densities of values of θ
  bool exact;   // holds the exact and the refined posterior
  std::unique_ptr<SetsOutput> (*open)(const std::filesystem::path& file, const SetsHead& head);
};
// Throws a usage Error that lists the extensions for an unknown one.
const SetsFormat& sets_format(const std::filesystem::path& file);

// Writes a temporary file of rows and renames it: `give` passes each row to its argument. On any failure the old file
// stays.
void write_sets(const std::filesystem::path& file, const SetsHead& head,
                const std::function<void(const std::function<void(const SetRow&)>& take)>& give);

// A set as reported by infer: "set" (its name), "n", mean, sd, quantiles, intervals, distance, percentile, warnings
// and, if requested, "exact" with the same numbers and "kl", and "refined" with the same numbers; for an item, "own";
// or only its name and "error".
nlohmann::json set_document(const SetRow& row, const TaskInfo& info, IntervalKind interval);

}  // namespace pairs
