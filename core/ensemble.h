#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/estimator.h"

namespace pairs {

// An equal mixture of estimators: the posterior of a set is the mean of its members' densities. Its embedding is
// theirs side by side, so that an aggregate [B, l] holds an aggregate of each member, l the sum of their lengths.
// Of members that are calibrated the mixture is wider than it need be. With a width w other than 1 it is drawn together
// or apart about its mean m: q(θ | X) = q̄(m + (θ − m) / w) / w^d, q̄ the mean of densities.
// Not trained; what trains networks refuses it with an Error, or is of its first member where networks are described.
class Ensemble final : public Estimator {
 public:
  // At least two estimators of one task and one data source, with densities, that serve a set size in common. Throws a
  // usage error where they are not.
  explicit Ensemble(std::vector<std::shared_ptr<Estimator>> members, double width = 1);

  // Least and greatest width; others than 1 only where no target has an end.
  static constexpr double kLeastWidth = 0.25, kMostWidth = 4;
  double width() const { return width_; }
  // m, about which the width counts: the mean of q̄ by draws that depend on the set alone, [B, 1, d] float64.
  torch::Tensor centre(const torch::Tensor& aggregates, const torch::Tensor& n, const torch::Tensor& given) const;

  std::vector<std::shared_ptr<Estimator>> members() const override { return members_; }
  Embedder& embedder() override { return members_.front()->embedder(); }
  Head& head(std::int64_t n) override { return members_.front()->head(n); }
  // Those that all members serve.
  std::vector<std::int64_t> sizes() const override;
  std::int64_t embedding_size() const override;
  torch::Tensor mean_aggregate() const override;
  torch::Tensor embed(const Observations& x, std::int64_t at_once) override;
  std::int64_t observations_at_once() const override;
  torch::Tensor log_prob_grid(const torch::Tensor& theta, const torch::Tensor& aggregates, const torch::Tensor& n,
                              const torch::Tensor& given) override;
  bool has_density() const override { return true; }
  bool confined() const override;
  // Each draw is of a member drawn for it. Members draw by one key, so that alike members draw alike.
  torch::Tensor sample(const torch::Tensor& aggregates, const torch::Tensor& n, std::int64_t count, std::uint64_t key,
                       const torch::Tensor& given) override;
  // Of the member that finds a set the least typical.
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

// The estimator itself, or of an ensemble its first member.
const Estimator& one_of_ensemble(const std::shared_ptr<Estimator>& estimator);
// Each member's own part [B, l_k] of an ensemble's aggregates [B, l].
std::vector<torch::Tensor> member_parts(const std::vector<std::shared_ptr<Estimator>>& members,
                                        const torch::Tensor& aggregates);
// Names of member k's tensors, in its file and among the parameters, begin with "members.K.".
std::string member_prefix(std::size_t k);
// Writes an ensemble that load_estimator reads, with `metadata` beside its own.
void save_ensemble(const Ensemble& ensemble, const std::filesystem::path& file,
                   std::map<std::string, std::string> metadata = {});
// Reads what Estimator::save or save_ensemble wrote. Throws Error.
std::shared_ptr<Estimator> load_estimator(const std::filesystem::path& file, std::shared_ptr<const Task> task);

}  // namespace pairs
