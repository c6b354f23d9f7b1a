#pragma once

#include <cstdint>
#include <vector>

#include "core/ops/activation_rows.h"
#include "core/ops/gemm_tiles.h"

namespace pairs::ops {

// Forward and backward passes of a whole multilayer perceptron in float32 (core/ops/ops.h, mlp). The forward pass takes
// blocks of rows through all layers; the backward pass first does the same for the gradients of the rows, then computes
// the gradients of the weights, each by one thread in the order of the rows. No result depends on the number of
// threads.
class MlpEngine {
 public:
  // widths: inputs, then the outputs of each layer. blocks < 0: not residual.
  MlpEngine(const GemmTiles& tiles, std::vector<std::int64_t> widths, Activation act, std::int64_t blocks);

  std::int64_t layers() const { return static_cast<std::int64_t>(widths_.size()) - 1; }
  // The number of floats in the packed weights, in the tape that the forward pass keeps for `rows` rows and in the
  // backward pass's scratch memory.
  std::int64_t packed_size(bool backward, bool need_x) const;
  std::int64_t tape_size(std::int64_t rows) const;
  std::int64_t scratch_size(std::int64_t rows) const;

  // Packs weights [out, in] of every layer, for the forward and, if `backward`, the backward pass; need_x: including
  // the gradient of the input.
  void pack(const std::vector<const float*>& weights, bool backward, bool need_x, float* packed) const;
  // y [rows, out]; a null tape keeps nothing.
  void forward(const float* packed, const std::vector<const float*>& biases, const float* x, std::int64_t rows,
               float* y, float* tape) const;
  // Writes the gradients with respect to x to grad_x (unless it is null), and those with respect to every weight and
  // bias to grad_weights and grad_biases (unless these lists are empty).
  void backward(const float* packed, const float* x, std::int64_t rows, const float* tape, const float* grad_y,
                float* scratch, float* grad_x, const std::vector<float*>& grad_weights,
                const std::vector<float*>& grad_biases) const;

 private:
  std::int64_t in(std::int64_t layer) const { return widths_[static_cast<std::size_t>(layer)]; }
  std::int64_t out(std::int64_t layer) const { return widths_[static_cast<std::size_t>(layer) + 1]; }
  bool activated(std::int64_t layer) const;
  std::int64_t input_offset(std::int64_t layer, std::int64_t rows) const;
  std::int64_t slope_offset(std::int64_t layer, std::int64_t rows) const;
  std::int64_t grad_offset(std::int64_t layer, std::int64_t rows) const;
  std::int64_t block_rows(std::int64_t rows) const;
  void activate(const float* pre, float* activated, float* slope, std::int64_t count) const;
  void forward_block(const float* packed, const std::vector<const float*>& biases, const float* x, std::int64_t rows,
                     float* y, const std::vector<float*>& inputs, const std::vector<float*>& slopes) const;
  void backward_block(const float* packed, std::int64_t total, std::int64_t first, std::int64_t rows, const float* tape,
                      const float* grad_y, float* scratch, float* grad_x) const;

  const GemmTiles* tiles_;
  std::vector<std::int64_t> widths_;
  Activation act_;
  std::int64_t blocks_;
  std::vector<std::int64_t> forward_offset_, backward_offset_;  // offsets of each layer's panels
  std::int64_t forward_size_ = 0, backward_size_ = 0, first_size_ = 0;
  double work_ = 0;  // multiply-adds per row
};

}  // namespace pairs::ops
