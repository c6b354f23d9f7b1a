#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "app/model/hub/hub.h"
#include "app/model/posterior/sample_saving.h"
#include "core/base/latest.h"

namespace pairs::model {

// Local tests of posteriors that a person asks for (core/eval/local_test.h): what `infer --local-test` says of the same
// observations, worked out on a thread and with weights of its own. All members belong to the window's thread.
class LocalTesting {
 public:
  static constexpr std::int64_t kSets = 1000;  // simulated sets that a test learns from

  explicit LocalTesting(Hub& hub);

  // Tests the posterior of this run, set and N. `key` names it to answer().
  void test(const std::string& key, SamplesAsked asked);
  void cancel();
  // Drops what is worked out and every answer, as of other weights.
  void forget();
  bool busy() const { return latest_.busy(); }
  // How much of it is done, 0 to 1.
  double share() const { return *share_; }
  // Whether what is worked out is of this key.
  bool works_on(const std::string& key) const { return busy() && key_ == key; }
  // Whether an answer came since it was asked last.
  bool poll() { return latest_.take() != nullptr; }
  bool wait(double seconds) { return latest_.wait(seconds); }

  struct Answer {
    std::string key, text;  // what it says, or why there is none
    bool off = false;       // the posterior is
  };
  // Of the posterior that was tested last where it has this key; else null.
  std::shared_ptr<const Answer> answer(const std::string& key) const;

 private:
  Hub& hub_;
  std::string key_;
  std::shared_ptr<std::atomic<double>> share_ = std::make_shared<std::atomic<double>>(0.0);
  Latest<Answer> latest_;  // last: ends first
};

}  // namespace pairs::model
