#pragma once

#include <memory>
#include <vector>

#include "core/input_scale.h"
#include "core/nn/embedder.h"

namespace pairs {

// Standardizes observations before an inner embedder: any real type is standardized in float64 and rounded to float32.
// The standardization is part of the weights, whatever a task measures later.
class StandardizedEmbedder : public Embedder {
 public:
  // Names of its own tensors [channels], float64, which are saved with those of the inner embedder: the numbers of an
  // InputScale, the last two if a column is curved.
  static constexpr const char *kLocation = "x_location", *kScale = "x_scale", *kMiddle = "x_middle",
                              *kSpread = "x_spread";

  // `periods`: of each column of points and rows, 0 where it has none; empty if no column is periodic. The inner
  // embedder sees the cosine of a periodic column in its place, and all sines after the last column (shape_seen).
  // Throws Error if a scale is not above 0, or if location and scale differ in length.
  StandardizedEmbedder(std::shared_ptr<Embedder> inner, const torch::Tensor& location, const torch::Tensor& scale,
                       std::vector<double> periods = {});
  // Curves the columns whose spread is above 0; both tensors are undefined if there are none. Throws Error if their
  // lengths are not that of the location, or if a spread is below 0.
  void curve(const torch::Tensor& middle, const torch::Tensor& spread);
  bool curved() const { return curved_; }

  torch::Tensor forward(const Observations& x) override;
  std::int64_t size() const override { return inner_->size(); }
  double flops() const override { return inner_->flops(); }
  double activations() const override { return inner_->activations(); }
  NetworkDescription describe() const override { return inner_->describe(); }

  const std::shared_ptr<Embedder>& inner() const { return inner_; }

 private:
  std::shared_ptr<Embedder> inner_;
  std::vector<double> periods_;
  torch::Tensor location_, scale_, middle_, spread_;
  bool curved_ = false;
};

// The shape of an observation for the inner embedder.
std::vector<std::int64_t> shape_seen(const TaskInfo& info);

}  // namespace pairs
