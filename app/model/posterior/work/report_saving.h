#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/model/hub/file_job.h"
#include "app/report/report.h"

namespace pairs::model {

// A requested report and its file.
struct ReportAsked {
  ReportQuestion question;
  std::filesystem::path file;  // .html or .pdf
};

// Writes the reports of `pairs --batch report`, on a thread and with its own weights. All members belong to the
// window's thread.
class ReportSaving {
 public:
  explicit ReportSaving(Hub& hub) : hub_(hub), job_(hub) {}

  void save(ReportAsked asked);
  // Sets the notes that later reports include (ReportQuestion::notes).
  void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }
  const std::vector<std::string>& notes() const { return notes_; }
  FileJob& job() { return job_; }
  const FileJob& job() const { return job_; }
  // The current activity: "calibration on simulated sets, 60 %"; "" at rest.
  std::string doing() const;

 private:
  class Follower;
  void report(std::string doing);

  Hub& hub_;
  mutable std::mutex mutex_;
  std::string doing_;
  std::vector<std::string> notes_;
  FileJob job_;  // last: ends first
};

}  // namespace pairs::model
