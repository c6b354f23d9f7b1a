#pragma once

#include "core/nn/embedder.h"
#include "core/nn/mlp.h"

namespace pairs {

// Points, with their Fourier features where the configuration asks for them, through an Mlp: layers.size() hidden
// layers and an output layer of l, or of l less the point's own length where it is appended.
class MlpEmbedder : public Embedder {
 public:
  struct Settings {
    std::string activation = "silu";                // relu, silu
    std::vector<std::int64_t> layers = {128, 128};  // hidden widths; the output layer follows
    // Sines and cosines of each input at this many frequencies (radians per unit, spaced geometrically up to the
    // highest) stand beside the input, so that fine structure is learnt as fast as coarse (Tancik et al. 2020). 0:
    // none.
    std::int64_t frequencies = 0;
    double highest_frequency = 16;
    // The observation itself is the last part of its embedding, so that the aggregate holds the set's mean exactly,
    // however far out it lies.
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
  std::int64_t appended_ = 0;  // numbers of the observation at the embedding's end
};

}  // namespace pairs
