#include "core/nn/embedder.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/nn/cnn.h"
#include "core/nn/mlp_embedder.h"
#include "core/nn/resnet.h"
#include "core/nn/resnet18.h"
#include "core/nn/row_embedder.h"
#include "core/nn/schnet_embedder.h"
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

// Names of the kinds that read a setting.
std::vector<std::string> readers(const std::string& key) {
  EmbedderConfig any;
  std::vector<std::string> names;
  for (const EmbedderKind& kind : embedder_kinds()) {
    const std::vector<Field> own = kind.fields(any);
    if (std::any_of(own.begin(), own.end(), [&](const Field& field) { return field.key == key; }))
      names.emplace_back(kind.name);
  }
  return names;
}

}  // namespace

const std::vector<EmbedderKind>& embedder_kinds() {
  static const std::vector<EmbedderKind> all = {
      {"mlp", MlpEmbedder::fields, MlpEmbedder::make},
      {"cnn", Cnn::fields, Cnn::make},
      {"resnet", ResNet::fields, ResNet::make},
      {"resnet18", ResNet18::fields, ResNet18::make},
      {"view", ViewEmbedder::fields, ViewEmbedder::make},
      {"rows", RowEmbedder::fields, RowEmbedder::make},
      {"schnet", SchNetEmbedder::fields, SchNetEmbedder::make},
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

std::string unread_because(const EmbedderConfig& config, const std::string& key) {
  if (key == "embedder.kind" || key == "embedder.size") return "";
  const std::vector<std::string> names = readers(key);
  if (std::find(names.begin(), names.end(), config.kind) == names.end())
    return fmt::format("embedder.kind is \"{}\"", config.kind);
  return key == "embedder.highest_frequency" && config.frequencies == 0 ? "embedder.frequencies is 0" : "";
}

void validate(const EmbedderConfig& config) {
  if (config.append_input && !unread_because(config, "embedder.append_input").empty())
    fail_usage("{} = true is for {} = \"{}\", not \"{}\"; set it to false", "embedder.append_input"_key,
               "embedder.kind"_key, fmt::join(readers("embedder.append_input"), "\" or \""), config.kind);
}

std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator) {
  PAIRS_CHECK(config.size >= 1, "an embedding needs at least one number, not {}: set {}", config.size,
              "embedder.size"_key);
  for (const std::int64_t n : x.sizes)
    PAIRS_CHECK(n >= 1, "an observation of shape [{}] is empty", fmt::join(x.sizes, ", "));
  PAIRS_CHECK(config.precision == "float32" || unread_because(config, "embedder.precision").empty(),
              "{} = \"{}\" is for embedders of kind {}, not {}: leave it out", "embedder.precision"_key,
              config.precision, fmt::join(readers("embedder.precision"), " and "), config.kind);
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
