#include "app/model/posterior/local_testing.h"

#include <utility>

#include "app/posterior/local_test_text.h"
#include "app/posterior/set_posterior.h"
#include "core/base/error.h"
#include "core/train/run.h"

namespace pairs::model {
namespace {

LocalTesting::Answer tested(const Tasks& tasks, const SamplesAsked& asked, const LatestWorker::Stale& stale,
                            std::atomic<double>& share) {
  const LoadedRun run = load_run(tasks, asked.run, asked.data, asked.device);
  SetPosterior posterior(std::make_shared<ObservedSet>(run.task, asked.set), {{run}});
  LocalTestOptions options;
  options.sets = LocalTesting::kSets;
  options.seed = asked.seed;
  options.keep_going = [&] { return !stale(); };
  options.step = [&](std::int64_t done, std::int64_t sets) {
    share = static_cast<double>(done) / static_cast<double>(sets);
  };
  posterior.embed_until(asked.n, options.keep_going);
  const LocalTest test = posterior.local_test(asked.n, options);
  return {"", local_test_text(test, run.task->info(), asked.n), test.p_value < kLocallyOff};
}

}  // namespace

LocalTesting::LocalTesting(Hub& hub) : hub_(hub), latest_(hub.wake) {}

void LocalTesting::test(const std::string& key, SamplesAsked asked) {
  key_ = key;
  *share_ = 0;
  latest_.ask([key, tasks = hub_.tasks, asked = std::move(asked), share = share_](const auto& stale) {
    auto answer = std::make_shared<Answer>();
    try {
      *answer = tested(tasks, asked, stale, *share);
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      answer->text = "The local test was not made: " + sentence(error);
    }
    answer->key = key;
    return answer;
  });
}

void LocalTesting::cancel() {
  latest_.cancel();
}

void LocalTesting::forget() {
  latest_.forget();
}

std::shared_ptr<const LocalTesting::Answer> LocalTesting::answer(const std::string& key) const {
  const auto last = latest_.last();
  return last && last->key == key ? last : nullptr;
}

}  // namespace pairs::model
