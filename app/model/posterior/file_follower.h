#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "app/model/hub/hub.h"
#include "app/model/hub/result_board.h"
#include "app/model/posterior/pinned_posterior.h"
#include "app/model/posterior/posterior.h"
#include "core/base/latest_worker.h"

namespace pairs::model {

// Of the random subset that is kept of a file beyond what training saw, as `infer --follow` has it.
inline constexpr std::uint64_t kFollowSeed = 1;

// What is followed, and by which run.
struct FollowRequest {
  Tasks tasks;
  std::string run, data, device = "auto";
  SeriesRole role = SeriesRole::pairs;
  std::filesystem::path file;
  std::uint64_t set = 0;  // id
  Missing missing = Missing::refuse;
};

// The newest of a file that is followed.
struct FollowResult {
  std::uint64_t version = 0;
  std::shared_ptr<const FollowState> state;
  std::shared_ptr<const PosteriorSnapshot> snapshot;
  std::shared_ptr<const Figure> width;
};

// The posterior of a CSV file of points that another program appends to, as `infer --follow` answers it: on a thread
// and with weights of its own, each observation embedded once. All members belong to the window's thread.
class FileFollower {
 public:
  explicit FileFollower(Hub& hub);
  ~FileFollower();

  void follow(FollowRequest request);
  // Reads no more; what there is stays.
  void stop();
  // Forgets it.
  void end();
  // Ghosts behind what is drawn, of all tasks; null: none.
  void set_pinned(PinnedPosteriors pinned);
  // Which interval is shaded and told.
  void set_interval(IntervalKind kind) { interval_ = kind; }

  // Takes over what there is of the file; true when something has changed.
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
  std::uint64_t set_ = 0;   // id of what is followed; 0: nothing
  LatestWorker worker_;     // last: ends first
};

}  // namespace pairs::model
