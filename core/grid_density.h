#pragma once

#include <torch/types.h>

#include <functional>
#include <vector>

#include "core/base/numbers/axis_cells.h"
#include "core/task.h"

namespace pairs {

// A density of one or two targets that is known up to a constant, normalized on a grid that is narrowed to where its
// mass lies, and then made finer until every other cell of each axis holds half of the mass. The grid starts from the
// targets' bounds or, if they have none, from three times the range shown in figures. Cells of a target whose bounds
// are positive and far apart are equally wide in its logarithm. A periodic target is cut open where there is least
// of the density, so that mean and samples are of values in one piece.
class GridDensity {
 public:
  // The log density up to a constant, at theta [S, d] float64 -> [S] float64; -infinity where it vanishes. May throw.
  using Log = std::function<torch::Tensor(const torch::Tensor& theta)>;
  // Throws Error if `log` is nowhere a number; the message calls the density `name`.
  GridDensity(const std::vector<Target>& targets, Log log, const std::string& name);

  // At theta [S, d] float64 in original units -> [S] float64.
  torch::Tensor log_density(const torch::Tensor& theta) const { return log_(theta) - log_evidence_; }
  // Log of the integral of exp(log).
  double log_evidence() const { return log_evidence_; }
  // Mean [d], sd [d] and covariance [d, d], float64.
  const torch::Tensor& mean() const { return mean_; }
  const torch::Tensor& sd() const { return sd_; }
  torch::Tensor covariance() const;
  // S samples, uniform within the cells of the grid, which widens them a little -> [S, d] float64.
  torch::Tensor sample(std::int64_t count, Stream& stream) const;

 private:
  struct Axis {
    Cells cells;  // of the target or of its logarithm
    bool logarithmic;
  };
  // Cuts the axes of periodic targets open where there is least of the density.
  void cut_open(const std::vector<Target>& targets, const std::string& name);
  // The middles of all cells [cells, d], the last axis fastest.
  torch::Tensor middles() const;
  // The log density of the middles, in the coordinates of the cells -> [cells].
  torch::Tensor on_grid(const std::string& name) const;
  void narrow(std::size_t cells, const std::string& name);
  void normalize(std::size_t cells, const std::string& name);

  Log log_;
  std::vector<Axis> grid_;
  torch::Tensor at_, mass_, mean_, sd_;  // middles and mass of every cell, the last target fastest
  double log_evidence_ = 0;
};

}  // namespace pairs
