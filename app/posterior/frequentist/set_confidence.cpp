#include "app/posterior/frequentist/set_confidence.h"

#include <fmt/format.h>

#include <memory>

#include "app/posterior/frequentist/frequentist_figures.h"
#include "app/posterior/frequentist/frequentist_text.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs {

SetConfidence set_confidence(const SetPosterior& posterior, std::int64_t n, const ToyPlan& counts,
                             const std::function<bool()>& keep_going,
                             const std::function<void(std::int64_t, std::int64_t)>& step) {
  const AskedRun& run = posterior.runs().front();
  const TaskInfo& info = posterior.task().info();
  const std::string why = no_frequentist_answers(posterior.task());
  PAIRS_CHECK(why.empty(), "The task {} has no confidence intervals: {}", info.name, why);
  ToyPlan plan = usual_toys(posterior.task(), n);
  plan.toys = counts.toys;
  plan.null_toys = counts.null_toys;
  plan.nodes = counts.nodes;
  if (const torch::Tensor& given = posterior.set().latents().given; given.defined()) plan.given = doubles(given);
  const auto table = std::make_shared<ToyTable>(run.loaded, plan);
  const Frequentist answers(table, Frequentist::usual(*table));
  table->make(keep_going, step);
  const PosteriorAnswer known = posterior.answer(n, false);
  PAIRS_CHECK(!known.sources.empty(), "{}", no_posterior_text(known));
  const Observations x = posterior.set().first(n);
  SetConfidence out;
  out.answer = answers.answer(known.sources.front().log_density, x, {kUsualLevels.begin(), kUsualLevels.end()});
  const NeymanCurves curves = neyman_curves(answers, run.loaded.name, run.role, out.answer, x);
  const std::string by = fmt::format("by {} toys at each of {} values of {}{}", count_text(plan.toys),
                                     table->nodes().size(), info.targets.front().label, toy_values_text(answers));
  out.text = frequentist_lines(info, out.answer, null_words(posterior.task(), plan)) + ".\nConfidence " + by + ".";
  out.figure = neyman_figure(info, {curves}, fmt::format("{}: confidence {}, N = {}", info.title, by, count_text(n)),
                             posterior.source_text());
  out.note = fmt::format(
      "Below the critical value of a level {} is in its interval (Feldman and Cousins); the marginal "
      "likelihood is the posterior over the prior.",
      info.targets.front().label);
  return out;
}

}  // namespace pairs
