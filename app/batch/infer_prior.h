#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/batch/infer_question.h"
#include "app/posterior/other_prior.h"
#include "app/posterior/posterior_answer.h"

namespace pairs::batch {

// The prior of `infer --prior`, or nothing where none is asked for. Throws a usage error.
std::optional<OtherPrior> infer_prior(const LoadedRun& run, const InferArguments& arguments);
// Tells the shown run's posterior, and the exact one, under it: in the document's "other_prior" and behind the text,
// with its warnings, which stand among the document's as well.
void report_prior(const OtherPrior& prior, const PosteriorAnswer& answer, IntervalKind interval,
                  nlohmann::json& document, std::string& text);

}  // namespace pairs::batch
