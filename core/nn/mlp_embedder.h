#pragma once

#include "core/nn/embedder.h"
#include "core/nn/mlp.h"

namespace pairs {

// Embeds points, optionally with their Fourier features, by an Mlp: layers.size() hidden layers and an output layer of
// length l, or l minus the point's own length if the point is appended.
class MlpEmbedder : public Embedder {
 public:
  struct Settings {
    std::string activation = "silu";                // relu, silu
    std::vector<std::int64_t> layers = {128, 128};  // hidden widths; the output layer follows
    // The input is extended by its sines and cosines at this many frequencies (radians per unit, spaced geometrically
    // up to the highest), so that fine structure is learned as fast as coarse structure (Tancik et al. 2020). 0: none.
    std::int64_t frequencies = 0;
    double highest_frequency = 16;
    // Appends the observation itself to its embedding, so that the aggregate holds the set's mean exactly, however far
    // out it lies.
    bool append_input = false;

    std::vector<Field> fields();
    std::string unread_because(const std::string& key) const;
  };

  MlpEmbedder(const Settings& own, std::int64_t embedding, std::int64_t inputs, at::Generator generator);
  static std::shared_ptr<Embedder> make(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator);
  torch::Tensor forward(const Observations& x) override;
  std::int64_t size() const override { return net_->outputs() + appended_; }
  double flops() const override { return net_->flops(); }
  double activations() const override;
  NetworkDescription describe() const override;

 private:
  std::string activation_;
  torch::Tensor frequencies_;  // [K], undefined without Fourier features
  std::shared_ptr<Mlp> net_;
  std::int64_t appended_ = 0;  // numbers of the observation at the end of the embedding
};

}  // namespace pairs
