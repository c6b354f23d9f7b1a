#include "core/nn/row_embedder.h"

#include <ATen/Functions.h>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/ops/ops.h"

namespace pairs {
namespace {

torch::Tensor activated(const torch::Tensor& x, const std::string& activation) {
  return activation == "silu" ? at::silu(x) : at::relu(x);
}

// Mean of each observation's rows h [R, w] -> [M, w]; zero if it has none.
torch::Tensor mean_of_rows(const torch::Tensor& h, const torch::Tensor& offsets) {
  const torch::Tensor counts = offsets.diff();
  const torch::Tensor filled = counts.nonzero().squeeze(1);
  if (filled.size(0) == counts.size(0)) return ops::segment_mean(h, send(offsets, h.device()));
  const torch::Tensor zero = at::zeros({counts.size(0), h.size(1)}, h.options());
  if (filled.size(0) == 0) return zero;
  const torch::Tensor ends = at::cat({offsets.slice(0, 0, 1), offsets.slice(0, 1).index_select(0, filled)});
  return zero.index_add(0, send(filled, h.device()), ops::segment_mean(h, send(ends, h.device())));
}

}  // namespace

RowEmbedder::RowEmbedder(const Settings& own, std::int64_t embedding, std::int64_t columns, double rows,
                         at::Generator generator)
    : rows_(rows), activation_(own.activation) {
  PAIRS_CHECK(!own.layers.empty(), "an embedder of rows needs the width of at least one layer: set {}",
              "embedder.layers"_key);
  const std::vector<std::int64_t> hidden(own.layers.begin(), own.layers.end() - 1);
  row_ = register_module("row", std::make_shared<Mlp>(columns, hidden, own.layers.back(), own.activation, generator));
  projection_ = register_module("projection", std::make_shared<Mlp>(row_->outputs() + 1, own.projection, embedding,
                                                                    own.activation, std::move(generator)));
}

std::vector<Field> RowEmbedder::Settings::fields() {
  return {
      Field::choice("activation", &activation, "Activation of the MLPs", {"relu", "silu"}),
      {"layers", &layers, "Widths of the layers that see one row", 1, 65536},
      {"projection", &projection, "Hidden widths of the projection", 1, 65536},
  };
}

std::shared_ptr<Embedder> RowEmbedder::make(const EmbedderConfig& config, const ObservationShape& x,
                                            at::Generator generator) {
  PAIRS_CHECK(x.rows > 0 && x.sizes.size() == 1,
              "an embedder of kind rows takes ragged rows, not observations [{}] of one shape: use another kind",
              fmt::join(x.sizes, ", "));
  return std::make_shared<RowEmbedder>(config.of<Settings>(), config.size, x.sizes[0], x.rows, std::move(generator));
}

torch::Tensor RowEmbedder::forward(const Observations& x) {
  const torch::Tensor &rows = x.rows(), &offsets = x.offsets();
  const torch::Tensor mean = mean_of_rows(activated(row_->forward(rows), activation_), offsets);
  const torch::Tensor number = send(offsets.diff().to(rows.scalar_type()).log1p().unsqueeze(1), rows.device());
  return projection_->forward(at::cat({mean, number}, 1));
}

NetworkDescription RowEmbedder::describe() const {
  return described(
      *this,
      {activation_ == "silu" ? "MLP of each row with SiLU" : "MLP of each row with ReLU", widths_text(row_->widths()),
       "mean over the rows, and their number", "projection " + widths_text(projection_->widths())},
      {{"kind", "rows"}, {"activation", activation_}}, flops(), "a perceptron of each row, averaged over the rows");
}

}  // namespace pairs
