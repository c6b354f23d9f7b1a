#include "app/posterior/set_posterior/usual_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/posterior/checks/predictive_sets.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/train/run/simulator_record.h"

namespace pairs {

ModelVerdict UsualTests::verdict(const Typicality& typicality, const PredictiveP& asked) const {
  return within_verdict(model_verdict(typicality, asked), within.value_or(WithinTest()));
}

UsualTests usual_tests(const SetPosterior& posterior, std::int64_t n, std::uint64_t seed,
                       const std::function<bool()>& keep_going, bool brief) {
  const AskedRun& run = posterior.runs().front();
  const Task& task = posterior.task();
  if (posterior.set().of_item()) return {.why_not = "observations of an item take long to simulate"};
  if (std::string why = within_sets_missing(run.loaded, n); !why.empty()) return {.why_not = std::move(why)};
  const Stopwatch watch;
  WithinOptions options;
  options.seed = seed;
  options.given = posterior.set().latents().given;
  options.keep_going = [&] { return keep_going() && watch.seconds() < kLongestUsual; };
  options.longest = kLongestUsual;
  UsualTests out;
  try {
    if (!changed_simulator(run.loaded.folder, task, [&] { return !options.keep_going(); }).empty())
      return {.why_not = "the simulator has changed since the run was trained"};
    out.within = WithinSets(run.loaded, n, options).test(posterior.set().first(n));
    if (out.within->p > kUnlikeWithin || !brief) return out;
    PredictiveOptions few;
    few.brief = true;
    few.seed = seed;
    few.keep_going = options.keep_going;
    out.predictive = posterior.predictive_test(n, few);
  } catch (const Stopped&) {
    if (!keep_going()) throw;
    if (!out.within)
      out.why_not = fmt::format("simulating sets takes more than {:.0f} s on this machine", kLongestUsual);
  } catch (const std::exception& error) {  // also from LibTorch, if the network overflows on the set
    if (!out.within) out.why_not = sentence(error);
  }
  return out;
}

PredictiveP p_of(const std::optional<SetPredictiveTest>& test) {
  return test ? PredictiveP{test->test.p, test->test.sets} : PredictiveP{};
}

std::vector<PosteriorWarning> answer_warnings(const SetPosterior& posterior, const PosteriorAnswer& answer,
                                              const ModelVerdict& verdict) {
  std::vector<PosteriorWarning> all = posterior.all_warnings(answer);
  std::erase_if(
      all, [&](const PosteriorWarning& one) { return one.kind == WarningKind::left_out || withdrawn(one, verdict); });
  if (verdict.rejected()) all.push_back({WarningKind::outside, verdict_warning(verdict)});
  if (std::string text = peaks_text(posterior.task(), answer); !text.empty())
    all.push_back({WarningKind::peaks, std::move(text)});
  return all;
}

}  // namespace pairs
