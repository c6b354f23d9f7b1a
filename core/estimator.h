#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/files/safetensors.h"
#include "core/posterior_estimator.h"

namespace pairs {

// An estimator with what training and files need. Not thread-safe while its weights change; pass a clone() to another
// thread.
class Estimator : public PosteriorEstimator {
 public:
  // Initializes the weights as a pure function of the seed.
  Estimator(std::shared_ptr<const Task> task, const EstimatorConfig& config, std::uint64_t seed);
  Estimator(Estimator&&) = default;
  Estimator& operator=(Estimator&&) = default;

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

  virtual Embedder& embedder() { return *embedder_; }
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
  // Sets the standardization of aggregates, which is the identity before stage 3 and if `standardize` is off. `fold`:
  // the heads' first layers absorb it, so that their output at set size `fold_n` does not change.
  void set_statistics(const AggregateStatistics& statistics, bool fold, std::int64_t fold_n);
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
    torch::Tensor extra;   // the columns of a context after the aggregates [B, k] float32; undefined if k = 0
  };
  // Arguments as for loss().
  SetColumns send_sets(const torch::Tensor& theta, const torch::Tensor& n, const torch::Tensor& given = {}) const;
  // The loss of sets that were sent, without any further copy to the device.
  Loss loss(std::int64_t head_n, const SetColumns& sets, const torch::Tensor& aggregates);

  // Sets the key of all random numbers in training (dropout, flow noise and times) from here on.
  void set_noise(std::uint64_t key);
  // Increases max_n().
  void set_max_n(std::int64_t n) { max_n_ = n; }

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
      : PosteriorEstimator(std::move(task), config, std::move(data_source), max_n) {}

 private:
  std::shared_ptr<Head> fresh_head(std::uint64_t seed) const;
};

}  // namespace pairs
