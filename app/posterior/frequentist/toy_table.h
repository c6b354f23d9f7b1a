#pragma once

#include <torch/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/eval/calibration/neyman.h"
#include "core/eval/references/conditional_nuisances.h"
#include "core/eval/references/marginal_likelihood.h"
#include "core/train/run/run.h"

namespace pairs {

// The sets to simulate in order to calibrate a likelihood ratio at each value of θ.
struct ToyPlan {
  std::int64_t n = 0;                            // observations per set
  std::int64_t toys = 10000, null_toys = 50000;  // per node, and at the null value
  std::int64_t nodes = 41;                       // values of θ, denser towards the bounds of its range
  std::uint64_t seed = 1;
  std::optional<double> null = {};  // the value for "no signal", a node; none if there is none
  std::vector<double> psi = {};     // known nuisances; empty: drawn from p(ψ | θ) for each set
  std::vector<double> given = {};   // conditions of every set, if the task has some
  bool exact = false;               // uses likelihoods of the task's exact posterior, not the run's
};

// The number of toys of the null value for this number at other nodes: a significance is farther in the tail than a
// limit.
constexpr std::int64_t null_toys_of(std::int64_t toys) {
  return 5 * toys;
}

// The default plan for sets of n observations of a task, with its null value if it has one.
ToyPlan usual_toys(const Task& task, std::int64_t n);

// The maximum number of toys of a kind.
inline constexpr std::int64_t kMostToys = 10'000'000;

// A run's toys. The folder of caches (core/base/system/caches.h) stores a file for each finished node, and one for the
// toys of the null value at other nodes, so that the next table of the same plan, or of a stopped one, simulates only
// what is missing.
class ToyTable {
 public:
  // Throws Error if the plan does not fit the run: its task, N, ψ, conditions or null value.
  ToyTable(const LoadedRun& run, ToyPlan plan);

  const Task& task() const { return *task_; }
  const ToyPlan& plan() const { return plan_; }
  // The values of θ at which toys are simulated, ascending, and those at which likelihoods are known: all of these, and
  // five between each two.
  const std::vector<double>& nodes() const { return nodes_; }
  const std::vector<double>& grid() const { return grid_; }
  // The index of the null value's node, if there is one.
  std::optional<std::size_t> null_node() const { return null_node_; }
  // ln p(θ) on the grid, and the likelihood of one set from its ln p(θ | X) on the grid, [G].
  const torch::Tensor& log_prior() const { return log_prior_; }
  LikelihoodCurve curve(const torch::Tensor& log_posterior) const;

  // Simulates what is missing. `step` receives the number of finished sets and the total; `keep_going` false throws
  // Stopped.
  void make(const std::function<bool()>& keep_going, const std::function<void(std::int64_t, std::int64_t)>& step);
  // After make(): the toys at a node, and the largest statistic among them.
  const NodeToys& toys(std::size_t node) const { return toys_[node]; }
  double most(std::size_t node, TestOrder order) const;
  // Whether there are CL_s upper limits: the null value has nodes above it.
  bool reports_cls() const { return null_node_ && *null_node_ + 1 < nodes_.size(); }
  // After make(), if there is CL_s: toys of the null value with their ratios at this node's θ, as many as other nodes
  // have (at most all of the null value), and their indices in ascending order of TestOrder::upper_limit.
  const NodeToys& null_at(std::size_t node) const { return null_at_[node]; }
  const std::vector<std::uint32_t>& null_ascending(std::size_t node) const { return null_ascending_[node]; }
  // The statistic_order of a node's toys.
  const std::vector<std::uint32_t>& ascending(std::size_t node, TestOrder order) const {
    return ascending_[node][static_cast<std::size_t>(order)];
  }
  // The share of sets whose parabola at the estimate rests on values more than 2 nat lower: the grid is too coarse for
  // them.
  double unresolved() const { return unresolved_; }

  // A set simulated in addition to those of the nodes.
  struct ToySet {
    LikelihoodCurve curve;
    Observations x;
  };
  // Simulates `count` sets at θ and ψ (empty: as in the plan), the same for the same `place`, and passes them on in
  // blocks.
  void simulate(double theta, const std::vector<double>& psi, std::int64_t place, std::int64_t count,
                const std::function<bool()>& keep_going, const std::function<void(std::vector<ToySet>)>& take);

 private:
  void lay_grid();
  Latents latents(double theta, const std::vector<double>& psi, std::span<const std::int64_t> indices) const;
  std::int64_t node_count(std::size_t node) const;
  std::int64_t null_count() const;
  // Whether a file has this table's fingerprint.
  bool like_kept(const torch::Tensor& fingerprint) const;
  std::vector<double> fingerprint();
  std::filesystem::path folder() const;
  bool read_node(std::size_t node);
  void write_node(std::size_t node) const;
  bool read_null();
  void make_null(const std::function<bool()>& keep_going, const std::function<void(std::int64_t)>& step);
  void make_node(std::size_t node, const std::function<bool()>& keep_going,
                 const std::function<void(std::int64_t)>& step);
  MarginalLikelihood& likelihood();

  std::shared_ptr<const Task> task_;
  ToyPlan plan_;
  std::string identity_;  // identifies everything that toys depend on
  std::shared_ptr<Estimator> estimator_;
  std::optional<ConditionalNuisances> nuisances_;  // if ψ must be drawn for each set
  std::vector<double> nodes_, grid_;
  std::optional<std::size_t> null_node_;
  torch::Tensor grid_tensor_, log_prior_;
  std::unique_ptr<MarginalLikelihood> likelihood_;
  std::vector<double> fingerprint_;  // from the first sets' likelihoods
  std::vector<NodeToys> toys_;
  std::vector<std::array<std::vector<std::uint32_t>, 3>> ascending_;  // by TestOrder
  std::vector<NodeToys> null_at_;
  std::vector<std::vector<std::uint32_t>> null_ascending_;
  std::vector<double> above_, below_;  // the largest and smallest of each node's ratios
  double unresolved_ = 0;
};

}  // namespace pairs
