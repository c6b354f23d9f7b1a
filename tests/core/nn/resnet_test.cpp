#include "core/nn/resnet.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {
namespace {

using torch::Tensor;

ResNet::Settings resnet18(std::vector<std::int64_t> channels) {
  return {.channels = std::move(channels),
          .blocks = 2,
          .stem_kernel = 7,
          .stem_stride = 2,
          .stem_pool = true,
          .projection = {}};
}

EmbedderConfig small_resnet() {
  EmbedderConfig config;
  config.kind = "resnet";
  config.size = 6;
  config.of<ResNet::Settings>() = resnet18({8, 8, 16, 32});
  return config;
}

std::shared_ptr<Embedder> make_resnet(const EmbedderConfig& config, std::int64_t side) {
  return make_embedder(config, std::vector<std::int64_t>{3, side, side}, at::detail::createCPUGenerator(1));
}

// The network written plainly in float64, from the parameters by name.
Tensor plain_resnet(std::map<std::string, Tensor>& p, const EmbedderConfig& config, const Tensor& x) {
  const auto norm = [&](const Tensor& h, const std::string& name) {
    const std::int64_t channels = h.size(1);
    return at::group_norm(h, std::min<std::int64_t>(32, channels / 2), p.at(name + ".weight"), p.at(name + ".bias"));
  };
  const auto conv = [&](const Tensor& h, const std::string& name, std::int64_t stride) {
    const Tensor& w = p.at(name + ".weight");
    return at::conv2d(h, w, {}, {stride, stride}, {w.size(2) / 2, w.size(3) / 2});
  };
  Tensor h = at::relu(norm(conv(x, "stem", config.of<ResNet::Settings>().stem_stride), "stem_norm"));
  if (config.of<ResNet::Settings>().stem_pool) h = at::max_pool2d(h, {3, 3}, {2, 2}, {1, 1});
  for (std::size_t stage = 1; stage < config.of<ResNet::Settings>().channels.size(); ++stage)
    for (std::int64_t k = 0; k < config.of<ResNet::Settings>().blocks; ++k) {
      const std::string block = fmt::format("stage{}_block{}.", stage, k);
      const std::int64_t stride = stage > 1 && k == 0 ? 2 : 1;
      const Tensor shortcut = p.contains(block + "shortcut.weight")
                                  ? norm(conv(h, block + "shortcut", stride), block + "shortcut_norm")
                                  : h;
      const Tensor inner = at::relu(norm(conv(h, block + "conv0", stride), block + "norm0"));
      h = at::relu(norm(conv(inner, block + "conv1", 1), block + "norm1") + shortcut);
    }
  h = h.mean({2, 3});
  for (std::size_t i = 0;; ++i) {
    const std::string layer = fmt::format("projection{}.", i);
    h = at::linear(h, p.at(layer + "weight0"), p.at(layer + "bias0"));
    if (i == config.of<ResNet::Settings>().projection.size()) return h;
    h = at::relu(h);
  }
}

void randomize(Embedder& net) {
  torch::NoGradGuard no_grad;
  for (auto& item : net.named_parameters())
    if (item.key().find("norm") != std::string::npos) item.value().add_(0.3 * torch::randn_like(item.value()));
}

TEST(ResNet, CountsWhatTheLiteratureCounts) {
  EmbedderConfig config;
  config.kind = "resnet";
  config.size = 1000;
  config.of<ResNet::Settings>() = resnet18({64, 64, 128, 256, 512});
  const auto net = make_resnet(config, 224);
  std::int64_t numbers = 0;
  for (const Tensor& p : net->parameters()) numbers += p.numel();
  EXPECT_EQ(numbers, 11689512);               // of torchvision's resnet18
  EXPECT_EQ(net->flops(), 2.0 * 1814073344);  // its multiply-adds
  config.size = 16;
  EXPECT_NEAR(make_resnet(config, 224)->flops(), 3.63e9, 0.005e9);
}

TEST(ResNet, GivesValuesAndGradientsOfAPlainOneInFloat64) {
  EmbedderConfig other = small_resnet();
  other.of<ResNet::Settings>() = {.channels = {8, 8, 16, 32}, .projection = {12}};
  for (const EmbedderConfig& config : {small_resnet(), other}) {
    torch::manual_seed(5);
    const auto net = make_resnet(config, 40);
    randomize(*net);
    const Tensor x = torch::rand({4, 3, 40, 40}), grad = torch::randn({4, 6});
    std::map<std::string, Tensor> reference;
    for (const auto& item : net->named_parameters())
      reference[item.key()] = item.value().detach().to(torch::kDouble).requires_grad_();
    const Tensor y = net->forward(x), expected = plain_resnet(reference, config, x.to(torch::kDouble));
    EXPECT_EQ(y.scalar_type(), torch::kFloat);
    EXPECT_LT((y - expected).abs().max().item<double>(), 1e-5 * (1 + expected.abs().max().item<double>()));
    y.backward(grad);
    expected.backward(grad.to(torch::kDouble));
    for (const auto& item : net->named_parameters()) {
      const Tensor& slope = reference.at(item.key()).grad();
      EXPECT_LT((item.value().grad() - slope).norm().item<double>(), 1e-3 * slope.norm().item<double>()) << item.key();
    }
  }
}

TEST(ResNet, BFloat16StaysNearFloat32) {
  EmbedderConfig config = small_resnet();
  const auto wide = make_resnet(config, 64);
  config.of<ResNet::Settings>().precision = "bf16";
  const auto narrow = make_resnet(config, 64);
  torch::manual_seed(6);
  const Tensor x = torch::rand({16, 3, 64, 64}), grad = torch::randn({16, 6});
  const Tensor y = wide->forward(x), z = narrow->forward(x);
  EXPECT_EQ(z.scalar_type(), torch::kFloat);
  // Relative to how embeddings differ between images, which is what an aggregate carries.
  EXPECT_LT((z - y).norm().item<double>(), 0.05 * (y - y.mean(0)).norm().item<double>());
  // LibTorch's own operations in bfloat16 throughout: what rounding alone does to such a network.
  std::map<std::string, Tensor> plain;
  for (const auto& item : wide->named_parameters())
    plain[item.key()] = item.value().detach().to(torch::kBFloat16).requires_grad_();
  y.backward(grad);
  z.backward(grad);
  plain_resnet(plain, config, x.to(torch::kBFloat16)).backward(grad.to(torch::kBFloat16));
  // Cosine of all gradients with those of float32, and the ratio of lengths.
  const auto beside_float32 = [&](const auto& gradient) {
    double along = 0, first = 0, second = 0;
    for (const auto& item : wide->named_parameters()) {
      const Tensor a = item.value().grad(), b = gradient(item.key()).to(torch::kFloat);
      along += (a * b).sum().template item<double>();
      first += a.square().sum().template item<double>();
      second += b.square().sum().template item<double>();
    }
    return std::pair(along / std::sqrt(first * second), std::sqrt(second / first));
  };
  const auto parameters = narrow->named_parameters();
  const auto [cosine, ratio] = beside_float32([&](const std::string& name) { return parameters[name].grad(); });
  const auto [plain_cosine, plain_ratio] = beside_float32([&](const std::string& name) { return plain[name].grad(); });
  RecordProperty("cosine", std::to_string(cosine));
  RecordProperty("cosine_of_libtorch", std::to_string(plain_cosine));
  EXPECT_GT(cosine, 0.95);
  EXPECT_LT(1 - cosine, 1.5 * (1 - plain_cosine)) << "LibTorch's, length " << plain_ratio;
  EXPECT_NEAR(ratio, 1, 0.05);
}

TEST(ResNet, EveryImageOnItsOwnAndNothingDrawn) {
  for (const char* precision : {"float32", "bf16"}) {
    EmbedderConfig config = small_resnet();
    config.of<ResNet::Settings>().precision = precision;
    const auto net = make_resnet(config, 32);
    torch::manual_seed(2);
    const Tensor x = torch::rand({5, 3, 32, 32}), all = net->forward(x);
    EXPECT_EQ(all.sizes(), torch::IntArrayRef({5, 6}));
    for (int i = 0; i < 5; ++i)
      EXPECT_LT((net->forward(x.narrow(0, i, 1))[0] - all[i]).abs().max().item<double>(), 1e-5);
    net->train();
    EXPECT_TRUE(net->forward(x).equal(all));
  }
}

TEST(ResNet, RefusesWhatMakesNoNetwork) {
  EmbedderConfig config = small_resnet();
  config.of<ResNet::Settings>().stem_kernel = 4;
  EXPECT_THROW(make_resnet(config, 32), Error);
  config = small_resnet();
  config.of<ResNet::Settings>().channels = {8};
  EXPECT_THROW(make_resnet(config, 32), Error);
  config = small_resnet();
  EXPECT_THROW(make_embedder(config, std::vector<std::int64_t>{7}, at::detail::createCPUGenerator(1)), Error);
}

}  // namespace
}  // namespace pairs
