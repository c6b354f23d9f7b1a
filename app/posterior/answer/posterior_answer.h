#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/posterior/caveats/posterior_warnings.h"
#include "app/posterior/caveats/typicality.h"
#include "app/posterior/set/embedded_set.h"
#include "app/posterior/source/null_factor.h"
#include "app/posterior/source/posterior_numbers.h"
#include "app/posterior/source/refined_source.h"
#include "app/posterior/validation/external_validation.h"
#include "core/eval/calibration/disagreement.h"
#include "core/train/run/run.h"

namespace pairs {

// A run to evaluate.
struct AskedRun {
  LoadedRun loaded;
  SeriesRole role = SeriesRole::pairs;
  std::shared_ptr<EmbeddedSet> embedded = {};  // of the set; null until it exists
  ExternalValidation validated = {};           // read if the set is made from an item
  TrainingRecord trained = {};                 // read with the set

  // Whether it has a head for n, and its name next to `count` - 1 others.
  bool serves(std::int64_t n) const;
  std::string name(std::size_t count) const;
};

// The posteriors at one N: runs first, the shown one in front, then references, exact first.
struct PosteriorAnswer {
  std::int64_t n = 0;
  std::vector<PosteriorNumbers> numbers;  // none for images
  std::vector<PosteriorSource> sources;   // sources of the numbers, and others that failed
  std::vector<PosteriorWarning> warnings;
  std::vector<std::string> problems;  // sentences on what is missing, except for runs' reasons
  Typicality typicality;              // of the shown run's aggregate
  Disagreement disagreement = {};     // between the members of an ensemble,
  std::vector<PosteriorSource> member_sources = {};
  std::vector<PosteriorNumbers> members = {};            // and each member's own posterior, if it can be drawn
  std::vector<NullFactor> nulls;                         // for the task's null value, if any,
  std::string null;                                      // and as text (null_text)
  std::shared_ptr<const RefinedPosterior> refined = {};  // the source kRefined, if it is among the sources
  std::string why_first = {};                            // why it comes first, a sentence; "": it does not
  double milliseconds = 0;                               // time from the aggregate to all of this

  const PosteriorSource& source_of(const PosteriorNumbers& one) const;
  double reference_milliseconds() const;  // time of the references
  // Whether a run was used beyond its training sizes.
  bool extrapolates() const;
  // The numbers shown for the run and for the exact posterior: those of the answer or, if a plot cannot hold both, the
  // run's own. Empty if there are none.
  std::vector<TargetNumbers> shown_numbers(const Task& task, const AskedRun& run) const;
  std::vector<TargetNumbers> exact_numbers() const;
  // Whether the refined posterior is the shown one; the run's own is then second.
  bool refined_first() const { return !why_first.empty(); }
  // The numbers of the run's own posterior where it is second; empty if it is not, or if a plot cannot hold both.
  std::vector<TargetNumbers> own_numbers(const std::vector<Target>& targets) const;
  // The numbers of the refined posterior, from its samples if a plot cannot hold it. Empty if there is none.
  std::vector<TargetNumbers> refined_numbers(const std::vector<Target>& targets) const;
};

// A set at one N, to be evaluated by a run.
struct AskedSet {
  std::function<torch::Tensor()> aggregate;  // [1, l], of n observations; may throw
  std::int64_t n = 0, seen = 0;              // seen: of which the n are a random subset, or n
  torch::Tensor given = {};                  // [1, g], or undefined
  std::string simulated = {};                // its source if it was not measured; else ""
  bool trusted = true;                       // whether to compute typicality and the members' disagreement
};

// Adds the run's posterior and its caveats to the answer, under its name next to `count` - 1 others: the only place
// where an aggregate becomes a posterior. `shown`: the first of the runs, whose typicality is reported as well. A run
// without this N reports that.
void ask(const AskedRun& run, std::size_t count, bool shown, const AskedSet& set, PosteriorAnswer& answer);
// Adds the numbers of its sources, which are densities, and a warning if the exact posterior is far from the shown
// run's. `confined`: no density lies outside the targets' ranges.
void add_numbers(const Task& task, bool confined, PosteriorAnswer& answer);

// Adds each member's own posterior for figures, for one or two targets on the cells of the ensemble's posterior.
// `confined` as above.
void add_members(const Task& task, bool confined, PosteriorAnswer& answer);

// A sentence if the shown run's density has several peaks (core/eval/metrics/cells.h), for readers of the numbers
// alone; "" otherwise, and if the set is out of distribution.
std::string peaks_text(const Task& task, const PosteriorAnswer& answer);

// Why an answer has no posterior of a run, as a sentence.
std::string no_posterior_text(const PosteriorAnswer& answer);

// The numbers of samples [S, d] by target, for densities without their own, and the warning about that.
std::vector<TargetNumbers> sample_numbers(const std::vector<Target>& targets, const torch::Tensor& samples);
std::string sample_numbers_text(std::int64_t count);

// The largest number of a set, and the index of its observation, from 0.
struct LargestValue {
  std::int64_t at = 0;
  double value = 0;
};
LargestValue largest_value(const Observations& x);

// `draws` samples of a run's source -> [S, d] on the CPU. Throws Error if they are not finite: it blames the set's
// `largest` value if the run's weights work on training data, else the weights.
torch::Tensor finite_samples(const AskedRun& run, const PosteriorSource& source, std::int64_t draws, std::uint64_t seed,
                             const std::function<LargestValue()>& largest);

}  // namespace pairs
