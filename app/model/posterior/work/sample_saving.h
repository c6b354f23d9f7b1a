#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/model/hub/file_job.h"
#include "app/posterior/question/question.h"

namespace pairs::model {

// Requested posterior samples: of which posterior, their number and file.
struct SamplesAsked {
  Question question;
  std::string data, device = "auto";
  std::int64_t draws = 1000;
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
