#include "app/model/posterior/set_inquiry.h"

#include <utility>
#include <vector>

#include "app/posterior/other_prior.h"
#include "app/posterior/set_predictive_test.h"
#include "app/runs/strategy_look.h"
#include "core/base/error.h"
#include "core/train/run.h"

namespace pairs::model {

SetInquiry::SetInquiry(Hub& hub, std::string failed) : hub_(hub), failed_(std::move(failed)), latest_(hub.wake) {}

void SetInquiry::ask(const std::string& key, SamplesAsked asked, Question question) {
  key_ = key;
  *share_ = 0;
  latest_.ask([key, tasks = hub_.tasks, failed = failed_, asked = std::move(asked), question = std::move(question),
               share = share_](const auto& stale) {
    auto answer = std::make_shared<Answer>();
    try {
      const Progress progress{[&] { return !stale(); }, [&](double done) { *share = done; }};
      const LoadedRun run = load_run(tasks, asked.run, asked.data, asked.device);
      SetPosterior posterior(std::make_shared<ObservedSet>(run.task, asked.set),
                             {{.loaded = run, .role = strategy_role(run.config.strategy)}});
      posterior.embed_until(asked.n, progress.keep_going);
      *answer = question(posterior, asked, progress);
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      answer->text = failed + ": " + sentence(error);
    }
    answer->key = key;
    return answer;
  });
}

std::shared_ptr<const SetInquiry::Answer> SetInquiry::answer(const std::string& key) const {
  const auto last = latest_.last();
  return last && last->key == key ? last : nullptr;
}

SetInquiry::Question predictive_question() {
  return [](SetPosterior& posterior, const SamplesAsked& asked, const SetInquiry::Progress& progress) {
    PredictiveOptions options;
    options.seed = asked.seed;
    options.keep_going = progress.keep_going;
    options.step = [&](std::int64_t done, std::int64_t sets) {
      progress.done(static_cast<double>(done) / static_cast<double>(sets));
    };
    const SetPredictiveTest test = posterior.predictive_test(asked.n, options);
    return SetInquiry::Answer{
        "", predictive_text(test, posterior.task().info()), test.test.p <= kUnlikeModel,
        std::make_shared<Figure>(predictive_figure(test, posterior.runs().front().role, posterior.source_text())),
        predictive_note(test)};
  };
}

SetInquiry::Question prior_question(const std::string& text) {
  return [text](SetPosterior& posterior, const SamplesAsked& asked, const SetInquiry::Progress&) {
    std::vector<std::string> now, learnt;
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t to = std::min(text.find(';', from), text.size());
      std::string one = text.substr(from, to - from);
      one.erase(0, one.find_first_not_of(' '));
      const bool old = one.starts_with("learnt ");
      if (!one.empty()) (old ? learnt : now).push_back(old ? one.substr(7) : one);
      from = to + 1;
    }
    PAIRS_CHECK(!now.empty(), "write a prior, normal(0.2, 0.05) say");
    const OtherPrior prior(posterior.runs().front().loaded.task, now, learnt);
    const PosteriorAnswer answer = posterior.answer(asked.n, false);
    PAIRS_CHECK(!answer.sources.empty(), "{}", no_posterior_text(answer));
    const ReweighedPosterior under = reweighed(prior, answer.sources.front());
    SetInquiry::Answer out;
    out.text = reweighed_text(under, posterior.task().info());
    for (const std::string& warning : reweighed_warnings(under)) {
      out.bad = true;
      out.text += " " + warning + ".";
    }
    return out;
  };
}

}  // namespace pairs::model
