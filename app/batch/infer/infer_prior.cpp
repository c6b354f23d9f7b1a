#include "app/batch/infer/infer_prior.h"

#include <fmt/format.h>

#include "core/base/system/streams.h"
#include "core/base/text/error.h"

namespace pairs::batch {

std::shared_ptr<const OtherPrior> infer_prior(const LoadedRun& run, const InferArguments& arguments) {
  if (arguments.follow && !arguments.question.prior.empty())
    fail_usage("--prior takes a set as it stands; leave --follow out");
  return other_prior(run.task, arguments.question.prior);
}

void report_prior(const OtherPrior& prior, const PosteriorAnswer& answer, IntervalKind interval,
                  nlohmann::json& document, std::string& text) {
  const TaskInfo& info = prior.task().info();
  for (const PosteriorSource& source : answer.sources) {
    const bool exact = source.role == SeriesRole::exact;
    if (!source.ours && !exact) continue;
    const ReweighedPosterior under = reweighed(prior, source);
    nlohmann::json said = reweighed_document(under, info, interval);
    text += fmt::format("\n{}{}\n", exact ? "The exact posterior: " : "", reweighed_text(under, info));
    if (exact) {
      document["other_prior"]["exact"] = std::move(said);
      continue;
    }
    document["other_prior"] = std::move(said);
    for (const std::string& warning : reweighed_warnings(under)) {
      document["warnings"].push_back(warning);
      print(fmt::format("warning: {}\n", warning));
    }
  }
}

}  // namespace pairs::batch
