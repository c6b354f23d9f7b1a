#include "app/batch/figure/figure_predictive.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/batch/infer/infer_predictive.h"
#include "app/batch/parts/drive.h"
#include "app/runs/strategy_look.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs::batch {

Figure draw_predictive(const LoadedRun& run, const Question& question, Result& result,
                       std::vector<std::string>& warnings) {
  const std::int64_t n = question.n;
  if (const std::string changed = check_predictive(run, PredictiveOptions().sets); !changed.empty())
    warnings.push_back(changed);
  const auto observed = std::make_shared<ObservedSet>(run.task, question.set);
  const std::int64_t most = std::min(observed->size(), run.estimator->max_n());
  if (n > observed->size())
    fail_usage("--n {} is asked for, but {} holds {}", count_text(n), observed->name(), count_text(observed->size()));
  SetPosterior posterior(observed, {{.loaded = run, .role = strategy_role(run.config.strategy)}});
  const std::int64_t used = n > 0 ? n : most;
  posterior.embed_until(used, keep_going);
  const SetPredictiveTest test = infer_predictive(posterior, used, PredictiveOptions().sets, PredictiveOptions().seed);
  result.document["predictive"] = predictive_document(test, run.task->info());
  result.text = predictive_text(test, run.task->info()) + "\n";
  Figure figure = predictive_figure(test, posterior.runs().front().role, posterior.source_text());
  figure.title = fmt::format("{}, N = {}: {}", run.task->info().title, count_text(used), figure.title);
  return figure;
}

}  // namespace pairs::batch
