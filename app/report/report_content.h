#pragma once

#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/frequentist/set_confidence.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "app/posterior/set_posterior/usual_tests.h"
#include "app/posterior/source/derived.h"
#include "app/posterior/source/other_prior.h"
#include "app/report/report.h"
#include "app/scores/metrics_file.h"
#include "app/scores/verdict.h"
#include "app/text/table.h"
#include "core/train/run/cost.h"
#include "core/train/run/run_progress.h"

namespace pairs {

// The computed contents of a report.
struct ReportContent {
  const LoadedRun& run;
  ReportQuestion question;
  std::shared_ptr<SetPosterior> posterior;
  PosteriorAnswer answer;
  torch::Tensor samples;                   // [S, d]
  std::vector<TargetNumbers> ours, exact;  // none for images; exact: empty if unknown
  std::vector<std::string> warnings;       // the warnings of infer, one sentence each
  Table table;                             // of the posterior's numbers
  nlohmann::json infer;                    // the posterior as in `infer --json`
  std::vector<PagePicture> pictures;       // for images
  std::optional<Metrics> metrics;          // at this N
  EvaluationVerdict verdict;
  RunProgress progress;  // of its training; empty if its log is missing
  RunCost cost;
  std::string sharpness = {};  // sharpness_sentences, at this N
  std::vector<DerivedNumbers> derived = {};
  std::vector<std::string> notes = {};               // of the request, then of the run
  std::string digest = {};                           // SHA-256 of the observed file; "" for a folder or an item's text
  std::optional<SetPredictiveTest> predictive = {};  // none if `no_predictive`, a clause, gives a reason
  std::string no_predictive = {};
  std::optional<ReweighedPosterior> under = {};        // the posterior under another prior,
  std::optional<ReweighedPosterior> under_exact = {};  // the exact posterior under it,
  std::optional<Figure> under_figure = {};             // and the former's curve, if it can be drawn
  std::optional<LocalTest> local = {};
  std::optional<SingleObservations> singles = {};  // none though asked for if `no_singles`, a sentence, gives a reason
  std::string no_singles = {};
  std::optional<SetConfidence> confidence = {};
  UsualTests usual = {};                   // the default tests of infer
  ModelVerdict judged = {};                // whether the model can produce such data
  std::vector<std::string> cautions = {};  // further caveats, one sentence each

  const TaskInfo& info() const { return run.task->info(); }
  ObservedSet& set() const { return posterior->set(); }
  std::int64_t n() const { return question.asked.n; }
};

// The run's display name, and for shipped weights their name in commands.
std::string run_words(const ReportContent& content);

// The head for this N.
const Head& shown_head(const ReportContent& content);

// Reads the set, computes the posterior, and measures the calibration at this N. Throws Stopped and Error.
ReportContent report_content(const LoadedRun& run, ReportQuestion question, Monitor& monitor);

}  // namespace pairs
