#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/train/settings/stages.h"

namespace pairs {

// Costs measured earlier on this machine, kept with their dates in the folder of caches (core/base/system/caches.h). A
// cost is valid for the same settings, task files, processor and LibTorch for 90 days.
class KnownCosts {
 public:
  // Reads the file; empty if it is missing or damaged.
  KnownCosts();
  // The cost of a run with these settings on `device`, with `others` and `cores` as they were when it was measured.
  // Empty if it was not measured.
  std::optional<ExpectedCost> find(const RunConfig& config, const std::string& device) const;
  // Stores a measured cost. Does nothing if the folder cannot be written.
  void keep(const RunConfig& config, const std::string& device, const ExpectedCost& cost);
  // The measured time per simulation of a task's own program; empty if it was not measured.
  struct Pace {
    double seconds_each = 0;
    std::int64_t measured_by = 0, measured = 0;  // simulations; seconds since 1970
  };
  std::optional<Pace> pace(const RunConfig& config) const;
  void keep_pace(const RunConfig& config, const Pace& pace);
  // The shortest time of the probe for the machine's load with this many threads; 0 if it was not timed.
  double probe_seconds(int threads) const;
  void keep_probe(int threads, double seconds);

 private:
  std::string key_of(const RunConfig& config, const std::string& device) const;
  std::string program_key(const RunConfig& config) const;
  void write() const;

  nlohmann::json document_;
  std::string machine_;
};

}  // namespace pairs
