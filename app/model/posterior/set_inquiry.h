#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/hub/hub.h"
#include "app/model/posterior/sample_saving.h"
#include "app/posterior/set_posterior.h"
#include "app/posterior/toy_table.h"
#include "app/posterior/verdict.h"
#include "app/posterior/within_sets.h"
#include "core/base/clock.h"
#include "core/base/latest.h"

namespace pairs::model {

// One further question about a posterior that a person asks (its local test, another prior): the same as a command
// answers it of the same observations, worked out on a thread and with weights of its own. All members belong to the
// window's thread.
class SetInquiry {
 public:
  struct Answer {
    std::string key, text;  // what it says, or why there is none
    bool made = true;       // false: the text is why there is none
    bool bad = false;       // is to be seen
    std::shared_ptr<const Figure> figure = {};
    std::string note = {};  // of the figure
    PredictiveP predictive = {};  // of a predictive test
    std::optional<WithinTest> within = {};  // of the test that is made unasked; `text` is why there is none
  };
  // What a job may ask and tell meanwhile: false stops it (Stopped), a share from 0 to 1.
  struct Progress {
    std::function<bool()> keep_going;
    std::function<void(double share)> done;
  };
  // Of the first asked.n observations, which are embedded.
  using Question = std::function<Answer(SetPosterior& posterior, const SamplesAsked& asked, const Progress& progress)>;

  // `doing`: what it does while it works: "testing the posterior"; `failed`: before the reason why there is no answer:
  // "The local test was not made".
  SetInquiry(Hub& hub, std::string doing, std::string failed);

  const std::string& doing() const { return doing_; }

  // `key` names the answer. The work begins after so many seconds, so that a question which another one follows at once
  // costs nothing.
  void ask(const std::string& key, SamplesAsked asked, Question question, double settles = 0);
  void cancel() { latest_.cancel(); }
  // Drops what is worked out and every answer, as of other weights.
  void forget();
  bool busy() const { return latest_.busy(); }
  // How much of it is done, 0 to 1.
  double share() const { return *share_; }
  // How long the rest of it takes at the pace so far, in seconds; NaN while too little of it is done.
  double seconds_left() const;
  // Whether what is worked out is of this key.
  bool works_on(const std::string& key) const { return busy() && key_ == key; }
  // Whether an answer came since it was asked last.
  bool poll();
  bool wait(double seconds) { return latest_.wait(seconds); }
  // The one of this key among the last kMostAnswers; else null.
  std::shared_ptr<const Answer> answer(const std::string& key) const;

 private:
  Hub& hub_;
  std::string doing_, failed_, key_;
  Stopwatch since_;  // it was asked
  std::shared_ptr<std::atomic<double>> share_ = std::make_shared<std::atomic<double>>(0.0);
  static constexpr std::size_t kMostAnswers = 32;
  std::deque<std::shared_ptr<const Answer>> answers_;  // oldest first, of keys that differ
  Latest<Answer> latest_;                              // last: ends first
};

// Those of the Posterior tab.
struct SetInquiries {
  explicit SetInquiries(Hub& hub);
  std::array<SetInquiry*, 5> all() { return {&local_test, &predictive, &confidence, &other_prior, &usual}; }

  SetInquiry local_test, predictive, confidence, other_prior;
  SetInquiry usual;                   // is asked by itself about every set of a file
  std::string prior;                  // that is shown, as typed; "": none
  std::uint64_t predictive_seed = 1;  // of the draw that the predictive test simulates at

  // The tests that a person asks for by a button: a word that names each in files, and its question.
  struct Test {
    const char* word;
    SetInquiry& inquiry;
    std::function<SetInquiry::Question()> question;
  };
  std::array<Test, 3> buttons();
  // The words of the tests that were made, or are being made, of the posterior that `key` names.
  std::vector<std::string> tests(const std::string& key) const;
  // Asks for a test of that posterior by its word; one that there is no test of is left out.
  void ask(const std::string& test, const std::string& key, SamplesAsked asked);

  // What names the predictive test's answer where `key` names the posterior.
  std::string predictive_key(const std::string& key) const;
  // What names the answer of `other_prior` where `key` names the posterior and `prior` is asked about.
  std::string prior_key(const std::string& key) const { return key + " " + prior; }
};

// The local test as `infer --local-test` makes it, by so many simulated sets.
inline constexpr std::int64_t kLocalTestSets = 1000;
SetInquiry::Question local_test_question();
// What `infer` tests by default: how the observations differ among themselves. Its answer has no text of its own where
// it was made.
SetInquiry::Question usual_question();
// The predictive test as `infer --predictive 200` makes it, with its figure.
SetInquiry::Question predictive_question();
// The posterior under other priors, as `infer --prior` tells it: "beta(2, 8)", of several targets
// "theta = beta(2, 8); psi = normal(1, 1)", with "learnt theta = normal(0, 1)" for `--learnt-prior`.
SetInquiry::Question prior_question(const std::string& text);

// Intervals of confidence, limits and the significance of the null value by toys, as `frequentist --data` answers them,
// with a figure. `counts`: how many toys at how many nodes; its other members are the usual ones.
SetInquiry::Question confidence_question(const ToyPlan& counts);

}  // namespace pairs::model
