#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/threads/latest_worker.h"

namespace pairs {

// Hands the newest value from one thread to another.
template <class T>
class Newest {
 public:
  void put(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    fresh_ = value_ != nullptr;
  }
  // The newest value if it has not been taken yet, else null.
  std::shared_ptr<const T> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(fresh_, false) ? value_ : nullptr;
  }
  // The newest value, taken or not; null if there has been none.
  std::shared_ptr<const T> last() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  bool fresh() const {
    const std::lock_guard lock(mutex_);
    return fresh_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
  bool fresh_ = false;
};

// Whether a result is dropped or kept if it is ready only after a newer request.
enum class Late { drop, keep };

// A result computed in the background (LatestWorker); the newest one waits here for the thread that requested it. All
// members belong to that thread.
template <class T>
class Latest {
 public:
  using Stale = LatestWorker::Stale;
  // Returns the result, or null if there is nothing new. An exception becomes the failure.
  using Work = std::function<std::shared_ptr<const T>(const Stale& stale)>;

  // `wake` is called on the worker's thread once there is something to take.
  explicit Latest(std::function<void()> wake, Late late = Late::drop)
      : wake_(std::move(wake)), late_(late), worker_([](const std::string&) {}) {}

  // Replaces the previous request by `work`.
  void ask(Work work) {
    worker_.request([this, box = box_, work = std::move(work)](const Stale& stale) {
      auto answer = std::make_shared<Answer>();
      try {
        answer->value = work(stale);
        if (!answer->value) return;
      } catch (const Stopped&) {
        throw;
      } catch (const std::exception& error) {
        answer->failure = sentence(error);
      }
      if (late_ == Late::drop && stale()) return;
      if (answer->value) box->values.put(answer->value);
      box->answers.put(std::move(answer));
      wake_();
    });
  }
  // Drops the last request if it is not ready.
  void cancel() { worker_.cancel(); }
  // Drops the request and all results.
  void forget() {
    worker_.cancel();
    box_ = std::make_shared<Box>();
  }

  struct Answer {
    std::shared_ptr<const T> value;  // null: it failed
    std::string failure;             // a sentence
  };
  // The newest result since the last call; null if there is none.
  std::shared_ptr<const Answer> take() { return box_->answers.take(); }
  bool fresh() const { return box_->answers.fresh(); }
  // The newest value of a request that succeeded, taken or not; null if there has been none.
  std::shared_ptr<const T> last() const { return box_->values.last(); }
  // busy: work waits or runs. waits: busy, or a result has not been taken yet.
  bool busy() const { return worker_.busy(); }
  bool waits() const { return busy() || fresh(); }
  // See LatestWorker::wait.
  bool wait(double seconds) { return worker_.wait(seconds); }

 private:
  std::function<void()> wake_;
  Late late_;
  // Dropped work keeps its own box, into which it may still write.
  struct Box {
    Newest<Answer> answers;
    Newest<T> values;
  };
  std::shared_ptr<Box> box_ = std::make_shared<Box>();
  LatestWorker worker_;  // last: ends first
};

}  // namespace pairs
