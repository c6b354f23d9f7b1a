#include "core/ops/mlp_engine.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <memory>

namespace pairs::ops {
namespace {

constexpr std::int64_t kBlockRows = 96;  // rows that go through all layers together: they stay in the caches
constexpr std::int64_t kOutputs = 48;    // rows of a weight's gradient that one thread computes at once
constexpr double kSerialWork = 2.5e5;    // multiply-adds below which threads cost more than they save

// Length of a row in the tape: whole cache lines.
std::int64_t stride(std::int64_t width) {
  return (width + 15) / 16 * 16;
}

// Runs f(i) for i < count, on several threads unless `serial`.
template <class F>
void for_each(std::int64_t count, bool serial, const F& f) {
  if (serial || count <= 1) {
    for (std::int64_t i = 0; i < count; ++i) f(i);
    return;
  }
  at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) f(i);
  });
}

}  // namespace

MlpEngine::MlpEngine(const GemmTiles& tiles, std::vector<std::int64_t> widths, Activation act, std::int64_t blocks)
    : tiles_(&tiles), widths_(std::move(widths)), act_(act), blocks_(blocks) {
  for (std::int64_t l = 0; l < layers(); ++l) {
    forward_offset_.push_back(forward_size_);
    forward_size_ += tiles.packed_size(in(l), out(l));
    backward_offset_.push_back(backward_size_);
    if (l > 0) backward_size_ += tiles.packed_size(out(l), in(l));
    work_ += static_cast<double>(in(l)) * static_cast<double>(out(l));
  }
  first_size_ = tiles.packed_size(out(0), in(0));
  // The first layer's panels come last, so that they can be omitted.
  for (std::int64_t& offset : backward_offset_) offset += forward_size_;
  backward_offset_[0] = forward_size_ + backward_size_;
}

bool MlpEngine::activated(std::int64_t layer) const {
  return layer > 0 && (blocks_ < 0 || layer + 1 < layers());
}

std::int64_t MlpEngine::packed_size(bool backward, bool need_x) const {
  return forward_size_ + (backward ? backward_size_ + (need_x ? first_size_ : 0) : 0);
}

// The tape holds the input of every layer but the first, then, for SiLU and softplus, the slopes at the activated ones.
std::int64_t MlpEngine::input_offset(std::int64_t layer, std::int64_t rows) const {
  std::int64_t offset = 0;
  for (std::int64_t l = 1; l < layer; ++l) offset += rows * stride(in(l));
  return offset;
}
std::int64_t MlpEngine::slope_offset(std::int64_t layer, std::int64_t rows) const {
  std::int64_t offset = input_offset(layers(), rows);
  if (keeps_slope(act_))
    for (std::int64_t l = 1; l < layer; ++l) offset += activated(l) ? rows * stride(in(l)) : 0;
  return offset;
}
std::int64_t MlpEngine::tape_size(std::int64_t rows) const {
  return slope_offset(layers(), rows);
}

// The gradients of the outputs of every layer but the last.
std::int64_t MlpEngine::grad_offset(std::int64_t layer, std::int64_t rows) const {
  std::int64_t offset = 0;
  for (std::int64_t l = 0; l < layer; ++l) offset += rows * stride(out(l));
  return offset;
}
std::int64_t MlpEngine::scratch_size(std::int64_t rows) const {
  return grad_offset(layers() - 1, rows);
}

std::int64_t MlpEngine::block_rows(std::int64_t rows) const {
  const std::int64_t threads = at::get_num_threads(), tile = tiles_->rows;
  const std::int64_t share = (rows + threads - 1) / threads;
  return std::clamp((share + tile - 1) / tile * tile, tile, kBlockRows);
}

void MlpEngine::activate(const float* pre, float* activated, float* slope, std::int64_t count) const {
  if (act_ == Activation::relu)
    relu_rows(pre, activated, count);
  else if (act_ == Activation::silu)
    silu_rows(pre, activated, slope, count);
  else if (act_ == Activation::softplus)
    softplus_rows(pre, activated, slope, count);
  else if (pre != activated)
    std::copy_n(pre, count, activated);
}

void MlpEngine::pack(const std::vector<const float*>& weights, bool backward, bool need_x, float* packed) const {
  const std::int64_t tasks = backward ? 2 * layers() : layers();
  for_each(tasks, work_ < 4 * 128 * 128, [&](std::int64_t task) {
    const std::int64_t l = task < layers() ? task : task - layers();
    const float* weight = weights[static_cast<std::size_t>(l)];
    if (task < layers())
      tiles_->pack_transposed(weight, in(l), out(l), packed + forward_offset_[static_cast<std::size_t>(l)]);
    else if (l > 0 || need_x)
      tiles_->pack(weight, out(l), in(l), packed + backward_offset_[static_cast<std::size_t>(l)]);
  });
}

void MlpEngine::forward_block(const float* packed, const std::vector<const float*>& biases, const float* x,
                              std::int64_t rows, float* y, const std::vector<float*>& inputs,
                              const std::vector<float*>& slopes) const {
  const std::int64_t last = layers() - 1;
  const auto layer = [&](std::int64_t l, const float* from, float* to, std::int64_t ld, bool add) {
    const auto i = static_cast<std::size_t>(l);
    tiles_->multiply(from, l == 0 ? in(0) : stride(in(l)), rows, in(l), packed + forward_offset_[i], out(l), biases[i],
                     to, ld, add);
  };
  const auto input = [&](std::int64_t l) { return inputs[static_cast<std::size_t>(l)]; };
  const auto slope = [&](std::int64_t l) { return slopes[static_cast<std::size_t>(l)]; };
  if (blocks_ < 0) {
    for (std::int64_t l = 0; l < last; ++l) {
      float* next = input(l + 1);
      layer(l, l == 0 ? x : input(l), next, stride(out(l)), false);
      activate(next, next, slope(l + 1), rows * stride(out(l)));
    }
  } else {
    float* h = input(last);
    const std::int64_t ld = stride(in(last)), count = rows * ld;
    layer(0, x, h, ld, false);
    for (std::int64_t l = 1; l < last; l += 2) {
      activate(h, input(l), slope(l), count);
      layer(l, input(l), input(l + 1), ld, false);
      activate(input(l + 1), input(l + 1), slope(l + 1), count);
      layer(l + 1, input(l + 1), h, ld, true);
    }
  }
  layer(last, last == 0 ? x : input(last), y, out(last), false);
}

void MlpEngine::forward(const float* packed, const std::vector<const float*>& biases, const float* x, std::int64_t rows,
                        float* y, float* tape) const {
  const std::int64_t step = block_rows(rows), blocks = (rows + step - 1) / step, last = layers() - 1;
  const bool serial = static_cast<double>(rows) * work_ < kSerialWork;
  std::int64_t widest = 0;
  for (std::int64_t l = 1; l <= last; ++l) widest = std::max(widest, stride(in(l)));
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    std::vector<float*> inputs(static_cast<std::size_t>(layers())), slopes(static_cast<std::size_t>(layers()));
    std::unique_ptr<float[]> memory;
    if (tape == nullptr) memory.reset(new float[static_cast<std::size_t>(3 * step * widest)]);
    for (std::int64_t b = begin; b < end; ++b) {
      const std::int64_t first = b * step, count = std::min(step, rows - first);
      for (std::int64_t l = 1; l <= last; ++l) {
        const auto i = static_cast<std::size_t>(l);
        if (tape == nullptr) {
          // Consecutive layers use different buffers, and a residual network's stream, the last input, has one of its
          // own.
          inputs[i] = memory.get() + (l == last ? 2 : l % 2) * step * widest;
        } else {
          inputs[i] = tape + input_offset(l, rows) + first * stride(in(l));
          if (keeps_slope(act_) && activated(l)) slopes[i] = tape + slope_offset(l, rows) + first * stride(in(l));
        }
      }
      forward_block(packed, biases, x + first * in(0), count, y + first * out(last), inputs, slopes);
    }
  };
  if (serial)
    run(0, blocks);
  else
    at::parallel_for(0, blocks, 1, run);
}

void MlpEngine::backward_block(const float* packed, std::int64_t total, std::int64_t first, std::int64_t rows,
                               const float* tape, const float* grad_y, float* scratch, float* grad_x) const {
  const std::int64_t last = layers() - 1;
  const auto grad = [&](std::int64_t l) { return scratch + grad_offset(l, total) + first * stride(out(l)); };
  // to = (gradient of the outputs of layer l) times its weights.
  const auto layer = [&](std::int64_t l, float* to, std::int64_t ld) {
    const float* from = l == last ? grad_y + first * out(l) : grad(l);
    tiles_->multiply(from, l == last ? out(l) : stride(out(l)), rows, out(l),
                     packed + backward_offset_[static_cast<std::size_t>(l)], in(l), nullptr, to, ld, false);
  };
  // to = base + from * act'(pre-activation of the input of layer l).
  const auto activation = [&](std::int64_t l, const float* from, const float* base, float* to) {
    const std::int64_t ld = stride(in(l)), count = rows * ld;
    if (act_ == Activation::relu)
      relu_grad_rows(from, tape + input_offset(l, total) + first * ld, base, to, count);
    else if (keeps_slope(act_))
      scale_grad_rows(from, tape + slope_offset(l, total) + first * ld, base, to, count);
    else if (base != nullptr)
      for (std::int64_t i = 0; i < count; ++i) to[i] = base[i] + from[i];
  };
  if (blocks_ < 0) {
    for (std::int64_t l = last; l > 0; --l) {
      layer(l, grad(l - 1), stride(in(l)));
      activation(l, grad(l - 1), nullptr, grad(l - 1));
    }
  } else {
    // The gradient of the stream after a block is also that of the block's last layer; each is kept for its weights.
    layer(last, grad(last - 1), stride(in(last)));
    for (std::int64_t l = last - 2; l > 0; l -= 2) {
      layer(l + 1, grad(l), stride(in(l + 1)));
      activation(l + 1, grad(l), nullptr, grad(l));
      layer(l, grad(l - 1), stride(in(l)));
      activation(l, grad(l - 1), grad(l + 1), grad(l - 1));
    }
  }
  if (grad_x != nullptr) layer(0, grad_x + first * in(0), in(0));
}

void MlpEngine::backward(const float* packed, const float* x, std::int64_t rows, const float* tape, const float* grad_y,
                         float* scratch, float* grad_x, const std::vector<float*>& grad_weights,
                         const std::vector<float*>& grad_biases) const {
  const std::int64_t step = block_rows(rows), last = layers() - 1;
  const bool serial = static_cast<double>(rows) * work_ < kSerialWork;
  for_each((rows + step - 1) / step, serial, [&](std::int64_t b) {
    const std::int64_t first = b * step;
    backward_block(packed, rows, first, std::min(step, rows - first), tape, grad_y, scratch, grad_x);
  });
  if (grad_weights.empty()) return;

  struct Piece {
    std::int64_t layer, first, count;
  };
  std::vector<Piece> pieces;
  for (std::int64_t l = 0; l <= last; ++l)
    for (std::int64_t o = 0; o < out(l); o += kOutputs) pieces.push_back({l, o, std::min(kOutputs, out(l) - o)});
  const auto form = [&](const Piece& piece) {
    const std::int64_t l = piece.layer;
    const float* g = (l == last ? grad_y : scratch + grad_offset(l, rows)) + piece.first;
    const std::int64_t ldg = l == last ? out(l) : stride(out(l));
    const auto i = static_cast<std::size_t>(l);
    tiles_->outer(g, ldg, l == 0 ? x : tape + input_offset(l, rows), l == 0 ? in(0) : stride(in(l)), rows, piece.count,
                  in(l), grad_weights[i] + piece.first * in(l));
    column_sums(g, ldg, rows, piece.count, grad_biases[i] + piece.first);
  };
  std::atomic<std::size_t> next{0};
  for_each(serial ? 1 : at::get_num_threads(), serial, [&](std::int64_t) {
    for (std::size_t p = next++; p < pieces.size(); p = next++) form(pieces[p]);
  });
}

}  // namespace pairs::ops
