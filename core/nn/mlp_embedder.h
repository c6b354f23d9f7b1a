#pragma once

#include "core/nn/embedder.h"
#include "core/nn/mlp.h"

namespace pairs {

// Points, with their Fourier features where the configuration asks for them, through an Mlp: layers.size() hidden
// layers and an output layer of l, or of l less the point's own length where it is appended.
class MlpEmbedder : public Embedder {
 public:
  MlpEmbedder(const EmbedderConfig& config, std::int64_t inputs, at::Generator generator);
  static std::vector<Field> fields(EmbedderConfig& config);
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
