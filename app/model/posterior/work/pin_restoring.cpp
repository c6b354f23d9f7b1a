#include "app/model/posterior/work/pin_restoring.h"

#include <fmt/format.h>

#include <utility>

#include "app/model/posterior/work/posterior_engine.h"
#include "app/runs/strategy_look.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"

namespace pairs::model {
namespace {

PinnedPosterior answered(const PinnedQuestion& pin, const LoadedRun& run, int shade, const LatestWorker::Stale& stale) {
  const torch::NoGradGuard no_grad;
  SetChoice choice = pin.set;
  choice.assume_given = true;
  SetPosterior posterior(std::make_shared<ObservedSet>(run.task, choice),
                         {{.loaded = run, .role = strategy_role(run.config.strategy)}});
  PAIRS_CHECK(pin.n <= posterior.set().size(), "{} holds {} observations, not {}", posterior.set().name(),
              posterior.set().size(), pin.n);
  posterior.embed_until(pin.n, [&] { return !stale(); });
  posterior.refine_by(refiner_of(run, pin.source), pin.source, [&] { return !stale(); });
  const PosteriorAnswer answer = posterior.answer(pin.n, pin.source == SourceWish::refined);
  PAIRS_CHECK(!answer.numbers.empty(), "{}", no_posterior_text(answer));
  PAIRS_CHECK(pin.source != SourceWish::refined || answer.refined_first(), "{}",
              answer.problems.empty() ? "its posterior is not refined" : answer.problems.front());
  const TaskInfo& info = run.task->info();
  return {0, info.name, target_names(info), ghost_of(answer.numbers.front(), pin.name, shade), pin};
}

}  // namespace

void PinRestoring::restore(std::vector<PinnedQuestion> pins) {
  asked_ = pins;
  latest_.ask([pins = std::move(pins), tasks = hub_.tasks, data = hub_.data_folder.string(),
               device = hub_.device](const LatestWorker::Stale& stale) {
    auto restored = std::make_shared<Restored>();
    for (const PinnedQuestion& pin : pins) {
      if (stale()) throw Stopped();
      try {
        const LoadedRun run = load_run(tasks, pin.run, data, device);
        int shade = 0;
        for (const PinnedPosterior& one : restored->pinned) shade += one.task == run.task->info().name ? 1 : 0;
        restored->pinned.push_back(answered(pin, run, shade, stale));
      } catch (const Stopped&) {
        throw;
      } catch (const std::exception& error) {
        restored->problems.push_back(fmt::format("{} is not pinned again: {}", printable(pin.name), sentence(error)));
      }
    }
    return restored;
  });
}

std::shared_ptr<const PinRestoring::Restored> PinRestoring::take() {
  const auto answer = latest_.take();
  return answer ? answer->value : nullptr;
}

}  // namespace pairs::model
