#pragma once

#include "core/nn/embedder.h"
#include "core/nn/mlp.h"

namespace pairs {

// Embeds ragged rows: an MLP for each row, the mean over an observation's rows, which makes the result independent of
// their order, and a projection of this mean and log(1 + number of rows). An observation without rows has the mean
// zero. Nothing is padded: time and memory are proportional to the rows.
class RowEmbedder : public Embedder {
 public:
  struct Settings {
    std::string activation = "silu";                // relu, silu
    std::vector<std::int64_t> layers = {128, 128};  // widths of the layers applied to each row
    std::vector<std::int64_t> projection = {256};   // hidden widths of the projection

    std::vector<Field> fields();
  };

  // Rows of `columns` numbers; a typical observation has `rows` of them.
  RowEmbedder(const Settings& own, std::int64_t embedding, std::int64_t columns, double rows, at::Generator generator);
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
