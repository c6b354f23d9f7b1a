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

#include "core/eval/conditional_nuisances.h"
#include "core/eval/marginal_likelihood.h"
#include "core/eval/neyman.h"
#include "core/train/run.h"

namespace pairs {

// Sets that are simulated to learn how extreme a likelihood ratio is at each value of θ.
struct ToyPlan {
  std::int64_t n = 0;                            // observations of each
  std::int64_t toys = 10000, null_toys = 50000;  // at each node, and at the null value
  std::int64_t nodes = 41;                       // values of θ, denser towards the ends of its range
  std::uint64_t seed = 1;
  std::optional<double> null = {};  // the value that stands for "nothing there": a node; none where there is none
  std::vector<double> psi = {};     // the nuisances, where they are known; empty: drawn of p(ψ | θ) for each set
  std::vector<double> given = {};   // what is given of every set beside its observations, where the task has that
  bool exact = false;               // likelihoods by the task's exact posterior rather than by the run
};

// Toys of the null value beside so many of other nodes: a significance lies farther out than a limit.
constexpr std::int64_t null_toys_of(std::int64_t toys) {
  return 5 * toys;
}

// The usual plan for sets of n observations of a task: its null value, where it has one, and all else as above.
ToyPlan usual_toys(const Task& task, std::int64_t n);

// At most so many toys of a kind.
inline constexpr std::int64_t kMostToys = 10'000'000;

// A run's toys. They are kept in the folder of caches (core/base/caches.h), a file for each node as soon as it is done
// and one of the null value's toys as other nodes see them,
// so that the next table of the same plan, or of one that was stopped or killed, simulates no more than is missing.
class ToyTable {
 public:
  // Throws Error where the plan does not fit the run: its task, N, ψ, what is given or null value.
  ToyTable(const LoadedRun& run, ToyPlan plan);

  const Task& task() const { return *task_; }
  const ToyPlan& plan() const { return plan_; }
  // The values of θ that toys are simulated at, ascending, and those that likelihoods are known at: all of these, and
  // five between each two.
  const std::vector<double>& nodes() const { return nodes_; }
  const std::vector<double>& grid() const { return grid_; }
  // The number of the null value's node, where there is one.
  std::optional<std::size_t> null_node() const { return null_node_; }
  // ln p(θ) on the grid, and the likelihood of one set whose ln p(θ | X) is given on it, [G].
  const torch::Tensor& log_prior() const { return log_prior_; }
  LikelihoodCurve curve(const torch::Tensor& log_posterior) const;

  // Simulates what is missing. `step` hears how many sets are done, and of how many; `keep_going` false throws Stopped.
  void make(const std::function<bool()>& keep_going, const std::function<void(std::int64_t, std::int64_t)>& step);
  // Once it is made: the toys at a node, and the largest statistic among them.
  const NodeToys& toys(std::size_t node) const { return toys_[node]; }
  double most(std::size_t node, TestOrder order) const;
  // Whether there are upper limits by CL_s: the null value has nodes above it.
  bool tells_cls() const { return null_node_ && *null_node_ + 1 < nodes_.size(); }
  // Once it is made, where it tells CL_s: toys of the null value with their ratios at this node's θ, as many as other
  // nodes have (at most all of the null value), and their numbers in ascending order of TestOrder::upper_limit.
  const NodeToys& null_at(std::size_t node) const { return null_at_[node]; }
  const std::vector<std::uint32_t>& null_ascending(std::size_t node) const { return null_ascending_[node]; }
  // statistic_order of them.
  const std::vector<std::uint32_t>& ascending(std::size_t node, TestOrder order) const {
    return ascending_[node][static_cast<std::size_t>(order)];
  }
  // Sets whose parabola at the estimate stands on values more than 2 nat lower: the grid is too coarse for them.
  double unresolved() const { return unresolved_; }

  // A set that is simulated beside those of the nodes.
  struct ToySet {
    LikelihoodCurve curve;
    Observations x;
  };
  // `count` of them at θ and ψ (empty: as the plan has them), the same for the same `place`, handed on in blocks.
  void simulate(double theta, const std::vector<double>& psi, std::int64_t place, std::int64_t count,
                const std::function<bool()>& keep_going, const std::function<void(std::vector<ToySet>)>& take);

 private:
  void lay_grid();
  Latents latents(double theta, const std::vector<double>& psi, std::span<const std::int64_t> indices) const;
  std::int64_t node_count(std::size_t node) const;
  std::int64_t null_count() const;
  // Whether a file's fingerprint is this table's.
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
  std::string identity_;  // of all that toys depend on
  std::shared_ptr<Estimator> estimator_;
  std::optional<ConditionalNuisances> nuisances_;  // where ψ has to be drawn for each set
  std::vector<double> nodes_, grid_;
  std::optional<std::size_t> null_node_;
  torch::Tensor grid_tensor_, log_prior_;
  std::unique_ptr<MarginalLikelihood> likelihood_;
  std::vector<double> fingerprint_;  // of the first sets' likelihoods
  std::vector<NodeToys> toys_;
  std::vector<std::array<std::vector<std::uint32_t>, 3>> ascending_;  // by TestOrder
  std::vector<NodeToys> null_at_;
  std::vector<std::vector<std::uint32_t>> null_ascending_;
  std::vector<double> above_, below_;  // of each node's ratios, the largest and the smallest
  double unresolved_ = 0;
};

}  // namespace pairs
