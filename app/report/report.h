#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/question/question.h"
#include "app/report/page.h"
#include "core/eval/metrics/cells.h"
#include "core/train/run/run.h"
#include "core/train/settings/stages.h"

namespace pairs {

// The request for a report: a run's posterior of one observed set, measured or made by the user (SetChoice::file).
struct ReportQuestion {
  Question asked;          // its n is the number of first observations; 0: as many as `infer` uses
  std::int64_t draws = 0;  // posterior samples; 0: as many as `infer` draws for this kind of target
  std::int64_t sets = -1;  // test sets for calibration at this N: -1: as `evaluate`; 0: none
  bool force = false;      // n may exceed the largest N in training
  std::optional<std::uint64_t> test_seed = {};  // seed of the test sets for calibration; none: as `evaluate`
  // Further analyses, as by infer and frequentist; none if 0.
  std::int64_t local_test = 0;             // simulated sets of the local test
  bool observations = false;               // each observation by itself
  std::int64_t confidence = 0;             // toys at each value of θ for confidence intervals
  std::vector<std::string> notes = {};     // the user's notes, plain text, included verbatim
  std::string ending = ".html";            // extension of the file, for the command that reproduces it
  std::string device = "auto", data = {};  // as for commands
};

// Everything that a reader needs to judge and reproduce the posterior: question and verdict, data with their hash,
// posterior, fit, calibration at this N, training, limits, methods with references, commands. Its document has the same
// numbers as `infer` and `evaluate`: {"infer": …, "evaluate": …, "data", "weights", "commands", …}. Throws Stopped
// if the monitor requests it, and Error.
Page report_page(const LoadedRun& run, const ReportQuestion& question, Monitor& monitor);

}  // namespace pairs
