#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/batch/infer/infer_question.h"
#include "app/posterior/answer/posterior_answer.h"
#include "app/posterior/source/other_prior.h"

namespace pairs::batch {

// The prior of `infer --prior`, or null. Throws a usage error.
std::shared_ptr<const OtherPrior> infer_prior(const LoadedRun& run, const InferArguments& arguments);
// Reports the posterior that comes first, the refined and the exact one under it: as "other_prior" in the document and
// at the end of the text, with its warnings, which are also among the document's. Returns that of the first.
ReweighedPosterior report_prior(const OtherPrior& prior, const PosteriorAnswer& answer, IntervalKind interval,
                                nlohmann::json& document, std::string& text);

}  // namespace pairs::batch
