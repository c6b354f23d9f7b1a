#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/observed_set.h"
#include "app/report/page.h"
#include "core/eval/cells.h"
#include "core/train/run.h"
#include "core/train/stages.h"

namespace pairs {

// What a report is about: a run's posterior of one observed set, which somebody measured or made (SetChoice::file).
struct ReportQuestion {
  SetChoice set;
  std::int64_t n = 0;      // of its first observations; 0: as many as `infer` takes
  std::int64_t draws = 0;  // posterior samples; 0: as many as `infer` draws of this kind of target
  std::uint64_t seed = 1;  // of them
  std::int64_t sets = -1;  // on which calibration at this N is measured: -1: as `evaluate` does; 0: not
  bool force = false;      // n may be beyond what training saw
  IntervalKind interval = IntervalKind::central;
  std::vector<std::string> derive = {};         // quantities that follow from the targets, "ratio = theta/psi"
  std::optional<std::uint64_t> test_seed = {};  // of the sets that calibration is measured on; none: as `evaluate` does
  // Further questions, each as infer and frequentist answer it; none where they are empty or 0.
  std::vector<std::string> prior = {}, learnt_prior = {};  // another prior, as infer takes it (OtherPrior)
  std::int64_t local_test = 0;                             // simulated sets of the local test
  std::int64_t confidence = 0;                             // toys at each value of θ for intervals of confidence
  std::vector<std::string> notes = {};                     // that people made, plain text: they are told as they are
  std::string ending = ".html";            // of the file that it becomes, for the command that makes it again
  std::string device = "auto", data = {};  // as commands name them
};

// Everything that a reader needs to judge and repeat the answer: question and verdict, data with their hash, posterior,
// fit, calibration at this N, training, limits, methods with references, commands. Its document holds the same numbers
// that `infer` and `evaluate` give: {"infer": …, "evaluate": …, "data", "weights", "commands", …}. `asked`: the run as
// a command names it. Throws Stopped where the monitor says so, and Error.
Page report_page(const LoadedRun& run, const std::string& asked, const ReportQuestion& question, Monitor& monitor);

}  // namespace pairs
