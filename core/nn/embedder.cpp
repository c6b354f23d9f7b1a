#include "core/nn/embedder.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/nn/cnn.h"
#include "core/nn/mlp_embedder.h"
#include "core/nn/resnet.h"
#include "core/nn/row_embedder.h"
#include "core/nn/view_embedder.h"

namespace pairs {
namespace {

const EmbedderKind& embedder_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const EmbedderKind& kind : embedder_kinds()) {
    if (name == kind.name) return kind;
    names.emplace_back(kind.name);
  }
  fail_usage("there is no embedder of kind '{}': use {}", name, fmt::join(names, ", "));
}

// As field_text, or empty where no kind has such a setting.
std::string value_of(const std::vector<Field>& all, const std::string& key) {
  for (const Field& field : all)
    if (field.key == key) return field_text(field);
  return {};
}

}  // namespace

const std::vector<EmbedderKind>& embedder_kinds() {
  static const std::vector<EmbedderKind> all = {
      {"mlp", MlpEmbedder::fields, MlpEmbedder::make},  {"cnn", Cnn::fields, Cnn::make},
      {"resnet", ResNet::fields, ResNet::make},         {"view", ViewEmbedder::fields, ViewEmbedder::make},
      {"rows", RowEmbedder::fields, RowEmbedder::make},
  };
  return all;
}

std::vector<Field> fields(EmbedderConfig& config) {
  Field kind{"embedder.kind", &config.kind, "Network that embeds one observation"};
  for (const EmbedderKind& one : embedder_kinds()) kind.choices.emplace_back(one.name);
  std::vector<Field> all = {std::move(kind),
                            {"embedder.size", &config.size, "l, the length of an embedding", 1, 65536}};
  for (const EmbedderKind& one : embedder_kinds())
    for (Field& field : one.fields(config))
      if (std::none_of(all.begin(), all.end(), [&](const Field& known) { return known.key == field.key; }))
        all.push_back(std::move(field));
  return all;
}

void validate(const EmbedderConfig& config) {
  EmbedderConfig copy = config;
  const EmbedderKind& kind = embedder_kind(config.kind);
  if (config.append_input && value_of(kind.fields(copy), "embedder.append_input").empty())
    fail_usage("embedder.append_input = true is for embedder.kind = \"mlp\", not \"{}\"; set it to false", config.kind);
}

std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator) {
  PAIRS_CHECK(config.size >= 1, "an embedding needs at least one number, not {}: set embedder.size", config.size);
  for (const std::int64_t n : x.sizes)
    PAIRS_CHECK(n >= 1, "an observation of shape [{}] is empty", fmt::join(x.sizes, ", "));
  return embedder_kind(config.kind).make(config, x, std::move(generator));
}

std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, std::span<const std::int64_t> observation_shape,
                                        at::Generator generator) {
  return make_embedder(config, ObservationShape{{observation_shape.begin(), observation_shape.end()}},
                       std::move(generator));
}

void check_image(const EmbedderConfig& config, const ObservationShape& x) {
  PAIRS_CHECK(x.sizes.size() == 3 && x.rows == 0,
              "an embedder of kind {} takes images [channels, height, width], not {} [{}]: use {}", config.kind,
              x.rows > 0 ? "rows" : "observations", fmt::join(x.sizes, ", "), x.rows > 0 ? "rows" : "mlp");
}

}  // namespace pairs
