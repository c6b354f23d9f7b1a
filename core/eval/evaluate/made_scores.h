#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/aggregate.h"
#include "core/eval/metrics/evaluation_row.h"

namespace pairs {

// How a density did on a set: its log density at the set's own θ, which may be -infinity, and the shares of its samples
// below θ by target [d], or none.
struct MadeScore {
  double log_density = 0;
  std::vector<double> ranks = {};
};

// A further density of the targets that is made from a whole set.
struct MadeDensity {
  std::string name;
  std::int64_t sets = 0;     // it is scored on the first so many sets of each size
  std::int64_t samples = 0;  // of which ranks are shares; 0: there are no ranks
  // Scores a set; nothing if it has no density for this set, whatever its θ is: the run's own density then stands in.
  // `x` holds the set's observations on the CPU, `own` its parameters and conditions.
  std::function<std::optional<MadeScore>(const Observations& x, const Latents& own)> score = {};
};

// Scores a made density on the first test sets of one size, whose observations are collected as they arrive. A
// hundredth of the run's own density is mixed in: what is scored is a density made from the set alone, finite at every
// truth.
class MadeScores {
 public:
  MadeScores(MadeDensity made, std::int64_t sets) : made_(std::move(made)), sets_(std::min(made_.sets, sets)) {}

  // Begins with the sets first .. first + count - 1.
  void begin(std::int64_t first, std::int64_t count);
  void add(const Observations& x, const std::vector<ChunkPart>& parts);
  // Scores the collected sets; `latents` are those of the sets from the first on.
  void score(const Latents& latents, const std::function<bool()>& keep_going);
  // Adds the density's NLL (the row's own minus the gain), its gain over the run's density, its gap to `exact` [set] if
  // that is known, and its ranks, to the row, which must have its log densities.
  void finish(EvaluationRow& row, const std::vector<double>* exact) const;

 private:
  MadeDensity made_;
  std::int64_t sets_;
  std::vector<std::vector<Observations>> collected_;   // of each set that is scored, in parts
  std::vector<std::optional<MadeScore>> scores_ = {};  // [set]
};

}  // namespace pairs
