#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/fields/fields.h"
#include "core/base/files/safetensors.h"
#include "core/heads/head.h"
#include "core/nn/embedder.h"
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

// Embedder, head(s) and standardizers of one task: everything needed to turn a set into a posterior.
// Has either one head for all set sizes up to max_n() or, when trained per N, one head for each listed size.
// Not thread-safe while its weights change; pass a clone() to another thread.
// Its virtual members are all that inference needs; an Ensemble (core/ensemble.h) implements only these.
class Estimator {
 public:
  // Initializes the weights as a pure function of the seed.
  Estimator(std::shared_ptr<const Task> task, const EstimatorConfig& config, std::uint64_t seed);
  Estimator(Estimator&&) = default;
  Estimator& operator=(Estimator&&) = default;
  virtual ~Estimator() = default;

  // Reads an estimator written by save(); shapes and names are verified. Throws Error.
  static Estimator load(const std::filesystem::path& file, std::shared_ptr<const Task> task);
  // Stores `metadata` (e.g. how it was trained) along with the estimator's own; read_metadata returns it.
  void save(const std::filesystem::path& file, std::map<std::string, std::string> metadata = {}) const;
  // Reads and writes a file's content in memory; `where` names its source in errors.
  static Estimator parse(const TensorFile& content, const std::string& where, std::shared_ptr<const Task> task);
  TensorFile content() const;
  Estimator clone() const;
  // Copies the embedder's weights of `other`. Also copies its head with standardizer and location map if encoding and
  // head have the same settings and the head serves all sizes. Returns a sentence on what was not copied, "" if
  // everything was. Throws a usage error if the embedders differ in a setting.
  std::string start_from(const Estimator& other);

  const Task& task() const { return *task_; }
  std::shared_ptr<const Task> task_pointer() const { return task_; }
  const EstimatorConfig& config() const { return config_; }
  virtual Embedder& embedder() { return *embedder_; }
  virtual std::int64_t embedding_size() const { return embedder_->size(); }
  // The members of an equal mixture; none for an estimator that was trained.
  virtual std::vector<std::shared_ptr<Estimator>> members() const { return {}; }

  // sizes() is empty for one head amortized over N, else it lists the sizes that have a head of their own.
  virtual std::vector<std::int64_t> sizes() const;
  virtual Head& head(std::int64_t n);
  // Replaces the heads by one freshly initialized head for all sizes.
  void reset_heads(std::uint64_t seed);
  // Also changes the configuration of the head.
  void reset_heads(std::uint64_t seed, const HeadConfig& head);
  // From now on the heads use unstandardized aggregates; statistics are still recorded.
  void keep_aggregates() { config_.standardize = false; }
  // Replaces the heads by copies of the first one, one for each size (ascending); {} makes the estimator amortized
  // again.
  void split_heads(const std::vector<std::int64_t>& sizes);
  // Largest set size seen in training; 0 before training. Larger sets are refused unless the caller forces them.
  std::int64_t max_n() const { return max_n_; }
  void set_max_n(std::int64_t n) { max_n_ = n; }

  // Data source of the task it was trained on ("MNIST"); before it is loaded from a file, the data source of its task.
  const std::string& data_source() const { return data_source_; }

  // Sets the standardization of aggregates, which is the identity before stage 3 and if `standardize` is off. `fold`:
  // the heads' first layers absorb it, so that their output at set size `fold_n` does not change.
  void set_statistics(const AggregateStatistics& statistics, bool fold, std::int64_t fold_n);
  const AggregateStatistics& statistics() const { return statistics_; }
  bool standardized() const { return statistics_.mean.defined(); }
  // The mean of the training aggregates [l] float64; undefined if it was not recorded.
  virtual torch::Tensor mean_aggregate() const { return statistics_.mean; }

  // Sets the linear location map of one head, which then models θ - (weight T + bias) in standardized coordinates, with
  // weight [d, l] and bias [d] float64 on raw aggregates (see core/train/steps/linear_start.h).
  void set_location(std::int64_t head_n, const torch::Tensor& weight, const torch::Tensor& bias);

  // What head `head_n` models: θ [B, d] standardized, minus its location map at aggregates [B, l] -> [B, d] float64.
  torch::Tensor target(std::int64_t head_n, const torch::Tensor& theta, const torch::Tensor& aggregates) const;

  // Loss of the head for sets of sizes n [B], all served by head `head_n`: θ [B, d] float64 in original units,
  // aggregates [B, l] on the estimator's device, n and the sets' conditions `given` [B, g], if the task has any, on the
  // CPU. Builds a graph. A density's loss is its NLL in standardized coordinates, in nats: θ in units of the targets'
  // scales, or of their ranges with head.support = "box", so that losses are comparable between heads with the same
  // support. In training mode the head may add its own terms.
  Loss loss(std::int64_t head_n, const torch::Tensor& theta, const torch::Tensor& aggregates, const torch::Tensor& n,
            const torch::Tensor& given = {});

  // What a loss needs of sets in addition to their aggregates, on the estimator's device, copied there without waiting.
  struct SetColumns {
    torch::Tensor target;  // θ [B, d] standardized, float64
    torch::Tensor n;       // [B] int64
    torch::Tensor extra;  // the columns of a context after the aggregates [B, k] float32; undefined if k = 0
  };
  // Arguments as for loss().
  SetColumns send_sets(const torch::Tensor& theta, const torch::Tensor& n, const torch::Tensor& given = {}) const;
  // The loss of sets that were sent, without any further copy to the device.
  Loss loss(std::int64_t head_n, const SetColumns& sets, const torch::Tensor& aggregates);

  // t(x): M observations -> [M, l] on x's device, without gradient, in chunks of `at_once` observations, or of fewer if
  // they hold more numbers than that many typical ones; 0: observations_at_once().
  virtual torch::Tensor embed(const Observations& x, std::int64_t at_once = 0);
  // Observations that are embedded at once, without gradients and with a graph, so that memory depends neither on N nor
  // on the number of sets.
  virtual std::int64_t observations_at_once() const;
  std::int64_t observations_in_graph() const;
  // Sets the key of all random numbers in training (dropout, flow noise and times) from here on.
  void set_noise(std::uint64_t key);
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
  virtual void train(bool on);

  // Parameters by name ("embedder.…", "head.…" or "head.N.…"), for optimizers and checkpoints. Live tensors.
  virtual std::map<std::string, torch::Tensor> embedder_parameters() const;
  std::map<std::string, torch::Tensor> head_parameters(std::int64_t n = 0) const;
  // Everything that save() writes, by name. load_state copies values into the live tensors and checks names and shapes.
  std::map<std::string, torch::Tensor> state() const;
  void load_state(const std::map<std::string, torch::Tensor>& state);

  // FLOPs of one forward pass: one observation through the embedder, one set through the head.
  virtual double embedder_flops() const { return embedder_->flops(); }
  virtual double head_flops() const;

 protected:
  // Without networks, for subclasses that combine other estimators.
  Estimator(std::shared_ptr<const Task> task, const EstimatorConfig& config, std::string data_source,
            std::int64_t max_n)
      : task_(std::move(task)), config_(config), max_n_(max_n), data_source_(std::move(data_source)) {}
  void set_device(const torch::Device& device) { device_ = device; }

 private:
  struct HeadSlot {
    std::int64_t n;  // 0: all sizes
    std::shared_ptr<Head> head;
    torch::Tensor weight = {}, bias = {};  // location map; undefined if there is none
  };
  void check_trainable() const;  // throws Error if it has no networks of its own
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
  torch::Tensor extra_columns(const torch::Tensor& n, const torch::Tensor& given,
                                  const torch::Device& device) const;
  torch::Tensor context_of(const torch::Tensor& aggregates, const torch::Tensor& n, const torch::Tensor& extra) const;
  HeadSlot& slot(std::int64_t n);
  const HeadSlot& slot(std::int64_t n) const;
  std::shared_ptr<Head> fresh_head(std::uint64_t seed) const;
  void scale_target();  // uses the scale that its heads require
  // Calls f(slot, rows) for each head needed by n [B]; rows is an index tensor into the batch.
  template <class F>
  void for_each_head(const torch::Tensor& n, F&& f) const;

  std::shared_ptr<const Task> task_;
  EstimatorConfig config_;
  std::shared_ptr<Embedder> embedder_;
  std::vector<HeadSlot> heads_;
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
