#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/model/hub/file_job.h"
#include "app/posterior/set/observed_set.h"

namespace pairs::model {

// Requested posterior samples: run, set, number and file.
struct SamplesAsked {
  std::string run, data, device = "auto";
  SetChoice set;
  std::int64_t n = 1, draws = 1000;
  std::uint64_t seed = 1;
  std::filesystem::path file;  // .npz or .csv
};

// Writes the posterior samples of `infer --samples` for the same observations, on a thread and with its own weights.
// All members belong to the window's thread.
class SampleSaving {
 public:
  explicit SampleSaving(Hub& hub) : hub_(hub), job_(hub) {}

  void save(SamplesAsked asked);
  FileJob& job() { return job_; }
  const FileJob& job() const { return job_; }

 private:
  Hub& hub_;
  FileJob job_;
};

}  // namespace pairs::model
