#pragma once

#include "core/nn/embedder.h"
#include "core/ops/continuous_filter.h"

namespace pairs {

// One round of SchNet's messages: h + Linear(ssp(Linear(filtered Linear(h)))). The filter is a network of the distance
// (Gaussians -> width -> width, ssp between, times the cosine cutoff), evaluated once on a table of distances for all
// pairs of atoms.
class SchNetInteraction : public torch::nn::Module {
 public:
  SchNetInteraction(std::int64_t hidden, std::int64_t filters, std::int64_t gaussians, at::Generator& generator);
  // h [R, hidden]; basis [points, gaussians] and decay [points, 1]: Gaussians and cutoff at the table's distances.
  torch::Tensor forward(const torch::Tensor& h, const torch::Tensor& basis, const torch::Tensor& decay,
                        const ops::FilterPlan& plan) const;
  // Multiply-adds times two for one atom, and for the filter of one pair.
  double atom_flops() const;
  double pair_flops() const;

 private:
  std::vector<torch::Tensor> filter_weights_, filter_biases_, update_weights_, update_biases_;
  torch::Tensor in_;
};

// SchNet for a molecule (Schuett et al. 2017, arXiv:1706.08566): ragged rows [Z, x, y, z], one per atom, with positions
// in angstroms; the mean or the sum of its atoms' features goes through a linear layer. Invariant to rotation,
// translation and the order of atoms except for ties: of equally distant neighbors the first are kept. Atoms may share
// a position. An atomic number outside 1 .. 99, a position that is not finite, or a molecule without atoms throws
// Error; in training, where rows come from the task, only the last is checked, because reading values would wait for
// the device. Rows receive no gradient.
class SchNetEmbedder : public Embedder {
 public:
  struct Settings {
    std::int64_t hidden = 128, filters = 128;  // length of an atom's and of a filter's features
    std::int64_t interactions = 5;             // rounds of messages
    std::int64_t gaussians = 50;               // spread over 0 .. cutoff
    double cutoff = 10;                        // largest distance between interacting atoms, angstroms
    std::int64_t neighbors = 32;               // nearest neighbors that are kept for each atom
    // Over the atoms: "mean" (the paper's), which ignores their number, or "sum", which suits quantities that add up
    // over atoms (Schuett et al. 2017).
    std::string readout = "mean";

    std::vector<Field> fields();
  };

  // For molecules with typically `atoms` atoms.
  SchNetEmbedder(const Settings& own, std::int64_t embedding, double atoms, at::Generator generator);
  static std::shared_ptr<Embedder> make(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator);
  torch::Tensor forward(const Observations& x) override;
  std::int64_t size() const override { return out_weight_.size(0); }
  // For the network as defined in the paper, which computes the filters for every pair of neighbors.
  double flops() const override;
  double activations() const override;
  NetworkDescription describe() const override;

  // Points of the filters' tables per distance between two Gaussians. At 24 the interpolated filter is off by less than
  // 1 part in 10^6 of its largest value, for weights up to sixteen times those of a new network.
  static constexpr std::int64_t kPointsPerGaussian = 24;

 private:
  double atoms_, cutoff_;
  std::int64_t gaussians_, neighbors_;
  bool sums_;
  torch::Tensor elements_, out_weight_, out_bias_;
  std::vector<std::shared_ptr<SchNetInteraction>> interactions_;
};

}  // namespace pairs
