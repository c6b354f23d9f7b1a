#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// Which network embeds one observation.
struct EmbedderConfig {
  std::string kind = "mlp";                       // mlp, cnn, resnet, resnet18, view, rows, schnet
  std::int64_t size = 128;                        // l, the length of an embedding
  std::string activation = "silu";                // mlp, rows: relu, silu
  std::vector<std::int64_t> layers = {128, 128};  // mlp: hidden widths; the output layer of `size` follows
                                                  // rows: widths of the layers that see one row
  // mlp: sines and cosines of each input at this many frequencies (radians per unit, spaced geometrically up to the
  // highest) stand beside the input, so that fine structure is learnt as fast as coarse (Tancik et al. 2020). 0: none.
  std::int64_t frequencies = 0;
  double highest_frequency = 16;
  // mlp: the observation itself is the last part of its embedding, so that the aggregate holds the set's mean exactly,
  // however far out it lies.
  bool append_input = false;
  // cnn: output channels of each conv + ReLU + 2x2 max-pool block, and their kernel sizes.
  // resnet: channels of the stem and of each stage (strides 1, 2, 2, ...), one BasicBlock a stage.
  // view: channels of the 7x7 stem and of each residual block (strides 2, 2, ... until the map is 4x4, then 1).
  std::vector<std::int64_t> channels = {64, 64, 128, 256};
  std::vector<std::int64_t> kernels = {5, 5, 3, 3};
  std::vector<std::int64_t> projection = {256};  // resnet, rows: hidden widths of the projection MLP
  double dropout = 0.1;                          // resnet: in the projection MLP, training only
  // view: colours (the first three channels) enter as (x - input_location) / input_scale.
  double input_location = 0, input_scale = 1;
  std::int64_t stride = 1;  // view: of the stem
  // cnn: "uniform" is PyTorch's default, which shrinks what passes a layer; "he" keeps its second moment through the
  // rectified layers, biases at zero (He et al. 2015).
  std::string initial = "uniform";
  // schnet: numbers of an atom and of a filter, rounds of messages, Gaussians spread over 0 .. cutoff Angstrom, the
  // distance from which atoms no longer see each other, and how many neighbours of an atom are kept, the nearest.
  std::int64_t hidden = 128, filters = 128, interactions = 5, gaussians = 50;
  double cutoff = 10;
  std::int64_t neighbours = 32;
  // schnet: over the atoms, "mean" (the paper's), which does not tell how many there are, or "sum", which suits what adds
  // up over atoms (Schuett et al. 2017).
  std::string readout = "mean";
  // resnet18: channels of the stem and of each stage (strides 1, 2, 2, ...), BasicBlocks a stage, and the stem.
  std::int64_t blocks = 2, stem_kernel = 7, stem_stride = 2;
  bool stem_pool = true;              // 3 x 3 with stride 2
  std::string precision = "float32";  // cnn, view, resnet18: float32, or bf16 for activations, convolutions
};

}  // namespace pairs
