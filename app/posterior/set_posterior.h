#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/posterior/nuisance_view.h"
#include "app/posterior/observed_set.h"
#include "app/posterior/predictive_check.h"
#include "core/nuisance_posterior.h"
#include "core/posterior/embedded_set.h"
#include "core/posterior/null_factor.h"
#include "core/posterior/posterior_numbers.h"
#include "core/posterior/posterior_plots.h"
#include "core/posterior/typicality.h"
#include "core/train/run.h"

namespace pairs {

// A run that is asked for its posterior.
struct AskedRun {
  LoadedRun loaded;
  SeriesRole role = SeriesRole::pairs;
  std::shared_ptr<EmbeddedSet> embedded = {};  // of the set; null until it is there
  Tried tried = {};                            // read where the set is of a thing

  // Whether it has a head for n, and what it is called beside `count` - 1 others.
  bool serves(std::int64_t n) const;
  std::string name(std::size_t count) const;
};

// Whether no density of the estimator lies outside the targets' ranges.
bool confined(const Task& task, const Estimator& estimator);

enum class WarningKind { other_data, extrapolation, only_pretrained, left_out, cut_file, thing, tried, outside };
// What to know of a posterior before it is believed, a sentence.
struct PosteriorWarning {
  WarningKind kind;
  std::string text;
  bool operator==(const PosteriorWarning&) const = default;
};

// What is known at one N: runs first, the shown one in front, then references, exact first.
struct PosteriorAt {
  std::int64_t n = 0;
  std::vector<PosteriorNumbers> numbers;
  std::vector<PosteriorSource> sources;  // that the numbers are of, and others that failed
  std::vector<PosteriorWarning> warnings;
  std::vector<std::string> problems;  // sentences on what is missing for another reason than the runs'
  Place place;                        // of the shown run's aggregate
  std::string null;                   // on the task's null value, where it has one (null_text)
  double milliseconds = 0;            // from the aggregate to all of this

  const PosteriorSource& source_of(const PosteriorNumbers& one) const;
  double reference_milliseconds() const;  // that references took
};

// What runs of one task know of one observed set, at any N that is embedded: their posteriors beside the references.
// All of it is a function of runs, set and N. Belongs to one thread at a time.
class SetPosterior {
 public:
  // `runs`: one at least, the shown one first. Those without an embedding begin one.
  SetPosterior(std::shared_ptr<ObservedSet> set, std::vector<AskedRun> runs);

  const Task& task() const { return set_->task(); }
  ObservedSet& set() const { return *set_; }
  const std::vector<AskedRun>& runs() const { return runs_; }
  // The set sizes that the shown run has heads for; all when empty.
  std::vector<std::int64_t> sizes() const;
  // "simulated; a, b"
  std::string source_text() const;

  // Observations that the shown run has embedded, and that all have: runs that come later catch up.
  std::int64_t ready() const { return runs_.front().embedded->count(); }
  std::int64_t all_ready() const;
  // Embeds the next observations of the set, as many as SetPace says.
  void embed_next();

  // The posteriors at n <= ready(); without `references` those of runs alone.
  PosteriorAt at(std::int64_t n, bool references = true) const;
  // The first observations, and on images that show θ the shown run's interval of 90 % (dashed) and its median about
  // the true ψ; nothing is drawn on a file's, whose ψ nobody knows.
  Figure picture(const PosteriorAt& at, const SampleView& view) const;
  // Posterior sd at n by all that know it.
  std::vector<WidthPoint> widths(std::int64_t n) const;

  // p(ψ | θ, X) of the first n observations; null where the task does not know it, and then there are neither of these:
  // the predictive check by the shown run (null without its posterior), and the posterior of ψ by it and the exact one
  // (null without either).
  std::unique_ptr<NuisancePosterior> nuisances(std::int64_t n) const;
  std::shared_ptr<const PredictiveCheck> check(const PosteriorAt& at, const NuisancePosterior& nuisances,
                                               const SampleView& view) const;
  std::shared_ptr<const NuisanceView> nuisance_view(const PosteriorAt& at, const NuisancePosterior& nuisances,
                                                    NuisanceAxes& axes) const;

 private:
  std::vector<PosteriorSource> run_sources(std::int64_t n, std::vector<PosteriorWarning>& warnings) const;
  std::vector<PosteriorSource> references(std::int64_t n, std::vector<std::string>& problems) const;

  std::shared_ptr<ObservedSet> set_;
  std::vector<AskedRun> runs_;
  bool confined_ = false;  // no density lies outside the targets' ranges
};

}  // namespace pairs
