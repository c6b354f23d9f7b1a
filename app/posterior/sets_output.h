#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/posterior/many_sets.h"
#include "core/eval/interval.h"

namespace pairs {

// What a file of many sets' answers says of all of them.
struct SetsHead {
  const TaskInfo* info = nullptr;  // outlives the output
  nlohmann::json told;             // of run and data, for formats that can say so
  IntervalKind interval = IntervalKind::central;
  std::int64_t sets = 0;     // rows that will come
  std::int64_t samples = 0;  // of each, in formats that hold them
  std::int64_t scored = 0;   // values of θ of each, in formats that hold their log densities
  bool ensemble = false;     // the run is one; tables show how far its members differ
  bool exact = false;        // the exact posterior was asked for
  bool own = false;          // sets are made from items with values of their own
};

// A file that takes a row a set as they come.
class SetsOutput {
 public:
  virtual ~SetsOutput() = default;
  virtual void add(const SetRow& row) = 0;
  // After the last row. What add and finish could not write they say by an Error.
  virtual void finish() = 0;
};

// Whether a format holds samples: never, beside the numbers where they are asked for, or always and no numbers.
enum class HeldSamples { none, asked, always };

// A format by the ending of the file's name.
struct SetsFormat {
  const char* ending;  // ".csv"
  HeldSamples samples;
  bool scores;  // it holds log densities of values of θ
  bool exact;   // it holds what the exact posterior says
  std::unique_ptr<SetsOutput> (*open)(const std::filesystem::path& file, const SetsHead& head);
};
// Throws a usage Error that names the endings there are, for another one.
const SetsFormat& sets_format(const std::filesystem::path& file);

// Writes a file of rows beside and renames it: `give` hands each to the function that it is given. On any failure the
// old file stays.
void write_sets(const std::filesystem::path& file, const SetsHead& head,
                const std::function<void(const std::function<void(const SetRow&)>& take)>& give);

// A set as infer reports it: its name as "set", "n", mean, sd, quantiles, intervals, distance, percentile, warnings,
// and where it was asked for "exact" with the same numbers and "kl", of a thing "own"; or its name and "error".
nlohmann::json set_document(const SetRow& row, const TaskInfo& info, IntervalKind interval);

}  // namespace pairs
