#include "app/batch/infer/infer_prior.h"

#include <fmt/format.h>

#include "app/batch/parts/drive.h"
#include "app/posterior/source/refined_source.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"

namespace pairs::batch {

std::shared_ptr<const OtherPrior> infer_prior(const LoadedRun& run, const InferArguments& arguments) {
  if (arguments.follow && !arguments.question.prior.empty())
    fail_usage("--prior takes a set as it stands; leave --follow out");
  return other_prior(run.task, arguments.question.prior);
}

ReweighedPosterior report_prior(const OtherPrior& prior, const PosteriorAnswer& answer, IntervalKind interval,
                                nlohmann::json& document, std::string& text) {
  ReweighedPosterior shown;
  const TaskInfo& info = prior.task().info();
  for (const PosteriorSource& source : answer.sources) {
    const bool exact = source.role == SeriesRole::exact;
    const bool refined = source.name == kRefined && !source.ours;
    if (!source.ours && !exact && !refined) continue;
    const ReweighedPosterior under = reweighed(prior, source, keep_going);
    nlohmann::json said = reweighed_document(under, info, interval);
    text += fmt::format("\n{}{}\n",
                        exact     ? "The exact posterior. "
                        : refined ? "The refined posterior. "
                                  : "",
                        reweighed_text(under, info, interval));
    if (source.ours) {
      document["other_prior"] = std::move(said);
      shown = under;
    } else {
      document["other_prior"][refined ? kRefined : "exact"] = std::move(said);
    }
    if (exact) continue;
    for (const std::string& warning : reweighed_warnings(under)) {
      document["warnings"].push_back(warning);
      print(fmt::format("warning: {}\n", warning));
    }
  }
  return shown;
}

}  // namespace pairs::batch
