#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/latest_worker.h"

namespace pairs {

// The newest value that some thread has left for another.
template <class T>
class Newest {
 public:
  void put(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    fresh_ = value_ != nullptr;
  }
  // The newest value where it was not taken yet, else null.
  std::shared_ptr<const T> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(fresh_, false) ? value_ : nullptr;
  }
  // The newest value, taken or not; null before the first.
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

// What becomes of an answer that is ready only after something else was asked for.
enum class Late { drop, keep };

// An answer that is worked out in the background (LatestWorker), of which the newest waits here for the thread that
// asked. All members belong to that thread.
template <class T>
class Latest {
 public:
  using Stale = LatestWorker::Stale;
  // The answer; null: there is nothing new. What it throws becomes the failure.
  using Work = std::function<std::shared_ptr<const T>(const Stale& stale)>;

  // `wake` is called on the work's thread once there is something to take.
  explicit Latest(std::function<void()> wake, Late late = Late::drop)
      : wake_(std::move(wake)), late_(late), worker_([](const std::string&) {}) {}

  // Works this out instead of what was asked before.
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
  // Drops what was asked for last where it is not ready.
  void cancel() { worker_.cancel(); }
  // Drops it with every answer.
  void forget() {
    worker_.cancel();
    box_ = std::make_shared<Box>();
  }

  struct Answer {
    std::shared_ptr<const T> value;  // null: it failed
    std::string failure;             // a sentence
  };
  // What is new since it was taken last; null: nothing.
  std::shared_ptr<const Answer> take() { return box_->answers.take(); }
  bool fresh() const { return box_->answers.fresh(); }
  // The newest value, taken or not, of the last work that did not fail; null before the first.
  std::shared_ptr<const T> last() const { return box_->values.last(); }
  // Whether work waits or runs; and the same, or its answer was not taken yet.
  bool busy() const { return worker_.busy(); }
  bool waits() const { return busy() || fresh(); }
  // As LatestWorker::wait.
  bool wait(double seconds) { return worker_.wait(seconds); }

 private:
  std::function<void()> wake_;
  Late late_;
  // What was dropped has a box of its own, in which it may still end.
  struct Box {
    Newest<Answer> answers;
    Newest<T> values;
  };
  std::shared_ptr<Box> box_ = std::make_shared<Box>();
  LatestWorker worker_;  // last: ends first
};

}  // namespace pairs
