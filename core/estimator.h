#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/safetensors.h"
#include "core/heads/head.h"
#include "core/nn/embedder.h"
#include "core/task.h"

namespace pairs {

// Which networks an estimator is made of.
struct EstimatorConfig {
  EmbedderConfig embedder;
  HeadConfig head;
  std::string encoding = "log";  // of the set size: none, linear, log (paper, N-encoding)
  bool standardise = true;       // aggregates before the head, once stage 3 knows their spread at each N
};

// Its settings as fields, keys "embedder.…", "head.…", "encoding", "standardise" and "restrict", bound to `config`.
std::vector<Field> fields(EstimatorConfig& config);
// Those of them that decide something of networks of its kinds.
std::vector<Field> read_fields(EstimatorConfig& config);

// Distribution of the aggregates over sets of size N: mean [l] and covariance between + within / N, both [l, l],
// float64. `distance` [101] float64: percentiles 0..100 of the Mahalanobis distance over held-out training sets (empty
// before stage 3).
struct AggregateStatistics {
  torch::Tensor mean, between, within, distance;
};
class AggregateDistance;  // core/aggregate_distance.h

// Embedder, head(s) and standardisers of one task: everything needed to turn a set into a posterior.
// Holds either one head for all set sizes up to max_n() or, when trained per N, one head for each listed size.
// Not thread-safe while its weights change; copy with clone() to hand to another thread.
// What is virtual is all that its answers need; an Ensemble (core/ensemble.h) has nothing else.
class Estimator {
 public:
  // Fresh weights, a pure function of the seed.
  Estimator(std::shared_ptr<const Task> task, const EstimatorConfig& config, std::uint64_t seed);
  Estimator(Estimator&&) = default;
  Estimator& operator=(Estimator&&) = default;
  virtual ~Estimator() = default;

  // Reads an estimator written by save(); shapes and names are verified. Throws Error.
  static Estimator load(const std::filesystem::path& file, std::shared_ptr<const Task> task);
  // `metadata` (e.g. how it was trained) is kept beside the estimator's own and comes back from read_metadata.
  void save(const std::filesystem::path& file, std::map<std::string, std::string> metadata = {}) const;
  // What such a file holds; `where` names its source in errors.
  static Estimator parse(const TensorFile& content, const std::string& where, std::shared_ptr<const Task> task);
  TensorFile content() const;
  Estimator clone() const;
  // Copies the embedder's weights of `other`, and its head with standardiser and location map where encoding and head
  // have the same settings and it serves all sizes. Returns a sentence on what was left when only the embedder was
  // taken, else "". Throws a usage error when the embedders differ in a setting.
  std::string start_from(const Estimator& other);

  const Task& task() const { return *task_; }
  std::shared_ptr<const Task> task_pointer() const { return task_; }
  const EstimatorConfig& config() const { return config_; }
  virtual Embedder& embedder() { return *embedder_; }
  virtual std::int64_t embedding_size() const { return embedder_->size(); }
  // The estimators that it is the equal mixture of; none of one that was trained.
  virtual std::vector<std::shared_ptr<Estimator>> members() const { return {}; }

  // Heads: sizes() is empty for one head amortised over N, else the sizes that have a head of their own.
  virtual std::vector<std::int64_t> sizes() const;
  virtual Head& head(std::int64_t n);
  // Replaces the heads by one with fresh weights for all sizes.
  void reset_heads(std::uint64_t seed);
  // The same, of this configuration from here on.
  void reset_heads(std::uint64_t seed, const HeadConfig& head);
  // The heads go on with aggregates as they are: statistics are recorded from here on and standardise nothing.
  void keep_aggregates() { config_.standardise = false; }
  // Replaces the heads by copies of the first one, one for each size (ascending); {} makes it amortised again.
  void split_heads(const std::vector<std::int64_t>& sizes);
  // Largest set size seen in training; 0 before any. Larger sets are refused unless `force`d by the caller.
  std::int64_t max_n() const { return max_n_; }
  void set_max_n(std::int64_t n) { max_n_ = n; }

  // Data source of the task it was trained on ("MNIST"); that of its task until loaded from a file.
  const std::string& data_source() const { return data_source_; }

  // Standardisation of aggregates: identity until stage 3 sets it, and where `standardise` is off. `fold`: the heads'
  // first layers absorb it, so that their output at set size `fold_n` is what it was before.
  void set_statistics(const AggregateStatistics& statistics, bool fold, std::int64_t fold_n);
  const AggregateStatistics& statistics() const { return statistics_; }
  bool standardised() const { return statistics_.mean.defined(); }
  // The mean of training's aggregates [l] float64; undefined where no record of them is kept.
  virtual torch::Tensor mean_aggregate() const { return statistics_.mean; }

  // Linear location map of one head: the head then models θ - (weight T + bias) in standardised coordinates, with
  // weight [d, l] and bias [d] float64 on raw aggregates (see core/train/linear_start.h).
  void set_location(std::int64_t head_n, const torch::Tensor& weight, const torch::Tensor& bias);

  // What head `head_n` models: θ [B, d] standardised, less its location map at aggregates [B, l] -> [B, d] float64.
  torch::Tensor target(std::int64_t head_n, const torch::Tensor& theta, const torch::Tensor& aggregates) const;

  // Loss of the head for sets of sizes n [B], all served by head `head_n`: θ [B, d] float64 in original units,
  // aggregates [B, l] on the estimator's device, n and given [B, g], where the task's sets come with some, on the CPU.
  // With a graph. A density's loss is its NLL in standardised coordinates, in nat: θ in units of the targets' scales,
  // with head.support = "box" in units of their ranges, so that losses compare between heads of one support. In
  // training mode with what the head adds.
  Loss loss(std::int64_t head_n, const torch::Tensor& theta, const torch::Tensor& aggregates, const torch::Tensor& n,
            const torch::Tensor& given = {});

  // What a loss needs of sets beside their aggregates, on the estimator's device, sent without waiting for it.
  struct SetColumns {
    torch::Tensor target;  // θ [B, d] standardised, float64
    torch::Tensor n;       // [B] int64
    torch::Tensor beside;  // the columns of a context after the aggregates' [B, k] float32; undefined where k = 0
  };
  // Arguments as loss()'s.
  SetColumns send_sets(const torch::Tensor& theta, const torch::Tensor& n, const torch::Tensor& given = {}) const;
  // The loss of sets that were sent: nothing more goes to the device.
  Loss loss(std::int64_t head_n, const SetColumns& sets, const torch::Tensor& aggregates);

  // t(x): M observations -> [M, l] on x's device, no gradient, `at_once` observations at a time, fewer where they hold
  // more numbers than that many typical ones; 0: observations_at_once().
  virtual torch::Tensor embed(const Observations& x, std::int64_t at_once = 0);
  // Observations that are embedded at once so that memory depends neither on N nor on the number of sets: without
  // gradients, and with a graph.
  virtual std::int64_t observations_at_once() const;
  std::int64_t observations_in_graph() const;
  // Key of everything that training draws (dropout, flow noise and times) from here on.
  void set_noise(std::uint64_t key);
  // Head input for aggregates [B, l] (float32 or float64) of sets of sizes n [B] int64 and what is given of them [B, g]
  // -> [B, c] float32 on the aggregates' device, its columns in this order. Nothing waits for the device when n and
  // given are on the CPU. Differentiable in the aggregates before standardisation is set
  // (stage 1). Throws Error when `given` is not what the task's sets come with.
  torch::Tensor context(const torch::Tensor& aggregates, const torch::Tensor& n, const torch::Tensor& given = {}) const;
  // θ [.., d] float64 in original units -> standardised coordinates, float64; and back. An affine map a target; an
  // image's pixels share one.
  torch::Tensor standardise(const torch::Tensor& theta) const;
  torch::Tensor restore(const torch::Tensor& z) const;

  // log q(θ | aggregate, n, given) in original units (nat): θ [B, d], aggregates [B, l], n [B], given [B, g] -> [B]
  // float64. No gradient. Throws Error where the head is no density (has_density).
  torch::Tensor log_prob(const torch::Tensor& theta, const torch::Tensor& aggregates, const torch::Tensor& n,
                         const torch::Tensor& given = {});
  // θ [B, S, d] -> [B, S].
  virtual torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& aggregates,
                                      const torch::Tensor& n, const torch::Tensor& given = {});
  // Whether the heads can say log_prob, or only draw samples.
  virtual bool has_density() const { return heads_.front().head->has_density(); }
  // Whether no posterior reaches beyond the targets' supports: the head is confined to them, or its density q is
  // restricted to them, q(θ | X, θ in the support). What log_prob and sample give is the restricted density.
  virtual bool confined() const;
  // The share of the heads' own densities that lies outside the supports, whether it is cut off or not -> [B] float64
  // on the CPU, by Head::log_mass. From kOutOfRange on nothing is left to restrict: the posterior is then the broad
  // density of TargetSupport.
  torch::Tensor share_outside(const torch::Tensor& aggregates, const torch::Tensor& n,
                              const torch::Tensor& given = {}) const;
  static constexpr double kOutOfRange = 0.999;
  // `count` posterior draws a set -> [B, count, d] float64, original units; an image's pixels within their range.
  virtual torch::Tensor sample(const torch::Tensor& aggregates, const torch::Tensor& n, std::int64_t count,
                               std::uint64_t key, const torch::Tensor& given = {});
  // Mahalanobis distance of aggregates [B, l] from the training distribution at sizes n [B], and the percentile
  // (0..100) of training sets that lie closer, NaN without a record of their distances. What depends on the set size
  // alone is worked out once; from any thread. Throws Error where knows_typicality() is false.
  struct Typicality {
    torch::Tensor distance, percentile;  // [B] float64
  };
  virtual Typicality typicality(const torch::Tensor& aggregates, const torch::Tensor& n) const;
  // Whether a record of training's aggregates with their distances is kept.
  virtual bool knows_typicality() const { return statistics_.mean.defined() && statistics_.distance.defined(); }

  virtual void to(const torch::Device& device);
  torch::Device device() const { return device_; }
  virtual void train(bool on);

  // Parameters by name ("embedder.…", "head.…" or "head.N.…"), for optimisers and checkpoints. Live tensors.
  virtual std::map<std::string, torch::Tensor> embedder_parameters() const;
  std::map<std::string, torch::Tensor> head_parameters(std::int64_t n = 0) const;
  // Everything that save() writes, by name; load_state copies values into the live tensors (names and shapes checked).
  std::map<std::string, torch::Tensor> state() const;
  void load_state(const std::map<std::string, torch::Tensor>& state);

  // FLOPs of one forward pass: one observation through the embedder, one set through the head.
  virtual double embedder_flops() const { return embedder_->flops(); }
  virtual double head_flops() const;

 protected:
  // Without networks, of a class that answers by others.
  Estimator(std::shared_ptr<const Task> task, const EstimatorConfig& config, std::string data_source,
            std::int64_t max_n)
      : task_(std::move(task)), config_(config), max_n_(max_n), data_source_(std::move(data_source)) {}
  void set_device(const torch::Device& device) { device_ = device; }

 private:
  struct HeadSlot {
    std::int64_t n;  // 0: all sizes
    std::shared_ptr<Head> head;
    torch::Tensor weight = {}, bias = {};  // location map, undefined without one
  };
  void check_trainable() const;  // throws Error where it has no networks of its own
  torch::Tensor location(const HeadSlot& slot, const torch::Tensor& aggregates) const;  // [B, d] float64, or undefined
  // log of the mass on the supports of the densities of one head at contexts [B, c] with aggregates [B, l] -> [B]
  // float64 on the CPU.
  torch::Tensor log_mass(const HeadSlot& slot, const torch::Tensor& context, const torch::Tensor& aggregates) const;
  // Restricts log densities [B, S] in the head's coordinates, at θ [B, S, d], and draws θ [B, S, d] of `key`, to the
  // supports. All on the CPU but contexts and aggregates.
  torch::Tensor restricted_density(const HeadSlot& slot, const torch::Tensor& context, const torch::Tensor& aggregates,
                                   const torch::Tensor& theta, const torch::Tensor& score) const;
  void restrict_samples(const HeadSlot& slot, const torch::Tensor& context, const torch::Tensor& aggregates,
                        std::uint64_t key, torch::Tensor& theta) const;
  // Whether its posteriors are cut off at some end.
  bool restricted() const;
  torch::Tensor less_location(const HeadSlot& slot, const torch::Tensor& z, const torch::Tensor& aggregates) const;
  // The columns of context() after the aggregates', and all of them; n on the aggregates' device where they are
  // standardised.
  torch::Tensor beside_aggregates(const torch::Tensor& n, const torch::Tensor& given,
                                  const torch::Device& device) const;
  torch::Tensor context_of(const torch::Tensor& aggregates, const torch::Tensor& n, const torch::Tensor& beside) const;
  HeadSlot& slot(std::int64_t n);
  const HeadSlot& slot(std::int64_t n) const;
  std::shared_ptr<Head> fresh_head(std::uint64_t seed) const;
  void scale_target();  // as its heads have it
  // Applies f(slot, rows) for each head needed by n [B]; rows is an index tensor into the batch.
  template <class F>
  void for_each_head(const torch::Tensor& n, F&& f) const;

  std::shared_ptr<const Task> task_;
  EstimatorConfig config_;
  std::shared_ptr<Embedder> embedder_;
  std::vector<HeadSlot> heads_;
  AggregateStatistics statistics_;
  std::shared_ptr<AggregateDistance> distance_;                 // by them; null before there are any
  torch::Tensor scaler_mean_, scaler_between_, scaler_within_;  // diagonals on the device, float64
  torch::Tensor target_shift_, target_scale_;                   // [d], of an image [1], float64 on the CPU
  double log_scale_ = 0;
  std::int64_t max_n_ = 0;
  std::string data_source_;
  torch::Device device_ = torch::kCPU;
};

}  // namespace pairs
