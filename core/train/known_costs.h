#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/train/stages.h"

namespace pairs {

// Costs that this machine measured earlier, kept in the folder of caches (core/base/caches.h) with their dates. Each
// serves the same settings, task files, processor and LibTorch for 90 days.
class KnownCosts {
 public:
  // Reads the file; one that is missing or damaged holds nothing.
  KnownCosts();
  // The cost of a run with these settings, which `device` is to train. Empty where none was measured; its `others` and
  // `cores` are those of the measurement.
  std::optional<ExpectedCost> find(const RunConfig& config, const std::string& device) const;
  // Keeps a measured cost. A folder that cannot be written is left as it is.
  void keep(const RunConfig& config, const std::string& device, const ExpectedCost& cost);
  // How long a simulation of the task's own program takes, as it was measured; empty where it was not.
  struct Pace {
    double seconds_each = 0;
    std::int64_t measured_by = 0, measured = 0;  // simulations; seconds since 1970
  };
  std::optional<Pace> pace(const RunConfig& config) const;
  void keep_pace(const RunConfig& config, const Pace& pace);
  // The least seconds that the probe of the machine's load took with so many threads; 0 where none was timed.
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
