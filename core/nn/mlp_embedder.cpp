#include "core/nn/mlp_embedder.h"

#include <ATen/Functions.h>

#include <cmath>

#include "core/base/text/error.h"

namespace pairs {
namespace {

// The lowest frequency is at most this factor below the highest.
constexpr double kSpan = 64;

}  // namespace

MlpEmbedder::MlpEmbedder(const Settings& own, std::int64_t embedding, std::int64_t inputs, at::Generator generator)
    : activation_(own.activation) {
  if (own.frequencies > 0) {
    const double step = own.frequencies > 1 ? std::log(kSpan) / static_cast<double>(own.frequencies - 1) : 0;
    frequencies_ = register_buffer(
        "frequencies",
        (own.highest_frequency * at::exp(at::arange(own.frequencies, torch::kFloat64) * -step)).to(torch::kFloat));
  }
  if (own.append_input) appended_ = inputs;
  PAIRS_CHECK(embedding > appended_,
              "an embedding of {} numbers has no room next to the observation's {}: raise {} or set {} to false",
              embedding, appended_, "embedder.size"_key, "embedder.append_input"_key);
  net_ = register_module("net", std::make_shared<Mlp>(inputs * (1 + 2 * own.frequencies), own.layers,
                                                      embedding - appended_, own.activation, std::move(generator)));
}

std::vector<Field> MlpEmbedder::Settings::fields() {
  return {
      Field::choice("activation", &activation, "Activation of the MLP", {"relu", "silu"}),
      {"layers", &layers, "Hidden widths of the MLP", 1, 65536},
      {"frequencies", &frequencies, "Fourier features of each input, 0 = none", 0, 1024},
      {"highest_frequency", &highest_frequency, "Highest of them, radians per unit of the input", 1e-6, 1e9},
      {"append_input", &append_input, "The observation itself ends its embedding"},
  };
}

std::string MlpEmbedder::Settings::unread_because(const std::string& key) const {
  return key == "highest_frequency" && frequencies == 0 ? "embedder.frequencies is 0" : "";
}

std::shared_ptr<Embedder> MlpEmbedder::make(const EmbedderConfig& config, const ObservationShape& x,
                                            at::Generator generator) {
  PAIRS_CHECK(x.rows == 0, "an embedder of kind mlp takes observations of one shape, not ragged rows: use rows");
  std::int64_t inputs = 1;
  for (const std::int64_t n : x.sizes) inputs *= n;
  return std::make_shared<MlpEmbedder>(config.of<Settings>(), config.size, inputs, std::move(generator));
}

torch::Tensor MlpEmbedder::forward(const Observations& x) {
  const torch::Tensor flat = x.block().flatten(1);
  torch::Tensor in = flat;
  if (frequencies_.defined()) {
    const torch::Tensor angle = (flat.unsqueeze(2) * frequencies_).flatten(1);
    in = at::cat({flat, angle.sin(), angle.cos()}, 1);
  }
  const torch::Tensor out = net_->forward(in);
  return appended_ > 0 ? at::cat({out, flat}, 1) : out;
}

NetworkDescription MlpEmbedder::describe() const {
  const std::vector<std::int64_t> widths = net_->widths();
  std::vector<std::string> lines = {activation_ == "silu" ? "MLP with SiLU" : "MLP with ReLU", widths_text(widths)};
  if (frequencies_.defined())
    lines.push_back(fmt::format("sines and cosines of x at {} frequencies", frequencies_.size(0)));
  if (appended_ > 0) lines.emplace_back("then x itself");
  return described(*this, std::move(lines), {{"kind", "mlp"}, {"activation", activation_}}, flops(),
                   "a multilayer perceptron");
}

double MlpEmbedder::activations() const {
  // The angles and their sines and cosines.
  return net_->activations() + static_cast<double>(appended_ > 0 ? size() : 0) +
         (frequencies_.defined() ? 2.0 * static_cast<double>(net_->inputs()) : 0.0);
}

}  // namespace pairs
