#pragma once

#include "core/nn/embedder.h"
#include "core/ops/continuous_filter.h"

namespace pairs {

// One round of messages of SchNet: h + Linear(ssp(Linear(filtered Linear(h)))), with the filter a network of the
// distance (Gaussians -> width -> width, ssp between, times the cosine cutoff), which is evaluated on a table of
// distances once for all pairs of atoms.
class SchNetInteraction : public torch::nn::Module {
 public:
  SchNetInteraction(std::int64_t hidden, std::int64_t filters, std::int64_t gaussians, at::Generator& generator);
  // h [R, hidden]; basis [points, gaussians] and decay [points, 1], Gaussians and cutoff at the table's distances.
  torch::Tensor forward(const torch::Tensor& h, const torch::Tensor& basis, const torch::Tensor& decay,
                        const ops::FilterPlan& plan) const;
  // Multiply-adds times two of one atom, and of the filter of one pair.
  double atom_flops() const;
  double pair_flops() const;

 private:
  std::vector<torch::Tensor> filter_weights_, filter_biases_, update_weights_, update_biases_;
  torch::Tensor in_;
};

// SchNet of a molecule (Schuett et al. 2017, arXiv:1706.08566): ragged rows [Z, x, y, z], one an atom, places in
// Angstrom; the mean or the sum of its atoms' features through a linear layer. Invariant to rotation, translation and
// the order of atoms but for ties: of equally distant neighbours the first are kept. Atoms may share a place. An atomic
// number other than 1 .. 99, a place that is not finite, or a molecule without atoms throws Error; in training, whose
// rows are a task's own, only the last is looked for, as reading values would wait for the device. Rows take no
// gradient.
class SchNetEmbedder : public Embedder {
 public:
  struct Settings {
    std::int64_t hidden = 128, filters = 128;  // numbers of an atom and of a filter
    std::int64_t interactions = 5;             // rounds of messages
    std::int64_t gaussians = 50;               // spread over 0 .. cutoff
    double cutoff = 10;                        // distance from which atoms no longer see each other, Angstrom
    std::int64_t neighbours = 32;              // of an atom that are kept, the nearest
    // Over the atoms, "mean" (the paper's), which does not tell how many there are, or "sum", which suits what adds up
    // over atoms (Schuett et al. 2017).
    std::string readout = "mean";

    std::vector<Field> fields();
  };

  // Molecules of `atoms` atoms, typically.
  SchNetEmbedder(const Settings& own, std::int64_t embedding, double atoms, at::Generator generator);
  static std::shared_ptr<Embedder> make(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator);
  torch::Tensor forward(const Observations& x) override;
  std::int64_t size() const override { return out_weight_.size(0); }
  // Of the network as it is defined, which sends every pair of neighbours through the filters' layers.
  double flops() const override;
  double activations() const override;
  NetworkDescription describe() const override;

  // Points of the filters' tables a distance between two Gaussians. At 24 the interpolated filter is off by less than 1
  // part in 10^6 of its largest value, with weights up to sixteen times those of a fresh network.
  static constexpr std::int64_t kPointsPerGaussian = 24;

 private:
  double atoms_, cutoff_;
  std::int64_t gaussians_, neighbours_;
  bool sums_;
  torch::Tensor elements_, out_weight_, out_bias_;
  std::vector<std::shared_ptr<SchNetInteraction>> interactions_;
};

}  // namespace pairs
