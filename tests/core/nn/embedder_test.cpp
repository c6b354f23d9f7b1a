#include "core/nn/embedder.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/nn/cnn.h"
#include "core/nn/dropout.h"
#include "core/nn/mlp_embedder.h"
#include "core/nn/precision.h"
#include "core/nn/resnet.h"

namespace pairs {
namespace {

std::shared_ptr<Embedder> make(const EmbedderConfig& config, std::vector<std::int64_t> shape, std::uint64_t seed = 1) {
  return make_embedder(config, shape, at::detail::createCPUGenerator(seed));
}

// Parameters, without the scales and shifts of the normalizations.
std::int64_t weights(const Embedder& net) {
  std::int64_t total = 0;
  for (const auto& item : net.named_parameters())
    if (item.key().find("norm") == std::string::npos) total += item.value().numel();
  return total;
}

EmbedderConfig circle() {
  EmbedderConfig config;
  config.kind = "cnn";
  config.size = 10;
  config.of<Cnn::Settings>().channels = {64, 128, 256, 256};
  config.of<Cnn::Settings>().kernels = {5, 5, 3, 3};
  return config;
}

EmbedderConfig digits() {
  EmbedderConfig config;
  config.kind = "resnet";
  config.size = 256;
  config.of<ResNet::Settings>().projection = {256};
  config.of<ResNet::Settings>().dropout = 0.1;
  return config;
}

// Figures of the published networks, counted from their descriptions.
TEST(Embedder, CountsOfThePublishedNetworks) {
  const auto cnn = make(circle(), {1, 64, 64});
  EXPECT_EQ(cnn->flops(), 659111936);
  EXPECT_EQ(weights(*cnn), 1132810);
  const auto resnet = make(digits(), {1, 28, 28});
  EXPECT_EQ(resnet->flops(), 296601600);
  EXPECT_EQ(weights(*resnet), 1352768);
  EmbedderConfig mlp;
  EXPECT_EQ(make(mlp, {1})->flops(), 2 * (128 + 2 * 128 * 128));
}

TEST(Embedder, FourierFeaturesStandBesideTheInputs) {
  EmbedderConfig config;
  config.of<MlpEmbedder::Settings>().layers = {};
  config.size = 3;
  config.of<MlpEmbedder::Settings>().frequencies = 4;
  config.of<MlpEmbedder::Settings>().highest_frequency = 32;
  const auto net = make(config, {2});
  EXPECT_EQ(net->flops(), 2 * 3 * 2 * (1 + 2 * 4));
  const torch::Tensor x = torch::tensor({{0.3, -1.2}, {2.0, 0.0}}, torch::kFloat64);
  // 32 down to 32 / 64 in equal ratios, by hand.
  const std::vector<double> frequency = {32, 8, 2, 0.5};
  std::vector<torch::Tensor> columns = {x};
  for (const bool sine : {true, false})
    for (int input = 0; input < 2; ++input)
      for (const double f : frequency) {
        const torch::Tensor angle = x.select(1, input) * f;
        columns.push_back((sine ? angle.sin() : angle.cos()).unsqueeze(1));
      }
  const auto weights = net->named_parameters();
  const torch::Tensor expected = torch::linear(torch::cat(columns, 1), weights["net.weight0"].to(torch::kFloat64),
                                               weights["net.bias0"].to(torch::kFloat64));
  EXPECT_LT((net->forward(x.to(torch::kFloat)) - expected).abs().max().item<double>(), 1e-5);
}

TEST(Embedder, AnAppendedObservationEndsItsEmbedding) {
  EmbedderConfig config;
  config.size = 7;
  config.of<MlpEmbedder::Settings>().frequencies = 2;
  const auto with = [&](bool append) {
    EmbedderConfig one = config;
    one.of<MlpEmbedder::Settings>().append_input = append;
    one.size = append ? config.size : config.size - 2;
    return make(one, {2});
  };
  const auto net = with(true), plain = with(false);
  EXPECT_EQ(net->size(), 7);
  EXPECT_EQ(net->flops(), plain->flops());
  torch::Tensor x = torch::tensor({{0.3f, -1.2f}, {2000.0f, 0.0f}}).set_requires_grad(true);
  const torch::Tensor out = net->forward(x);
  EXPECT_TRUE(out.slice(1, 5).equal(x));
  EXPECT_TRUE(out.slice(1, 0, 5).equal(plain->forward(x)));
  out.select(1, 6).sum().backward();
  EXPECT_TRUE(x.grad().equal(torch::tensor({{0.0f, 1.0f}, {0.0f, 1.0f}})));
  config.size = 2;
  EXPECT_THROW(with(true), Error);
}

TEST(Embedder, CnnGivesTheSameBitsWithGradientsAndWithout) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{1, 28, 28}, {3, 21, 34}}) {
    EmbedderConfig config = circle();
    config.of<Cnn::Settings>().channels = {8, 12};
    config.of<Cnn::Settings>().kernels = {5, 3};
    const auto net = make(config, shape);
    torch::manual_seed(4);
    const torch::Tensor x = torch::randn({6, shape[0], shape[1], shape[2]});
    const torch::Tensor with = net->forward(x);
    torch::NoGradGuard no_grad;
    EXPECT_TRUE(with.detach().equal(net->forward(x)));
    // In float64, as the paper puts it: rectified, then pooled.
    const auto weights = net->named_parameters();
    torch::Tensor h = x.to(torch::kFloat64);
    for (int block = 0; block < 2; ++block) {
      const std::string name = "block" + std::to_string(block);
      h = torch::conv2d(h, weights[name + ".weight"].to(torch::kFloat64), weights[name + ".bias"].to(torch::kFloat64),
                        1, config.of<Cnn::Settings>().kernels[static_cast<std::size_t>(block)] / 2);
      h = torch::max_pool2d(torch::relu(h), 2);
    }
    h = torch::linear(h.flatten(1), weights["output.weight0"].to(torch::kFloat64),
                      weights["output.bias0"].to(torch::kFloat64));
    EXPECT_LT((with - h).abs().max().item<double>(), 1e-4);
  }
}

// Through rectified layers "he" keeps the size of what runs through, where PyTorch's default shrinks it.
TEST(Embedder, CnnStartsWithTheWeightsAskedFor) {
  EmbedderConfig config = circle();
  config.of<Cnn::Settings>().channels = {64, 64, 64, 64};
  const auto second_moment = [&](const char* initial) {
    config.of<Cnn::Settings>().initial = initial;
    const auto net = make(config, {1, 64, 64});
    const auto weights = net->named_parameters();
    torch::manual_seed(4);
    torch::Tensor h = torch::rand({4, 1, 64, 64});
    const double before = h.square().mean().item<double>();
    for (int block = 0; block < 4; ++block) {
      const std::string name = "block" + std::to_string(block);
      h = torch::relu(torch::conv2d(h, weights[name + ".weight"], weights[name + ".bias"]));
    }
    return h.square().mean().item<double>() / before;
  };
  EXPECT_GT(second_moment("he"), 0.25);
  EXPECT_LT(second_moment("he"), 4);
  EXPECT_LT(second_moment("uniform"), 0.05);
  for (const char* bias : {"block0.bias", "block3.bias"}) {
    config.of<Cnn::Settings>().initial = "he";
    EXPECT_EQ(make(config, {1, 64, 64})->named_parameters()[bias].abs().max().item<float>(), 0) << bias;
  }
}

// The cost of bfloat16: compares embeddings and gradients with those of the same weights in float32.
TEST(Embedder, CnnHoldsInBfloat16) {
  EmbedderConfig config = circle();
  const auto wide = make(config, {1, 64, 64});
  config.of<Cnn::Settings>().precision = "bf16";
  const auto narrow = make(config, {1, 64, 64});
  EXPECT_EQ(narrow->flops(), wide->flops());
  EXPECT_LT(narrow->activations(), (processor_has_bfloat16() ? 0.5 : 1.001) * wide->activations());
  torch::manual_seed(5);
  const torch::Tensor x = (torch::rand({16, 1, 64, 64}) < 0.1).to(torch::kFloat), slope = torch::randn({16, 10});
  const torch::Tensor a = wide->forward(x), b = narrow->forward(x);
  EXPECT_EQ(b.scalar_type(), torch::kFloat);
  const auto relative = [](const torch::Tensor& of, const torch::Tensor& to) {
    return ((of - to).norm() / to.norm()).item<double>();
  };
  // Rounding is to 8 bits, 0.4 % a layer.
  const torch::Tensor center = a.mean(0, true);
  EXPECT_LT(relative(b - center, a - center), 0.05);
  EXPECT_EQ(a.equal(b), !processor_has_bfloat16());
  // Where two of the four values of a block are nearly equal, gradients go another way: they agree in direction.
  a.backward(slope);
  b.backward(slope);
  for (const auto& item : wide->named_parameters()) {
    const torch::Tensor& grad = narrow->named_parameters()[item.key()].grad();
    ASSERT_EQ(grad.scalar_type(), torch::kFloat);
    const double cosine =
        ((grad * item.value().grad()).sum() / (grad.norm() * item.value().grad().norm())).item<double>();
    EXPECT_GT(cosine, 0.97) << item.key();
  }
  torch::NoGradGuard no_grad;
  EXPECT_TRUE(narrow->forward(x).equal(b)) << "the same bits without gradients";
}

TEST(Embedder, EveryObservationOnItsOwn) {
  EmbedderConfig small = digits();
  small.of<ResNet::Settings>().channels = {8, 16};
  for (const auto& [config, shape] : {std::pair<EmbedderConfig, std::vector<std::int64_t>>{EmbedderConfig{}, {2}},
                                      {circle(), {1, 32, 32}},
                                      {small, {1, 28, 28}}}) {
    const auto net = make(config, shape);
    net->eval();
    std::vector<std::int64_t> sizes = {5};
    sizes.insert(sizes.end(), shape.begin(), shape.end());
    torch::manual_seed(3);
    const torch::Tensor x = torch::rand(sizes);
    torch::NoGradGuard no_grad;
    const torch::Tensor all = net->forward(x), one = net->forward(x.narrow(0, 3, 1));
    EXPECT_EQ(all.sizes(), (std::vector<std::int64_t>{5, net->size()}));
    EXPECT_LT((all[3] - one[0]).abs().max().item<double>(), 1e-5);
    EXPECT_GT((all[3] - all[2]).abs().max().item<double>(), 1e-4);
  }
}

TEST(Embedder, WeightsComeFromTheGenerator) {
  EmbedderConfig config = circle();
  config.of<Cnn::Settings>().channels = {4};
  config.of<Cnn::Settings>().kernels = {3};
  const auto a = make(config, {1, 8, 8}, 1), b = make(config, {1, 8, 8}, 1), c = make(config, {1, 8, 8}, 2);
  const auto weight = [](const auto& net) { return net->parameters().front(); };
  EXPECT_TRUE(torch::equal(weight(a), weight(b)));
  EXPECT_FALSE(torch::equal(weight(a), weight(c)));
  EXPECT_LE(weight(a).abs().max().template item<double>(), 1.0 / 3.0);
}

TEST(Embedder, DropoutFollowsItsKeyAndTheRowsPlace) {
  EmbedderConfig config = digits();
  config.of<ResNet::Settings>().channels = {8, 8};
  config.of<ResNet::Settings>().dropout = 0.5;
  const auto net = make(config, {1, 8, 8});
  const torch::Tensor x = torch::ones({4, 1, 8, 8});
  const auto drawn = [&](std::uint64_t key, std::int64_t first, std::int64_t rows) {
    net->set_noise(key, first);
    return net->forward(x.narrow(0, 0, rows));
  };
  const torch::Tensor whole = drawn(1, 0, 4);
  EXPECT_TRUE(torch::equal(drawn(1, 0, 4), whole));
  EXPECT_FALSE(torch::allclose(drawn(2, 0, 4), whole));
  EXPECT_FALSE(torch::allclose(whole[0], whole[1])) << "equal images draw each for itself";
  EXPECT_TRUE(torch::allclose(at::cat({drawn(1, 0, 3), drawn(1, 3, 1)}), whole, 1e-5, 1e-6));
  net->eval();
  EXPECT_TRUE(torch::equal(drawn(1, 0, 4), drawn(2, 0, 4)));
}

TEST(Embedder, DropoutKeepsTheMean) {
  const torch::Tensor mask = dropout_mask(5, 0, 1000, 64, 0.1);
  EXPECT_NEAR(mask.mean().item<double>(), 1, 0.005);
  EXPECT_NEAR((mask == 0).to(torch::kFloat).mean().item<double>(), 0.1, 0.005);
  EXPECT_TRUE(torch::equal(dropout_mask(5, 400, 600, 64, 0.1), mask.narrow(0, 400, 600)));
}

TEST(Embedder, GradientsReachEveryParameter) {
  EmbedderConfig small = digits();
  small.of<ResNet::Settings>().channels = {8, 8, 16};
  const auto net = make(small, {1, 12, 12});
  torch::manual_seed(3);
  net->forward(torch::rand({6, 1, 12, 12})).pow(2).sum().backward();
  for (const auto& item : net->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_GT(item.value().grad().abs().max().item<double>(), 0.0) << item.key();
  }
}

TEST(Embedder, RefusesWhatDoesNotFit) {
  EmbedderConfig config;
  config.kind = "transformer";
  EXPECT_THROW(make(config, {2}), Error);
  EXPECT_THROW(make(circle(), {2}), Error);
  EXPECT_THROW(make(circle(), {1, 8, 8}), Error);  // four poolings of 8 pixels
  EmbedderConfig even = circle();
  even.of<Cnn::Settings>().kernels = {4, 5, 3, 3};
  EXPECT_THROW(make(even, {1, 64, 64}), Error);
  even.of<Cnn::Settings>().kernels = {5, 5};
  EXPECT_THROW(make(even, {1, 64, 64}), Error);
  EmbedderConfig odd = digits();
  odd.of<ResNet::Settings>().channels = {9, 9};
  EXPECT_THROW(make(odd, {1, 28, 28}), Error);  // 9 channels in 4 groups
}

}  // namespace
}  // namespace pairs
