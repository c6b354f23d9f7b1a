#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/estimator.h"

namespace pairs {

// An equal mixture of estimators: the posterior of a set is the mean of its members' densities. Its embedding
// concatenates its members' embeddings, so that an aggregate [B, l] holds an aggregate of each member and l is the sum
// of their lengths.
// A mixture of calibrated members is too wide. A width w other than 1 recalibrates it by scaling it about its mean m:
// q(θ | X) = q̄(m + (θ − m) / w) / w^d, where q̄ is the mean of the members' densities.
// An ensemble is not trained: functions for training throw Error, and descriptions of networks are those of its first
// member.
class Ensemble final : public Estimator {
 public:
  // Takes at least two estimators of one task and one data source, with densities, that have a set size in common.
  // Throws a usage error otherwise.
  explicit Ensemble(std::vector<std::shared_ptr<Estimator>> members, double width = 1);

  // Smallest and largest width; widths other than 1 require that no target is bounded.
  static constexpr double kLeastWidth = 0.25, kMostWidth = 4;
  double width() const { return width_; }
  // m, the center of the scaling by the width: the mean of q̄, estimated from samples that depend only on the set, [B,
  // 1, d] float64.
  torch::Tensor center(const torch::Tensor& aggregates, const torch::Tensor& n, const torch::Tensor& given) const;

  std::vector<std::shared_ptr<Estimator>> members() const override { return members_; }
  Embedder& embedder() override { return members_.front()->embedder(); }
  Head& head(std::int64_t n) override { return members_.front()->head(n); }
  // The sizes that all members support.
  std::vector<std::int64_t> sizes() const override;
  std::int64_t embedding_size() const override;
  torch::Tensor mean_aggregate() const override;
  torch::Tensor embed(const Observations& x, std::int64_t at_once) override;
  std::int64_t observations_at_once() const override;
  torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& aggregates, const torch::Tensor& n,
                              const torch::Tensor& given) override;
  bool has_density() const override { return true; }
  bool confined() const override;
  // Each sample comes from a randomly chosen member. Members sample with the same key, so that equal members give equal
  // samples.
  torch::Tensor sample(const torch::Tensor& aggregates, const torch::Tensor& n, std::int64_t count, std::uint64_t key,
                       const torch::Tensor& given) override;
  // The typicality of the member that finds a set the least typical.
  Typicality typicality(const torch::Tensor& aggregates, const torch::Tensor& n) const override;
  bool knows_typicality() const override;
  void to(const torch::Device& device) override;
  void train(bool on) override;
  std::map<std::string, torch::Tensor> embedder_parameters() const override;
  double embedder_flops() const override;
  double head_flops() const override;

 private:
  std::vector<std::shared_ptr<Estimator>> members_;
  double width_;
};

// The estimator itself, or an ensemble's first member.
const Estimator& one_of_ensemble(const std::shared_ptr<Estimator>& estimator);
// Splits an ensemble's aggregates [B, l] into the members' parts [B, l_k].
std::vector<torch::Tensor> member_parts(const std::vector<std::shared_ptr<Estimator>>& members,
                                        const torch::Tensor& aggregates);
// The prefix of member k's tensors, in its file and among the parameters: "members.K.".
std::string member_prefix(std::size_t k);
// Writes an ensemble that load_estimator reads; `metadata` is added to its own.
void save_ensemble(const Ensemble& ensemble, const std::filesystem::path& file,
                   std::map<std::string, std::string> metadata = {});
// Reads a file that Estimator::save or save_ensemble wrote. Throws Error.
std::shared_ptr<Estimator> load_estimator(const std::filesystem::path& file, std::shared_ptr<const Task> task);

}  // namespace pairs
