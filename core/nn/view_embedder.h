#pragma once

#include <span>
#include <vector>

#include "core/nn/embedder.h"
#include "core/nn/image_layers.h"
#include "core/nn/mlp.h"
#include "core/nn/precision.h"

namespace pairs {

class ViewBlock;

// Embeds one view (paper, Novel-view synthesis): 7x7 stem, residual blocks with group normalization and SiLU that halve
// the map until it is 4x4, then one linear layer of the whole map. That map is neither normalized nor pooled: group
// normalization over few pixels erases magnitude, and the views are then ignored (docs/explanation/tasks.md, "Novel
// views").
class ViewEmbedder : public Embedder {
 public:
  struct Settings {
    // Channels of the stem and of each residual block (strides 2, 2, ... until the map is 4x4, then 1).
    std::vector<std::int64_t> channels = {64, 64, 128, 256};
    double input_location = 0, input_scale = 1;  // colors, the first three channels, are scaled as (x - location) /
                                                 // scale
    std::int64_t stride = 1;                     // of the stem
    std::string precision = "float32";

    std::vector<Field> fields();
  };

  ViewEmbedder(const Settings& own, std::int64_t embedding, std::span<const std::int64_t> image,
               at::Generator generator);
  torch::Tensor forward(const Observations& observed) override;
  std::int64_t size() const override { return output_->outputs(); }
  double flops() const override;
  double activations() const override;
  NetworkDescription describe() const override;

 private:
  torch::Tensor features(const torch::Tensor& x) const;

  ImageSize image_, last_;  // of a view, and of the last map
  Precision precision_;
  double input_location_, input_scale_;
  std::shared_ptr<Convolution> stem_;
  std::vector<std::shared_ptr<ViewBlock>> blocks_;
  std::shared_ptr<Mlp> output_;
};

}  // namespace pairs
