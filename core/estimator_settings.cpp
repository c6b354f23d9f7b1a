#include "core/estimator.h"

namespace pairs {

bool models_images(const HeadConfig& config) {
  return config.kind == "flow-matching";
}

std::vector<Field> fields(EstimatorConfig& c) {
  EmbedderConfig& e = c.embedder;
  HeadConfig& h = c.head;
  return {
      {"encoding", &c.encoding, "How the head is told the set size", -1e300, 1e300, {"none", "linear", "log"}},
      {"embedder.kind",
       &e.kind,
       "Network that embeds one observation",
       -1e300,
       1e300,
       {"mlp", "cnn", "resnet", "view"}},
      {"embedder.size", &e.size, "l, the length of an embedding", 1, 65536},
      {"embedder.activation", &e.activation, "Activation of the MLP", -1e300, 1e300, {"relu", "silu"}},
      {"embedder.layers", &e.layers, "Hidden widths of the MLP", 1, 65536},
      {"embedder.frequencies", &e.frequencies, "Fourier features of each input of the MLP, 0 = none", 0, 1024},
      {"embedder.highest_frequency", &e.highest_frequency, "Highest of them, radians per unit of the input", 1e-6, 1e9},
      {"embedder.append_input", &e.append_input, "The observation itself ends its embedding (mlp)"},
      {"embedder.channels", &e.channels,
       "Channels: CNN blocks, or stem and stages of the ResNet and of the view embedder", 1, 65536},
      {"embedder.kernels", &e.kernels, "Kernel sizes of the CNN blocks", 1, 31},
      {"embedder.projection", &e.projection, "Hidden widths of the ResNet's projection", 1, 65536},
      {"embedder.dropout", &e.dropout, "Dropout in the ResNet's projection, training only", 0, 0.95},
      {"embedder.input_location", &e.input_location, "view: colours enter less this", -1e6, 1e6},
      {"embedder.input_scale", &e.input_scale, "view: and over this", 1e-6, 1e6},
      {"embedder.stride", &e.stride, "view: stride of the stem", 1, 4},
      {"embedder.precision",
       &e.precision,
       "Activations and convolutions of the CNN and of the view embedder",
       -1e300,
       1e300,
       {"float32", "bf16"}},
      {"head.kind", &h.kind, "Density head", -1e300, 1e300, {"spline", "umnn", "gaussian", "flow-matching"}},
      {"head.transforms", &h.transforms, "Stacked transformations", 1, 64},
      {"head.bins", &h.bins, "Spline bins K", 2, 512},
      {"head.hidden", &h.hidden, "Width of the context MLP and transform nets", 1, 65536},
      {"head.context_layers", &h.context_layers, "Layers of the context MLP", 0, 64},
      {"head.blocks", &h.blocks, "Residual blocks of a transform net, or of each resolution of the U-Net", 0, 64},
      {"head.support",
       &h.support,
       "box: bounded target, uniform base; real: tails, normal base",
       -1e300,
       1e300,
       {"box", "real"}},
      {"head.bound", &h.bound, "Splines act on [-bound, bound]", 0.1, 1000},
      {"head.conditioner", &h.conditioner, "Hidden widths of the UMNN conditioner", 1, 65536},
      {"head.conditioner_size", &h.conditioner_size, "q, conditioner output size", 1, 4096},
      {"head.integrand", &h.integrand, "Hidden widths of the UMNN integrand", 1, 65536},
      {"head.quadrature", &h.quadrature, "Clenshaw-Curtis steps in training (even)", 2, 1000},
      {"head.quadrature_test", &h.quadrature_test, "Clenshaw-Curtis steps in evaluation (even)", 2, 1000},
      {"head.affine", &h.affine, "Conditional location and scale before the flow"},
      {"head.channels", &h.channels, "Channels of the U-Net at the highest resolution", 4, 4096},
      {"head.multipliers", &h.multipliers, "Channels of each resolution in units of head.channels", 1, 64},
      {"head.attention", &h.attention, "Heights of the U-Net's maps that attend to themselves", 1, 4096},
      {"head.attention_channels", &h.attention_channels, "Channels of one attention head", 1, 4096},
      {"head.time_size", &h.time_size, "Length of the sinusoidal embedding of time (even)", 2, 4096},
      {"head.given_size", &h.given_size, "Length of the encoding of what is given", 1, 4096},
      {"head.patch", &h.patch, "The image enters the U-Net as patch x patch pixels a place", 1, 16},
      {"head.context_map", &h.context_map, "Add the context as a learnt map at the lowest resolution"},
      {"head.steps", &h.steps, "Steps of a sample's integration", 1, 10000},
      {"head.solver", &h.solver, "Integrator of samples", -1e300, 1e300, {"euler", "heun"}},
      {"head.time_power", &h.time_power, "Flow times are t = u^p, in training and in the steps of sampling", 1, 16},
      {"head.summary", &h.summary, "Weight of telling the image's lowest frequencies from the context, training only",
       0, 1e6},
      {"head.summary_frequencies", &h.summary_frequencies, "How many of them along each side", 1, 64},
      {"head.precondition", &h.precondition, "The U-Net adds to the velocity of a Gaussian target"},
      {"head.precision", &h.precision, "Activations and convolutions of the U-Net", -1e300, 1e300, {"float32", "bf16"}},
      {"head.legacy_mask", &h.legacy_mask, "Replicate the reference's context mask (method B1)"},
  };
}

}  // namespace pairs
