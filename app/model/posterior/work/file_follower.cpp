#include "app/model/posterior/work/file_follower.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "app/kinds/observation_room.h"
#include "app/kinds/observed.h"
#include "app/model/posterior/shown/posterior_scene.h"
#include "app/posterior/files/growing_text.h"
#include "app/posterior/follow/followed_posterior.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/one_thread.h"
#include "core/report/number_text.h"

namespace pairs::model {
namespace {

constexpr std::uint64_t kSeed = kFollowSeed;
constexpr double kBetweenPosteriors = 0.15;  // seconds, while lines arrive
constexpr double kBetweenReads = 0.1;        // seconds between checks for new lines
constexpr double kRateWindow = 3;            // seconds over which the rate is averaged
constexpr double kWidthStep = 1.12;          // growth of N between two points of the width

void wait_for(double seconds, const LatestWorker::Stale& stale) {
  for (const Stopwatch watch; watch.seconds() < seconds && !stale();)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// Recent observations per second.
class Rate {
 public:
  void add(double seconds, std::int64_t seen) {
    if (moments_.empty() || seconds - moments_.back().first > 0.05) moments_.emplace_back(seconds, seen);
    while (moments_.size() > 2 && seconds - moments_[1].first > kRateWindow) moments_.pop_front();
  }
  double at(double seconds, std::int64_t seen) const {
    if (moments_.empty()) return 0;
    const auto& [since, before] = moments_.front();
    const double time = std::max(seconds - since, 0.5);
    return static_cast<double>(seen - before) / time;
  }

 private:
  std::deque<std::pair<double, std::int64_t>> moments_;
};

}  // namespace

// What belongs to one file, on the worker's thread.
class FileFollower::Work {
 public:
  Work(FileFollower& follower, const FollowRequest& request)
      : follower_(follower),
        request_(request),
        set_(followed(request)),
        info_(set_.info()),
        name_(printable(request.file.filename().string(), 300)),
        lines_(room_of(info_).lines(info_, name_, file_columns(*set_.run().loaded.task), request.missing)),
        text_(request.file.string(), name_),
        axes_(info_.targets) {
    PAIRS_CHECK(lines_, "A file is followed line by line, and no line of text holds an observation of the task {}",
                info_.title);
  }

  void run(const LatestWorker::Stale& stale) {
    report("");
    Stopwatch since_posterior;
    for (;;) {
      std::string failure;
      GrowingText::Came came = GrowingText::Came::nothing;
      try {
        came = text_.read([&](std::string_view line) { lines_->take(line); });
      } catch (const std::exception& error) {
        failure = sentence(error);
      }
      if (const std::string problem = add(stale); failure.empty()) failure = problem;
      if (stale()) break;
      const bool due =
          !failure.empty() || came != GrowingText::Came::lines || since_posterior.seconds() > kBetweenPosteriors;
      if (due && show_posterior()) since_posterior.restart();
      report(failure);
      if (!failure.empty()) return;
      if (came != GrowingText::Came::lines) wait_for(kBetweenReads, stale);
      if (stale()) break;
    }
    show_posterior();
    running_ = false;
    report("");
  }

 private:
  static FollowedPosterior followed(const FollowRequest& request) {
    LoadedRun run = load_run(request.tasks, request.run, request.data, request.device);
    const std::int64_t most = std::min(run.estimator->max_n(), run.task->info().max_n);
    return {{std::move(run), request.role}, most, torch::Tensor(), kSeed};
  }

  // Embeds new observations; returns why it failed, as a sentence.
  std::string add(const LatestWorker::Stale& stale) {
    const Observations x = lines_->gather();
    if (!x.defined()) return "";
    const std::int64_t pace = std::max<std::int64_t>(room_of(info_).amounts().embedded, 1);
    try {
      for (std::int64_t from = 0; from < x.count() && !stale(); from += pace)
        set_.add(x.slice(from, std::min(from + pace, x.count())));
    } catch (const std::exception& error) {
      return sentence(error);
    }
    return "";
  }

  // Updates the posterior if there are new observations.
  bool show_posterior() {
    const auto pinned = follower_.pinned_.load();
    const IntervalKind interval = follower_.interval_.load();
    const std::int64_t n = set_.size();
    if (n == 0 || (shown_ == set_.seen() && pinned == pinned_ && interval == interval_)) return false;
    const OneThread one_thread;
    if (shown_ != set_.seen()) {
      at_ = set_.answer();
      add_widths();
    }
    shown_ = set_.seen();
    pinned_ = pinned;
    interval_ = interval;
    const ShownSet set{request_.set, {}, request_.file.string() + ", followed; " + set_.run().loaded.name, interval};
    const auto snapshot =
        std::make_shared<PosteriorSnapshot>(snapshot_of(info_, at_, set, axes_, ++snapshots_, pinned));
    std::shared_ptr<const Figure> width;
    if (!widths_.empty())
      width = std::make_shared<Figure>(
          width_against_n(widths_, info_.targets, std::max<std::int64_t>(widths_.back().n, 10), n));
    follower_.board_.publish([&](FollowResult& result) {
      result.snapshot = snapshot;
      result.width = width;
    });
    return true;
  }

  void add_widths() {
    const std::int64_t n = at_.n;
    for (const PosteriorNumbers& one : at_.numbers) {
      if (!widths_.empty() && static_cast<double>(n) < kWidthStep * static_cast<double>(widths_.back().n)) continue;
      WidthPoint point{one.name, one.role, one.ours, n, {}};
      for (const TargetNumbers& target : one.targets) point.sd.push_back(target.sd);
      widths_.push_back(std::move(point));
    }
  }

  // Publishes the progress if it has changed.
  void report(const std::string& failure) {
    rate_.add(watch_.seconds(), set_.seen());
    FollowState state;
    state.file = request_.file;
    state.set = request_.set;
    state.opened = true;
    state.seen = set_.seen();
    state.used = set_.size();
    state.most = set_.most();
    state.running = running_ && failure.empty();
    state.rate = state.running ? rate_.at(watch_.seconds(), set_.seen()) : 0;
    state.failure = failure;
    if (reported_ && *reported_ == state) return;
    reported_ = state;
    follower_.board_.publish([&](FollowResult& result) { result.state = std::make_shared<FollowState>(state); });
  }

  FileFollower& follower_;
  const FollowRequest& request_;
  FollowedPosterior set_;
  const TaskInfo& info_;
  std::string name_;
  std::unique_ptr<ObservationLines> lines_;
  GrowingText text_;
  StableAxes axes_;
  std::vector<WidthPoint> widths_;
  PosteriorAnswer at_;
  PinnedPosteriors pinned_;
  IntervalKind interval_ = IntervalKind::central;
  std::int64_t shown_ = 0;  // number of observations at the last shown posterior
  std::uint64_t snapshots_ = 0;
  Stopwatch watch_;
  Rate rate_;
  bool running_ = true;
  std::optional<FollowState> reported_;
};

FileFollower::FileFollower(Hub& hub)
    : board_([&hub] { hub.wake(); }), worker_([this](const std::string& failure) {
        board_.publish([&](FollowResult& result) {
          FollowState state = result.state ? *result.state : FollowState();
          state.running = false;
          state.rate = 0;
          state.failure = failure;
          result.state = std::make_shared<FollowState>(state);
        });
      }) {}
FileFollower::~FileFollower() = default;

void FileFollower::run(const FollowRequest& request, const LatestWorker::Stale& stale) {
  const torch::NoGradGuard no_grad;
  board_.publish([&](FollowResult& result) {
    result = FollowResult();
    FollowState state;
    state.file = request.file;
    state.set = request.set;
    result.state = std::make_shared<FollowState>(state);
  });
  Work(*this, request).run(stale);
}

void FileFollower::follow(FollowRequest request) {
  end();
  set_ = request.set;
  FollowState state;
  state.file = request.file;
  state.set = request.set;
  result_.state = std::make_shared<FollowState>(state);
  worker_.request([this, request = std::move(request)](const LatestWorker::Stale& stale) { run(request, stale); });
}

void FileFollower::stop() {
  worker_.cancel();
}

void FileFollower::end() {
  worker_.cancel();
  set_ = 0;
  result_ = FollowResult();
}

void FileFollower::set_pinned(PinnedPosteriors pinned) {
  pinned_ = std::move(pinned);
}

bool FileFollower::poll() {
  if (board_.version() == seen_) return false;
  FollowResult result = board_.result();
  seen_ = result.version;
  // Ignores results of a file that is no longer followed.
  if (!result.state || result.state->set != set_ || set_ == 0) return false;
  result_ = std::move(result);
  return true;
}

}  // namespace pairs::model
