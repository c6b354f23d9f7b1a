#include "core/nn/embedder.h"

#include "core/base/text/error.h"
#include "core/nn/cnn.h"
#include "core/nn/mlp_embedder.h"
#include "core/nn/resnet.h"
#include "core/nn/row_embedder.h"
#include "core/nn/schnet_embedder.h"
#include "core/nn/view_embedder.h"

namespace pairs {
namespace {

const EmbedderKind& embedder_kind(const std::string& name) {
  return find_kind(embedder_kinds(), name, "embedder");
}

void check_image(const EmbedderConfig& config, const ObservationShape& x) {
  PAIRS_CHECK(x.sizes.size() == 3 && x.rows == 0,
              "an embedder of kind {} takes images [channels, height, width], not {} [{}]: use {}", config.kind,
              x.rows > 0 ? "rows" : "observations", fmt::join(x.sizes, ", "), x.rows > 0 ? "rows" : "mlp");
}

template <class Network>
std::shared_ptr<Embedder> make_of_images(const EmbedderConfig& config, const ObservationShape& x,
                                         at::Generator generator) {
  check_image(config, x);
  return std::make_shared<Network>(config.of<typename Network::Settings>(), config.size, x.sizes, std::move(generator));
}

template <class Network>
EmbedderKind kind_of(const char* name, decltype(EmbedderKind::make) make) {
  return {name, settings_of<EmbedderConfig, Network>(), make};
}

}  // namespace

const std::vector<EmbedderKind>& embedder_kinds() {
  static const std::vector<EmbedderKind> all = {
      kind_of<MlpEmbedder>("mlp", MlpEmbedder::make),    kind_of<Cnn>("cnn", make_of_images<Cnn>),
      kind_of<ResNet>("resnet", make_of_images<ResNet>), kind_of<ViewEmbedder>("view", make_of_images<ViewEmbedder>),
      kind_of<RowEmbedder>("rows", RowEmbedder::make),   kind_of<SchNetEmbedder>("schnet", SchNetEmbedder::make),
  };
  return all;
}

std::vector<Field> fields(EmbedderConfig& config) {
  std::vector<Field> all = {
      kind_field(embedder_kinds(), "embedder", &config.kind, "Network that embeds one observation"),
      Field{"embedder.size", &config.size, "l, the length of an embedding", 1, 65536}.titled("Embedding size")};
  add_kinds(all, embedder_kinds(), "embedder", config);
  return all;
}

std::string unread_because(const EmbedderConfig& config, const std::string& key) {
  if (key == "embedder.kind" || key == "embedder.size") return "";
  return unread_because(embedder_kind(config.kind), "embedder", config, key);
}

std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator) {
  PAIRS_CHECK(config.size >= 1, "an embedding needs at least one number, not {}: set {}", config.size,
              "embedder.size"_key);
  for (const std::int64_t n : x.sizes)
    PAIRS_CHECK(n >= 1, "an observation of shape [{}] is empty", fmt::join(x.sizes, ", "));
  return embedder_kind(config.kind).make(config, x, std::move(generator));
}

std::shared_ptr<Embedder> make_embedder(const EmbedderConfig& config, std::span<const std::int64_t> observation_shape,
                                        at::Generator generator) {
  return make_embedder(config, ObservationShape{{observation_shape.begin(), observation_shape.end()}},
                       std::move(generator));
}

}  // namespace pairs
