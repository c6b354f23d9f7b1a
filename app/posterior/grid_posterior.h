#pragma once

#include <torch/types.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// Equal cells of an axis; densities stand for their middles.
struct Cells {
  double low = 0, high = 1;
  std::size_t count = 0;
  double width() const { return (high - low) / static_cast<double>(count); }
  std::vector<double> middles() const;
  bool operator==(const Cells&) const = default;
};

struct TargetNumbers {
  double mean = NAN, sd = NAN;
  std::array<double, 5> quantiles = {NAN, NAN, NAN, NAN, NAN};  // at kQuantileLevels
};
inline constexpr std::array<double, 5> kQuantileLevels = {0.05, 0.25, 0.5, 0.75, 0.95};

// Moments and quantiles of a density on cells (scaled to mass 1; nothing where its mass is not a positive number), and
// one quantile.
TargetNumbers cell_numbers(const Cells& cells, const std::vector<double>& density);
double cell_quantile(const Cells& cells, const std::vector<double>& density, double level);

// A posterior of which the density can be asked: of an estimator, or a reference.
struct PosteriorSource {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  std::function<torch::Tensor(const torch::Tensor&)> log_density;  // θ [S, d] float64 -> [S] float64
  std::function<torch::Tensor(std::int64_t)> sample;               // -> [S, d] float64
  torch::Tensor mean, sd;                                          // [d] float64 of references; else undefined
  double milliseconds = 0;                                         // that making it took
};

struct PosteriorNumbers {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  std::vector<TargetNumbers> targets;
  std::vector<Cells> cells;                    // of each target
  std::vector<std::vector<double>> marginals;  // densities on them
  std::vector<double> joint;                   // two targets: densities, row i belongs to cell i of the first
  double kl = NAN;                             // from the source called "exact", nat
  double milliseconds = 0;
};

// Puts posteriors of one or two targets on grids that fit them and reads their numbers off; posteriors of more targets
// are sampled. Remembers the grids, so that the next posterior, a little narrower, costs one evaluation.
class GridPosteriors {
 public:
  // `confined`: the densities vanish outside the targets' ranges. `cells`: of the grid, 0 = 400 for one target, 96 a
  // side for two.
  GridPosteriors(std::vector<Target> targets, bool confined, std::size_t cells = 0);
  // Sources that fail are left out; `problem` hears their sentence.
  std::vector<PosteriorNumbers> evaluate(const std::vector<PosteriorSource>& sources,
                                         const std::function<void(const std::string&)>& problem = {});
  // Searches anew next time, after a jump.
  void forget() { last_.clear(); }

 private:
  struct Draft;
  using Group = std::vector<Draft>;
  std::pair<double, double> bounds(std::size_t target) const;
  // Start of the search for one target; for two, where the sources say they lie.
  Cells whole() const;
  std::vector<Cells> where(Group& group) const;
  void one_target(Group& group, std::vector<Cells>& cells);
  void two_targets(Group& group, std::vector<Cells>& cells);
  void many_targets(Draft& draft) const;

  std::vector<Target> targets_;
  bool confined_;
  std::size_t count_;
  // The last grids: of runs and the exact posterior under "", of other references under their names.
  std::map<std::string, std::vector<Cells>> last_;
};

}  // namespace pairs
