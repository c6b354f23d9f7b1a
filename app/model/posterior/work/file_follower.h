#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "app/model/hub/hub.h"
#include "app/model/hub/result_board.h"
#include "app/model/posterior/shown/pinned_posterior.h"
#include "app/model/posterior/shown/shown_posterior.h"
#include "core/base/threads/latest_worker.h"

namespace pairs::model {

// Seed of the random subset used of a file with more observations than training saw, as in `infer --follow`.
inline constexpr std::uint64_t kFollowSeed = 1;

// The file to follow, and the run.
struct FollowRequest {
  Tasks tasks;
  std::string run, data, device = "auto";
  SeriesRole role = SeriesRole::pairs;
  std::filesystem::path file;
  std::uint64_t set = 0;  // id
  Missing missing = Missing::refuse;
};

// The newest results of a followed file.
struct FollowResult {
  std::uint64_t version = 0;
  std::shared_ptr<const FollowState> state;
  std::shared_ptr<const PosteriorSnapshot> snapshot;
  std::shared_ptr<const Figure> width;
};

// The posterior of a CSV file of points to which another program appends, as in `infer --follow`: on its own thread and
// with its own weights; each observation is embedded once. All members belong to the window's thread.
class FileFollower {
 public:
  explicit FileFollower(Hub& hub);
  ~FileFollower();

  void follow(FollowRequest request);
  // Stops reading and keeps the results.
  void stop();
  // Stops and drops the results.
  void end();
  // Pinned posteriors of all tasks, drawn as ghosts; null: none.
  void set_pinned(PinnedPosteriors pinned);
  // Sets the credible interval that is shaded and reported.
  void set_interval(IntervalKind kind) { interval_ = kind; }

  // Takes over new results; returns whether something has changed.
  bool poll();
  bool following() const { return result_.state != nullptr; }
  const FollowResult& result() const { return result_; }

 private:
  class Work;
  void run(const FollowRequest& request, const LatestWorker::Stale& stale);

  std::atomic<PinnedPosteriors> pinned_;
  std::atomic<IntervalKind> interval_ = IntervalKind::central;
  ResultBoard<FollowResult> board_;
  FollowResult result_;
  std::uint64_t seen_ = 0;  // version of the board's result
  std::uint64_t set_ = 0;   // id of the followed set; 0: none
  LatestWorker worker_;     // last: ends first
};

}  // namespace pairs::model
