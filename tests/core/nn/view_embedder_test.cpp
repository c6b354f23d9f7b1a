#include "core/nn/view_embedder.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/base/text/error.h"
#include "core/nn/precision.h"

namespace pairs {
namespace {

using torch::Tensor;

EmbedderConfig view_config() {
  EmbedderConfig config;
  config.kind = "view";
  config.size = 12;
  config.of<ViewEmbedder::Settings>().channels = {8, 16, 16};
  return config;
}

std::shared_ptr<Embedder> make_view(const EmbedderConfig& config, std::vector<std::int64_t> shape,
                                    std::uint64_t seed = 1) {
  return make_embedder(config, shape, at::detail::createCPUGenerator(seed));
}

TEST(ViewEmbedder, HalvesTheMapUntilItIsFourByFour) {
  // Stem, then 16 -> 8 -> 4; a third stage stays at 4.
  const double stem = 49.0 * 6 * 8 * 256;
  const double first = (9.0 * 8 * 16 + 9.0 * 16 * 16 + 8.0 * 16) * 64, second = (9.0 * 16 * 16 * 2 + 16.0 * 16) * 16;
  EXPECT_EQ(make_view(view_config(), {6, 16, 16})->flops(), 2 * (stem + first + second + 16.0 * 16 * 12));
  EmbedderConfig deeper = view_config();
  deeper.of<ViewEmbedder::Settings>().channels.push_back(16);
  EXPECT_EQ(make_view(deeper, {6, 16, 16})->flops(),
            2 * (stem + first + second + 9.0 * 16 * 16 * 2 * 16 + 16.0 * 16 * 12));
  // With fewer stages the map that is left is flattened.
  EmbedderConfig shallow = view_config();
  shallow.of<ViewEmbedder::Settings>().channels.pop_back();
  EXPECT_EQ(make_view(shallow, {6, 16, 16})->flops(), 2 * (stem + first + 16.0 * 64 * 12));
}

TEST(ViewEmbedder, ScalesColorsAloneAndStridesItsStem) {
  EmbedderConfig config = view_config();
  config.of<ViewEmbedder::Settings>().input_location = 0.25;
  config.of<ViewEmbedder::Settings>().input_scale = 0.5;
  const Tensor x = torch::rand({3, 6, 16, 16});
  Tensor scaled = x.clone();
  scaled.narrow(1, 0, 3).sub_(0.25).div_(0.5);
  const Tensor ours = make_view(config, {6, 16, 16})->forward(x);
  EXPECT_LT((ours - make_view(view_config(), {6, 16, 16})->forward(scaled)).abs().max().item<double>(), 1e-5);
  EXPECT_GT((ours - make_view(view_config(), {6, 16, 16})->forward(x)).abs().max().item<double>(), 1e-2);
  config.of<ViewEmbedder::Settings>().stride = 2;
  config.of<ViewEmbedder::Settings>().channels = {8, 16};
  // Stem 16 -> 8, then 8 -> 4.
  const double stem = 49.0 * 6 * 8 * 64, stage = (9.0 * 8 * 16 + 9.0 * 16 * 16 + 8.0 * 16) * 16;
  EXPECT_EQ(make_view(config, {6, 16, 16})->flops(), 2 * (stem + stage + 16.0 * 16 * 12));
}

TEST(ViewEmbedder, EveryViewOnItsOwn) {
  const auto net = make_view(view_config(), {6, 16, 16});
  torch::manual_seed(2);
  const Tensor x = torch::rand({5, 6, 16, 16}), all = net->forward(x);
  EXPECT_EQ(all.sizes(), torch::IntArrayRef({5, 12}));
  EXPECT_EQ(all.scalar_type(), torch::kFloat);
  for (int i = 0; i < 5; ++i) EXPECT_LT((net->forward(x.narrow(0, i, 1))[0] - all[i]).abs().max().item<double>(), 1e-5);
}

// Method B10: a normalized last map erases magnitude, and the views are then not used.
TEST(ViewEmbedder, KeepsMagnitudeAndPlace) {
  const auto net = make_view(view_config(), {6, 16, 16});
  const Tensor plain = torch::full({1, 6, 16, 16}, 0.25f);
  const Tensor at_quarter = net->forward(plain), at_half = net->forward(2 * plain);
  EXPECT_GT((at_half - at_quarter).norm().item<double>(), 0.05 * at_quarter.norm().item<double>());
  Tensor left = torch::zeros({1, 6, 16, 16}), right = torch::zeros({1, 6, 16, 16});
  left.slice(3, 2, 6).fill_(1);
  right.slice(3, 10, 14).fill_(1);
  const Tensor a = net->forward(left), b = net->forward(right);
  EXPECT_GT((a - b).norm().item<double>(), 0.05 * a.norm().item<double>());
}

TEST(ViewEmbedder, Bfloat16IsClose) {
  EmbedderConfig config = view_config();
  const auto exact = make_view(config, {6, 16, 16});
  config.of<ViewEmbedder::Settings>().precision = "bf16";
  const auto rounded = make_view(config, {6, 16, 16});
  const Tensor x = torch::rand({4, 6, 16, 16});
  const Tensor a = exact->forward(x), b = rounded->forward(x);
  EXPECT_EQ(b.scalar_type(), torch::kFloat);
  const double distance = (a - b).norm().item<double>() / a.norm().item<double>();
  EXPECT_LT(distance, 0.02);
  EXPECT_EQ(distance > 0, processor_has_bfloat16());
}

TEST(ViewEmbedder, WeightsAreAFunctionOfTheSeed) {
  const auto a = make_view(view_config(), {6, 16, 16}, 4), b = make_view(view_config(), {6, 16, 16}, 4),
             c = make_view(view_config(), {6, 16, 16}, 5);
  const Tensor x = torch::rand({2, 6, 16, 16});
  EXPECT_TRUE(torch::equal(a->forward(x), b->forward(x)));
  EXPECT_FALSE(torch::equal(a->forward(x), c->forward(x)));
}

TEST(ViewEmbedder, RefusesWhatDoesNotFit) {
  EmbedderConfig config = view_config();
  EXPECT_THROW(make_view(config, {6}), Error);
  config.of<ViewEmbedder::Settings>().precision = "fp8";
  EXPECT_THROW(make_view(config, {6, 16, 16}), Error);
  config = view_config();
  config.of<ViewEmbedder::Settings>().channels = {8};
  EXPECT_THROW(make_view(config, {6, 16, 16}), Error);
}

}  // namespace
}  // namespace pairs
