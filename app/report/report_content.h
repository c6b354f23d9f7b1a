#pragma once

#include <torch/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/derived.h"
#include "app/posterior/other_prior.h"
#include "app/posterior/set_confidence.h"
#include "app/posterior/set_posterior.h"
#include "app/posterior/usual_tests.h"
#include "app/report/report.h"
#include "app/scores/metrics_file.h"
#include "app/scores/verdict.h"
#include "app/text/table.h"
#include "core/train/cost.h"
#include "core/train/run_progress.h"

namespace pairs {

// All that a report tells, worked out.
struct ReportContent {
  const LoadedRun& run;
  std::string asked;  // the run as commands name it
  ReportQuestion question;
  std::shared_ptr<SetPosterior> posterior;
  PosteriorAnswer answer;
  torch::Tensor samples;                   // [S, d]
  std::vector<TargetNumbers> ours, exact;  // none of images; exact: none where it is not known
  std::vector<std::string> warnings;       // each a sentence: those of infer
  Table table;                             // of the posterior's numbers
  nlohmann::json infer;                    // what `infer --json` tells of the posterior
  std::vector<PagePicture> pictures;       // of images
  std::optional<Metrics> metrics;          // at this N
  EvaluationVerdict verdict;
  RunProgress progress;  // of its training; as one that has not begun where its log is missing
  RunCost cost;
  std::vector<DerivedNumbers> derived = {};
  std::vector<std::string> notes = {};  // of the question, then of the run
  std::string digest = {};              // SHA-256 of the observed file; "" of a folder and of what is no file
  std::optional<SetPredictiveTest> predictive = {};  // none where `no_predictive`, a clause, says why
  std::string no_predictive = {};
  std::optional<ReweighedPosterior> under = {};        // the posterior under another prior,
  std::optional<ReweighedPosterior> under_exact = {};  // the exact one,
  std::optional<Figure> under_figure = {};             // and the former's curve, where it can be drawn
  std::optional<LocalTest> local = {};
  std::optional<SetConfidence> confidence = {};
  UsualTests usual = {};                   // what infer tests unasked
  ModelVerdict judged = {};                // whether the model makes such data
  std::vector<std::string> cautions = {};  // what else is to be known before it is believed, each a sentence

  const TaskInfo& info() const { return run.task->info(); }
  ObservedSet& set() const { return posterior->set(); }
  std::int64_t n() const { return question.n; }
};

// The run for people: its name, and of shipped weights the name that commands know them by.
std::string run_words(const ReportContent& content);

// The head that answers at this N.
const Head& shown_head(const ReportContent& content);

// Reads the set, asks the run, and measures its calibration at this N. Throws Stopped and Error.
ReportContent report_content(const LoadedRun& run, const std::string& asked, ReportQuestion question, Monitor& monitor);

}  // namespace pairs
