#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "app/model/hub/hub.h"
#include "app/posterior/observed_set.h"
#include "core/base/latest_worker.h"

namespace pairs::model {

// Posterior samples that a person asks for: of which run and set, how many, and where they go.
struct SamplesAsked {
  std::string run, data, device = "auto";
  SetChoice set;
  std::int64_t n = 1, draws = 1000;
  std::uint64_t seed = 1;
  std::filesystem::path file;  // .npz or .csv
};

// Draws posterior samples and writes them, the same as `infer --samples` does of the same observations, on a thread and
// with weights of its own. All members belong to the window's thread.
class SampleSaving {
 public:
  explicit SampleSaving(Hub& hub);

  void save(SamplesAsked asked);
  // What has not been written yet, is not.
  void cancel();
  bool busy() const { return worker_.busy(); }
  bool wait(double seconds) { return worker_.wait(seconds); }
  // How the last one ended, once: the file that was written, or why none was, a sentence.
  struct Outcome {
    std::filesystem::path file;
    std::string failure;
  };
  std::optional<Outcome> take();

 private:
  void end(Outcome outcome);

  Hub& hub_;
  std::mutex mutex_;
  std::optional<Outcome> outcome_;
  LatestWorker worker_;  // last: ends first
};

}  // namespace pairs::model
