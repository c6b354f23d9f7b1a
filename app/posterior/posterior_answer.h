#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/posterior/embedded_set.h"
#include "app/posterior/null_factor.h"
#include "app/posterior/posterior_numbers.h"
#include "app/posterior/posterior_warnings.h"
#include "app/posterior/tried.h"
#include "app/posterior/typicality.h"
#include "core/eval/disagreement.h"
#include "core/train/run.h"

namespace pairs {

// A run that is asked for its posterior.
struct AskedRun {
  LoadedRun loaded;
  SeriesRole role = SeriesRole::pairs;
  std::shared_ptr<EmbeddedSet> embedded = {};  // of the set; null until it is there
  Tried tried = {};                            // read where the set is of a thing
  TrainingRecord trained = {};                 // read where the set is

  // Whether it has a head for n, and what it is called beside `count` - 1 others.
  bool serves(std::int64_t n) const;
  std::string name(std::size_t count) const;
};

// What is known at one N: runs first, the shown one in front, then references, exact first.
struct PosteriorAnswer {
  std::int64_t n = 0;
  std::vector<PosteriorNumbers> numbers;  // none of images
  std::vector<PosteriorSource> sources;   // that the numbers are of, and others that failed
  std::vector<PosteriorWarning> warnings;
  std::vector<std::string> problems;  // sentences on what is missing for another reason than the runs'
  Typicality typicality;              // of the shown run's aggregate
  Disagreement disagreement = {};     // of its members, where it is an ensemble,
  std::vector<PosteriorSource> member_sources = {};
  std::vector<PosteriorNumbers> members = {};  // and what each says on its own, where that can be drawn
  std::vector<NullFactor> nulls;               // on the task's null value, where it has one,
  std::string null;                            // and in words (null_text)
  double milliseconds = 0;                     // from the aggregate to all of this

  const PosteriorSource& source_of(const PosteriorNumbers& one) const;
  double reference_milliseconds() const;  // that references took
  // Whether a run was asked beyond what it saw.
  bool extrapolates() const;
  // The numbers shown for the run, and for the exact posterior: those of the answer, and where a plot cannot
  // hold the run's beside the exact one, the run's own. Empty where there are none.
  std::vector<TargetNumbers> shown_numbers(const Task& task, const AskedRun& run) const;
  std::vector<TargetNumbers> exact_numbers() const;
};

// A set at one N, to a run that is asked about it.
struct AskedSet {
  std::function<torch::Tensor()> aggregate;  // [1, l], of n observations; may throw
  std::int64_t n = 0, seen = 0;              // seen: of which the n are a random subset; n where they are all
  torch::Tensor given = {};                  // [1, g], or undefined
  std::string simulated = {};                // from what, where nobody measured it; else ""
  bool trusted = true;                       // whether the aggregate's place and the members' differences are wanted
};

// Adds to the answer the run's posterior, as it is called beside `count` - 1 others, with what is to be known of it:
// the only place where an aggregate becomes a posterior. `shown`: the first of the runs, whose distance from training
// is reported, too. Runs that know nothing of this N say so.
void ask(const AskedRun& run, std::size_t count, bool shown, const AskedSet& set, PosteriorAnswer& answer);
// Adds the numbers of its sources, which are densities, and the warning where the exact posterior is far from the shown
// run's. `confined`: none lies outside the targets' ranges.
void add_numbers(const Task& task, bool confined, PosteriorAnswer& answer);

// Adds what each of an ensemble's members says, on the cells of the whole where it has some, for figures: named once.
// `confined` as above.
void add_members(const Task& task, bool confined, PosteriorAnswer& answer);

// Where the shown run's density has several peaks (core/eval/cells.h), a sentence for whoever sees its numbers alone;
// else, and where the set is unlike training, "".
std::string peaks_text(const Task& task, const PosteriorAnswer& answer);

// Why an answer holds no posterior of a run, a sentence.
std::string no_posterior_text(const PosteriorAnswer& answer);

// The numbers of samples [S, d] by target, for densities that have none of their own, and the warning about that.
std::vector<TargetNumbers> sample_numbers(const torch::Tensor& samples);
std::string sample_numbers_text(std::int64_t count);

// The largest number of a set, and which of its observations holds it, from 0.
struct LargestValue {
  std::int64_t at = 0;
  double value = 0;
};
LargestValue largest_value(const Observations& x);

// `draws` samples of a source of the run -> [S, d] on the CPU. Throws Error where they are not finite: it is about the
// set's `largest` value where the run's weights answer well on what training saw, else about its weights.
torch::Tensor finite_samples(const AskedRun& run, const PosteriorSource& source, std::int64_t draws, std::uint64_t seed,
                             const std::function<LargestValue()>& largest);

}  // namespace pairs
