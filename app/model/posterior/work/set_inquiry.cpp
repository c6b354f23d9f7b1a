#include "app/model/posterior/work/set_inquiry.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include "app/kinds/sample_plot.h"
#include "app/posterior/caveats/local_test_text.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/checks/foreign_observations.h"
#include "app/posterior/checks/set_predictive_test.h"
#include "app/posterior/figures/prior_figure.h"
#include "app/posterior/frequentist/set_confidence.h"
#include "app/posterior/question/question.h"
#include "app/posterior/set_posterior/usual_tests.h"
#include "app/posterior/source/other_prior.h"
#include "app/runs/strategy_look.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"

namespace pairs::model {
namespace {

// Reports finished sets as a share of all.
std::function<void(std::int64_t, std::int64_t)> shares(const SetInquiry::Progress& progress) {
  return [&progress](std::int64_t done, std::int64_t sets) {
    progress.done(static_cast<double>(done) / static_cast<double>(sets));
  };
}

}  // namespace

SetInquiry::SetInquiry(Hub& hub, std::string doing, std::string failed)
    : hub_(hub), doing_(std::move(doing)), failed_(std::move(failed)), latest_(hub.wake) {}

SetInquiries::SetInquiries(Hub& hub)
    : local_test(hub, "testing the posterior", "The local test was not made"),
      predictive(hub, "comparing with simulated sets", "The predictive test was not made"),
      observations(hub, "comparing each observation with the model", "Single observations were not tested"),
      confidence(hub, "simulating sets for confidence intervals", "There are no confidence intervals"),
      other_prior(hub, "reweighing the posterior", "There is no posterior under another prior"),
      usual(hub, "comparing the observations with simulated sets", "The set was not compared with simulated ones") {}

void SetInquiry::ask(const std::string& key, SamplesAsked asked, Question question, double settles) {
  key_ = key;
  *share_ = 0;
  since_.restart();
  latest_.ask([key, tasks = hub_.tasks, failed = failed_, asked = std::move(asked), question = std::move(question),
               share = share_, settles](const auto& stale) {
    auto answer = std::make_shared<Answer>();
    constexpr std::chrono::milliseconds kStep(20);
    for (const Stopwatch watch; watch.seconds() < settles && !stale();) std::this_thread::sleep_for(kStep);
    if (stale()) throw Stopped();
    try {
      const Progress progress{[&] { return !stale(); }, [&](double done) { *share = done; }};
      const LoadedRun run = load_run(tasks, asked.question.run, asked.data, asked.device);
      SetPosterior posterior(std::make_shared<ObservedSet>(run.task, asked.question.set),
                             {{.loaded = run, .role = strategy_role(run.config.strategy)}});
      posterior.embed_until(asked.question.n, progress.keep_going);
      *answer = question(posterior, asked, progress);
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      answer->text = failed + ": " + sentence(error);
      answer->made = false;
      answer->bad = true;
    }
    answer->key = key;
    return answer;
  });
}

const std::array<SetInquiries::Test, 4>& SetInquiries::buttons() {
  static const std::array<Test, 4> all = {{
      {kPosteriorTests[0], &SetInquiries::local_test, local_test_question},
      {kPosteriorTests[1], &SetInquiries::predictive, predictive_question, true},
      {kPosteriorTests[2], &SetInquiries::observations, observations_question},
      {kPosteriorTests[3], &SetInquiries::confidence, [] { return confidence_question(ToyPlan()); }},
  }};
  return all;
}

std::vector<std::string> SetInquiries::tests(const std::string& key) const {
  std::vector<std::string> words;
  for (const Test& one : buttons()) {
    const SetInquiry& inquiry = this->*one.inquiry;
    const std::string own = key_of(one, key);
    const auto answer = inquiry.answer(own);
    if ((answer && answer->made) || inquiry.works_on(own)) words.emplace_back(one.word);
  }
  return words;
}

void SetInquiries::ask(const Test& test, const std::string& key, SamplesAsked asked) {
  if (test.seeded) asked.question.seed = predictive_seed;
  (this->*test.inquiry).ask(key_of(test, key), std::move(asked), test.question());
}

void SetInquiries::ask(const std::string& test, const std::string& key, SamplesAsked asked) {
  for (const Test& one : buttons())
    if (one.word == test) return ask(one, key, std::move(asked));
}

std::string SetInquiries::predictive_key(const std::string& key) const {
  return fmt::format("{} seed {}", key, predictive_seed);
}

double SetInquiry::seconds_left() const {
  constexpr double kEnough = 0.02, kSoon = 1;  // a share, and seconds
  const double share = *share_, seconds = since_.seconds();
  return share < kEnough || seconds < kSoon ? NAN : seconds * (1 - share) / share;
}

bool SetInquiry::poll() {
  const auto came = latest_.take();
  if (!came) return false;
  if (came->value) {
    std::erase_if(answers_, [&](const auto& one) { return one->key == came->value->key; });
    answers_.push_back(came->value);
    if (answers_.size() > kMostAnswers) answers_.pop_front();
  }
  return true;
}

void SetInquiry::forget() {
  latest_.forget();
  answers_.clear();
}

std::shared_ptr<const SetInquiry::Answer> SetInquiry::answer(const std::string& key) const {
  const auto known = std::ranges::find_if(answers_, [&](const auto& one) { return one->key == key; });
  if (known != answers_.end()) return *known;
  const auto last = latest_.last();  // poll() was not called since
  return last && last->key == key ? last : nullptr;
}

SetInquiry::Question local_test_question() {
  return [](SetPosterior& posterior, const SamplesAsked& asked, const SetInquiry::Progress& progress) {
    LocalTestOptions options;
    options.sets = kLocalTestSets;
    options.seed = asked.question.seed;
    options.keep_going = progress.keep_going;
    options.step = shares(progress);
    const LocalTest test = posterior.local_test(asked.question.n, options);
    return SetInquiry::Answer{"",      local_test_text(test, posterior.task().info(), asked.question.n),
                              true,    test.p_value < kLocallyOff,
                              nullptr, ""};
  };
}

SetInquiry::Question confidence_question(const ToyPlan& counts) {
  return [counts](SetPosterior& posterior, const SamplesAsked& asked, const SetInquiry::Progress& progress) {
    SetConfidence found = set_confidence(posterior, asked.question.n, counts, progress.keep_going, shares(progress));
    return SetInquiry::Answer{"",
                              std::move(found.text),
                              true,
                              !found.answer.resolved,
                              std::make_shared<Figure>(std::move(found.figure)),
                              std::move(found.note)};
  };
}

SetInquiry::Question usual_question() {
  return [](SetPosterior& posterior, const SamplesAsked& asked, const SetInquiry::Progress& progress) {
    UsualTests tests = usual_tests(posterior, asked.question.n, asked.question.seed, progress.keep_going, false);
    SetInquiry::Answer out;
    out.within = std::move(tests.within);
    out.text = std::move(tests.why_not);
    out.made = out.within.has_value();
    return out;
  };
}

SetInquiry::Question predictive_question() {
  return [](SetPosterior& posterior, const SamplesAsked& asked, const SetInquiry::Progress& progress) {
    PredictiveOptions options;
    options.seed = asked.question.seed;
    options.keep_going = progress.keep_going;
    options.step = shares(progress);
    const SetPredictiveTest test = posterior.predictive_test(asked.question.n, options);
    return SetInquiry::Answer{
        "",
        predictive_text(test, posterior.task().info()),
        true,
        test.test.p <= kUnlikeModel,
        std::make_shared<Figure>(predictive_figure(test, posterior.runs().front().role, posterior.source_text())),
        predictive_note(test),
        {test.test.p, test.test.sets}};
  };
}

SetInquiry::Question observations_question() {
  return [](SetPosterior& posterior, const SamplesAsked& asked, const SetInquiry::Progress& progress) {
    const std::int64_t n = asked.question.n;
    const Refiner refiner(posterior.runs().front().loaded);
    SingleObservations found = posterior.singles(n, refiner, asked.question.seed, progress.keep_going);
    const TaskInfo& info = posterior.task().info();
    SetInquiry::Answer out;
    out.text = foreign_text(found, info, posterior.set().first(n));
    out.bad = !found.foreign.empty();
    Figure picture = posterior.set().picture(n, prior_view(posterior.task()));
    mark_foreign(found, picture);
    out.figure = std::make_shared<Figure>(std::move(picture));
    out.note = "The observations that the posterior is of; those that are foreign to the model are marked.";
    out.singles = std::move(found);
    return out;
  };
}

SetInquiry::Question prior_question(const std::string& text) {
  return [text](SetPosterior& posterior, const SamplesAsked& asked, const SetInquiry::Progress& progress) {
    const std::shared_ptr<const OtherPrior> prior = other_prior(posterior.runs().front().loaded.task, text);
    PAIRS_CHECK(prior, "write a prior, e.g. normal(0.2, 0.05)");
    const PosteriorAnswer answer = posterior.answer(asked.question.n, false);
    PAIRS_CHECK(!answer.sources.empty(), "{}", no_posterior_text(answer));
    const ReweighedPosterior under = reweighed(*prior, answer.sources.front(), progress.keep_going);
    SetInquiry::Answer out;
    out.text = reweighed_text(under, posterior.task().info(), asked.question.interval);
    for (const std::string& warning : reweighed_warnings(under)) {
      out.bad = true;
      out.text += " " + warning + ".";
    }
    if (auto figure = prior_figure(posterior, answer, prior, under))
      out.figure = std::make_shared<Figure>(*std::move(figure));
    out.note =
        fmt::format("The posterior under the prior {}, next to the one under the training prior.", prior->text());
    return out;
  };
}

}  // namespace pairs::model
