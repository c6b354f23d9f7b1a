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
#include "app/model/posterior/work/sample_saving.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/checks/within_sets.h"
#include "app/posterior/frequentist/toy_table.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/base/threads/clock.h"
#include "core/base/threads/latest.h"

namespace pairs::model {

// A further analysis of a posterior (a local test, another prior), as the command computes it for the same
// observations, on a thread and with its own weights. All members belong to the window's thread.
class SetInquiry {
 public:
  struct Answer {
    std::string key, text;  // the result, or why there is none
    bool made = true;       // false: the text is the reason of failure
    bool bad = false;       // deserves attention
    std::shared_ptr<const Figure> figure = {};
    std::string note = {};                  // caption of the figure
    PredictiveP predictive = {};            // result of a predictive test
    std::optional<WithinTest> within = {};  // result of the automatic test; if it failed, `text` gives the reason
    std::optional<SingleObservations> singles = {};  // result of the test of single observations
  };
  // Callbacks of a job: keep_going returns false to stop it (Stopped); done receives its progress, 0 to 1.
  struct Progress {
    std::function<bool()> keep_going;
    std::function<void(double share)> done;
  };
  // Analyzes the first asked.n observations, which are embedded.
  using Question = std::function<Answer(SetPosterior& posterior, const SamplesAsked& asked, const Progress& progress)>;

  // `doing`: its activity, "testing the posterior". `failed`: precedes the reason of a failure, "The local test was not
  // made".
  SetInquiry(Hub& hub, std::string doing, std::string failed);

  const std::string& doing() const { return doing_; }

  // `key` identifies the answer. The work starts after `settles` seconds, so that a question replaced at once costs
  // nothing.
  void ask(const std::string& key, SamplesAsked asked, Question question, double settles = 0);
  void cancel() { latest_.cancel(); }
  // Drops the current work and all answers, e.g. after a change of weights.
  void forget();
  bool busy() const { return latest_.busy(); }
  // Finished share of the work, 0 to 1.
  double share() const { return *share_; }
  // Expected remaining time in seconds at the current pace; NaN while too little is done.
  double seconds_left() const;
  // Whether the current work has this key.
  bool works_on(const std::string& key) const { return busy() && key_ == key; }
  // Takes over an answer; returns whether there was one.
  bool poll();
  bool wait(double seconds) { return latest_.wait(seconds); }
  // The answer of this key among the last kMostAnswers; else null.
  std::shared_ptr<const Answer> answer(const std::string& key) const;

 private:
  Hub& hub_;
  std::string doing_, failed_, key_;
  Stopwatch since_;  // time since the question
  std::shared_ptr<std::atomic<double>> share_ = std::make_shared<std::atomic<double>>(0.0);
  static constexpr std::size_t kMostAnswers = 32;
  std::deque<std::shared_ptr<const Answer>> answers_;  // oldest first, with distinct keys
  Latest<Answer> latest_;                              // last: ends first
};

// The analyses of the Posterior tab.
struct SetInquiries {
  explicit SetInquiries(Hub& hub);
  std::array<SetInquiry*, 6> all() {
    return {&local_test, &predictive, &observations, &confidence, &other_prior, &usual};
  }

  SetInquiry local_test, predictive, observations, confidence, other_prior;
  SetInquiry usual;                   // runs automatically for every set of a file
  std::string prior;                  // the prior shown, as typed; "": none
  std::uint64_t predictive_seed = 1;  // of the posterior sample at which the predictive test simulates

  // A test that a person asks for by a button: the word that names it in files, and its question.
  struct Test {
    const char* word;
    SetInquiry SetInquiries::*inquiry;
    SetInquiry::Question (*question)();
    bool seeded = false;  // simulates by predictive_seed
  };
  // All of them, in the order of kPosteriorTests.
  static const std::array<Test, 4>& buttons();
  // The key of a test's answer for the posterior that `key` names.
  std::string key_of(const Test& test, const std::string& key) const { return test.seeded ? predictive_key(key) : key; }
  // The words of the tests that were made, or are being made, of the posterior that `key` names.
  std::vector<std::string> tests(const std::string& key) const;
  // Asks for a test of that posterior, also by its word; a word that names no test is left out.
  void ask(const Test& test, const std::string& key, SamplesAsked asked);
  void ask(const std::string& test, const std::string& key, SamplesAsked asked);

  // What names the predictive test's answer where `key` names the posterior.
  std::string predictive_key(const std::string& key) const;
  // The key of the answer of `other_prior` for the posterior `key` and this prior.
  std::string prior_key(const std::string& key) const { return key + " " + prior; }
};

// The local test of `infer --local-test` with this many simulated sets.
inline constexpr std::int64_t kLocalTestSets = 1000;
SetInquiry::Question local_test_question();
// The default test of `infer`: how the observations differ among themselves. A successful answer has no text.
SetInquiry::Question usual_question();
// The predictive test of `infer --predictive 200`, with its figure.
SetInquiry::Question predictive_question();
// Which observations are foreign to the model, as in `infer --observations`, with a picture that marks them. Its
// progress is not known.
SetInquiry::Question observations_question();
// The posterior under other priors, as in `infer --prior`: "beta(2, 8)"; for several targets "theta = beta(2, 8); psi =
// normal(1, 1)"; with "training theta = normal(0, 1)" for `--training-prior`.
SetInquiry::Question prior_question(const std::string& text);

// Confidence intervals, limits and the significance of the null value from toys, as in `frequentist --data`, with a
// figure. `counts`: the numbers of toys and nodes; its other members keep their defaults.
SetInquiry::Question confidence_question(const ToyPlan& counts);

}  // namespace pairs::model
