#pragma once

#include "core/nn/embedder.h"
#include "core/nn/mlp.h"

namespace pairs {

// Ragged rows: an MLP of each row, the mean over an observation's rows, which are thus in no order, and with it the
// logarithm of one more than their number through a projection. An observation without rows has the mean zero. Nothing
// is padded: work and memory go with the rows.
class RowEmbedder : public Embedder {
 public:
  // Rows of `columns` numbers, of which a typical observation has `rows`.
  RowEmbedder(const EmbedderConfig& config, std::int64_t columns, double rows, at::Generator generator);
  static std::vector<Field> fields(EmbedderConfig& config);
  static std::shared_ptr<Embedder> make(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator);
  torch::Tensor forward(const Observations& x) override;
  std::int64_t size() const override { return projection_->outputs(); }
  double flops() const override { return rows_ * row_->flops() + projection_->flops(); }
  double activations() const override { return rows_ * row_->activations() + projection_->activations(); }
  NetworkDescription describe() const override;

 private:
  double rows_;
  std::string activation_;
  std::shared_ptr<Mlp> row_, projection_;
};

}  // namespace pairs
