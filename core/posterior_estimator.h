#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/fields/fields.h"
#include "core/heads/head.h"
#include "core/nn/embedder.h"
#include "core/pool/pool.h"
#include "core/task.h"

namespace pairs {

// The networks that make up an estimator.
struct EstimatorConfig {
  EmbedderConfig embedder;
  HeadConfig head;
  std::string encoding = "log";  // encoding of the set size: none, linear, log (paper, N-encoding)
  bool standardize = true;       // of aggregates before the head, once stage 3 has measured their spread at each N
};

// The settings as fields, keys "embedder.…", "head.…", "encoding", "standardize" and "restrict", bound to `config`.
std::vector<Field> fields(EstimatorConfig& config);
// Only the settings that affect networks of the selected kinds.
std::vector<Field> read_fields(EstimatorConfig& config);

// Distribution of the aggregates over sets of size N: mean [l] and covariance between + within / N, both [l, l],
// float64. `distance` [101] float64: percentiles 0..100 of the Mahalanobis distance over held-out training sets (empty
// before stage 3).
struct AggregateStatistics {
  torch::Tensor mean, between, within, distance;
};
class AggregateDistance;  // core/aggregate_distance.h

class Estimator;

// Embedder, head(s) and standardizers of one task: everything needed to turn a set into a posterior.
// Has either one head for all set sizes up to max_n() or, when trained per N, one head for each listed size.
// Not thread-safe while its weights change. Its virtual members are all that inference needs; an Ensemble
// (core/ensemble.h) implements only these. Estimator adds what training needs.
class PosteriorEstimator {
 public:
  virtual ~PosteriorEstimator() = default;

  const Task& task() const { return *task_; }
  std::shared_ptr<const Task> task_pointer() const { return task_; }
  const EstimatorConfig& config() const { return config_; }
  // How embeddings become aggregates. set_pool is for tests: no file stores the pool.
  const Pool& pool() const { return *pool_; }
  std::shared_ptr<const Pool> pool_pointer() const { return pool_; }
  void set_pool(std::shared_ptr<const Pool> pool);
  virtual std::int64_t embedding_size() const { return embedder_->size(); }
  // The members of an equal mixture; none for an estimator that was trained.
  virtual std::vector<std::shared_ptr<Estimator>> members() const { return {}; }

  // sizes() is empty for one head amortized over N, else it lists the sizes that have a head of their own.
  virtual std::vector<std::int64_t> sizes() const;
  // Largest set size seen in training; 0 before training. Larger sets are refused unless the caller forces them.
  std::int64_t max_n() const { return max_n_; }
  // Data source of the task it was trained on ("MNIST"); before it is loaded from a file, the data source of its task.
  const std::string& data_source() const { return data_source_; }
  const AggregateStatistics& statistics() const { return statistics_; }
  bool standardized() const { return statistics_.mean.defined(); }
  // The mean of the training aggregates [l] float64; undefined if it was not recorded.
  virtual torch::Tensor mean_aggregate() const { return statistics_.mean; }

  // t(x): M observations -> [M, l] on x's device, without gradient, in chunks of `at_once` observations, or of fewer if
  // they hold more numbers than that many typical ones; 0: observations_at_once().
  virtual torch::Tensor embed(const Observations& x, std::int64_t at_once = 0);
  // Observations that are embedded at once, without gradients and with a graph, so that memory depends neither on N nor
  // on the number of sets.
  virtual std::int64_t observations_at_once() const;
  std::int64_t observations_in_graph() const;
  // Head input for aggregates [B, l] (float32 or float64) of sets of sizes n [B] int64 with conditions `given` [B, g]
  // -> [B, c] float32 on the aggregates' device, with columns in this order. Does not wait for the device if n and
  // given are on the CPU. Differentiable in the aggregates until a standardization is set (stage 1). Throws Error if
  // `given` does not match the task's conditions.
  torch::Tensor context(const torch::Tensor& aggregates, const torch::Tensor& n, const torch::Tensor& given = {}) const;
  // Standardizes θ [.., d] float64 from original units, in float64, and back: an affine map per target; an image's
  // pixels share one.
  torch::Tensor standardize(const torch::Tensor& theta) const;
  torch::Tensor restore(const torch::Tensor& z) const;

  // log q(θ | aggregate, n, given) in original units (nats): θ [B, d], aggregates [B, l], n [B], given [B, g] -> [B]
  // float64. No gradient. Throws Error if the head has no density (has_density).
  torch::Tensor log_prob(const torch::Tensor& theta, const torch::Tensor& aggregates, const torch::Tensor& n,
                         const torch::Tensor& given = {});
  // θ [B, S, d] -> [B, S].
  virtual torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& aggregates,
                                      const torch::Tensor& n, const torch::Tensor& given = {});
  // Whether the heads provide log_prob; otherwise they can only sample.
  virtual bool has_density() const { return heads_.front().head->has_density(); }
  // Whether every posterior lies within the targets' supports: the head is confined to them, or its density q is
  // restricted to them, q(θ | X, θ in the support). log_prob and sample use the restricted density.
  virtual bool confined() const;
  // The share of the heads' own densities outside the supports, whether or not it is cut off -> [B] float64 on the CPU,
  // by Head::log_mass. From kOutOfRange on, too little mass is left to restrict: the posterior is then the broad
  // density of TargetSupport.
  torch::Tensor share_outside(const torch::Tensor& aggregates, const torch::Tensor& n,
                              const torch::Tensor& given = {}) const;
  static constexpr double kOutOfRange = 0.999;
  // `count` posterior samples per set -> [B, count, d] float64, original units; an image's pixels within their range.
  virtual torch::Tensor sample(const torch::Tensor& aggregates, const torch::Tensor& n, std::int64_t count,
                               std::uint64_t key, const torch::Tensor& given = {});
  // Mahalanobis distance of aggregates [B, l] from the training distribution at sizes n [B], and the percentile
  // (0..100) of training sets that lie closer, NaN if their distances were not recorded. Whatever depends only on the
  // set size is computed once. Thread-safe. Throws Error if knows_typicality() is false.
  struct Typicality {
    torch::Tensor distance, percentile;  // [B] float64
  };
  virtual Typicality typicality(const torch::Tensor& aggregates, const torch::Tensor& n) const;
  // Whether the training aggregates were recorded with their distances.
  virtual bool knows_typicality() const { return statistics_.mean.defined() && statistics_.distance.defined(); }

  virtual void to(const torch::Device& device);
  torch::Device device() const { return device_; }

 protected:
  PosteriorEstimator(std::shared_ptr<const Task> task, const EstimatorConfig& config, std::string data_source,
                     std::int64_t max_n)
      : task_(std::move(task)), config_(config), max_n_(max_n), data_source_(std::move(data_source)) {}
  PosteriorEstimator(PosteriorEstimator&&) = default;
  PosteriorEstimator& operator=(PosteriorEstimator&&) = default;
  void set_device(const torch::Device& device) { device_ = device; }

  void check_trainable() const;  // throws Error if it has no networks of its own
  struct HeadSlot {
    std::int64_t n;  // 0: all sizes
    std::shared_ptr<Head> head;
    torch::Tensor weight = {}, bias = {};  // location map; undefined if there is none
  };
  torch::Tensor location(const HeadSlot& slot, const torch::Tensor& aggregates) const;  // [B, d] float64, or undefined
  // Log mass within the supports of one head's densities at contexts [B, c] with aggregates [B, l] -> [B] float64 on
  // the CPU.
  torch::Tensor log_mass(const HeadSlot& slot, const torch::Tensor& context, const torch::Tensor& aggregates) const;
  // Restrict log densities [B, S] in the head's coordinates, at θ [B, S, d], and samples θ [B, S, d] of `key` to the
  // supports. Everything but contexts and aggregates is on the CPU.
  torch::Tensor restricted_density(const HeadSlot& slot, const torch::Tensor& context, const torch::Tensor& aggregates,
                                   const torch::Tensor& theta, const torch::Tensor& score) const;
  void restrict_samples(const HeadSlot& slot, const torch::Tensor& context, const torch::Tensor& aggregates,
                        std::uint64_t key, torch::Tensor& theta) const;
  // Whether its posteriors are cut off at some bound.
  bool restricted() const;
  torch::Tensor less_location(const HeadSlot& slot, const torch::Tensor& z, const torch::Tensor& aggregates) const;
  // extra_columns: the columns of context() after the aggregates. context_of: all columns; n must be on the
  // aggregates' device if these are standardized.
  torch::Tensor extra_columns(const torch::Tensor& n, const torch::Tensor& given, const torch::Device& device) const;
  torch::Tensor context_of(const torch::Tensor& aggregates, const torch::Tensor& n, const torch::Tensor& extra) const;
  HeadSlot& slot(std::int64_t n);
  const HeadSlot& slot(std::int64_t n) const;
  void scale_target();  // uses the scale that its heads require
  // Calls f(slot, rows) for each head needed by n [B]; rows is an index tensor into the batch.
  template <class F>
  void for_each_head(const torch::Tensor& n, F&& f) const;

  std::shared_ptr<const Task> task_;
  EstimatorConfig config_;
  std::shared_ptr<Embedder> embedder_;
  std::vector<HeadSlot> heads_;
  std::shared_ptr<const Pool> pool_ = mean_pool();
  AggregateStatistics statistics_;
  std::shared_ptr<AggregateDistance> distance_;                 // made from the statistics; null if there are none
  torch::Tensor scaler_mean_, scaler_between_, scaler_within_;  // diagonals on the device, float64
  torch::Tensor target_shift_, target_scale_;                   // [d], or [1] for an image, float64 on the CPU
  double log_scale_ = 0;
  std::int64_t max_n_ = 0;
  std::string data_source_;
  torch::Device device_ = torch::kCPU;
};

}  // namespace pairs
