#include "app/posterior/usual_predictive.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/posterior/predictive_sets.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/train/simulator_record.h"

namespace pairs {

UsualPredictive usual_predictive(const SetPosterior& posterior, std::int64_t n, std::uint64_t seed,
                                 const std::function<bool()>& keep_going) {
  constexpr std::int64_t kEnough = 100;  // observations
  constexpr double kMostNumbers = 64;    // of an observation
  const AskedRun& run = posterior.runs().front();
  const Task& task = posterior.task();
  if (std::string why = no_predictive_test(task); !why.empty()) return {{}, std::move(why)};
  if (posterior.set().of_thing()) return {{}, "observations of a thing take long to simulate"};
  if (task.info().observation_numbers() > kMostNumbers ||
      compared_observations(run, n, kBriefSets, true) < std::min(n, kEnough))
    return {{}, "its sets take long to simulate and embed"};
  const Stopwatch watch;
  PredictiveOptions options;
  options.brief = true;
  options.seed = seed;
  options.keep_going = [&] { return keep_going() && watch.seconds() < kUsualSeconds; };
  try {
    if (!changed_simulator(run.loaded.folder, task, [&] { return !options.keep_going(); }).empty())
      return {{}, "the simulator has changed since the run was trained"};
    return {posterior.predictive_test(n, options), ""};
  } catch (const Stopped&) {
    if (!keep_going()) throw;
    return {{}, fmt::format("simulating sets takes more than {:.0f} s", kUsualSeconds)};
  } catch (const Error& error) {
    return {{}, sentence(error)};
  }
}

PredictiveP p_of(const std::optional<SetPredictiveTest>& test) {
  return test ? PredictiveP{test->test.p, test->test.sets} : PredictiveP{};
}

std::vector<PosteriorWarning> answer_warnings(const SetPosterior& posterior, const PosteriorAnswer& answer,
                                              const ModelVerdict& verdict) {
  std::vector<PosteriorWarning> all = posterior.all_warnings(answer);
  std::erase_if(all, [&](const PosteriorWarning& one) {
    return one.kind == WarningKind::left_out || withdrawn(one, verdict);
  });
  if (verdict.rejected()) all.push_back({WarningKind::outside, verdict_warning(verdict)});
  if (std::string text = peaks_text(posterior.task(), answer); !text.empty())
    all.push_back({WarningKind::peaks, std::move(text)});
  return all;
}

}  // namespace pairs
