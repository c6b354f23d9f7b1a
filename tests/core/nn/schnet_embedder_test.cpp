#include "core/nn/schnet_embedder.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "core/base/text/error.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

using torch::Tensor;

EmbedderConfig small_schnet() {
  EmbedderConfig config;
  config.kind = "schnet";
  config.size = 7;
  config.of<SchNetEmbedder::Settings>().hidden = 24;
  config.of<SchNetEmbedder::Settings>().filters = 19;
  config.of<SchNetEmbedder::Settings>().interactions = 2;
  return config;
}

std::shared_ptr<Embedder> make_schnet(const EmbedderConfig& config, double atoms = 45) {
  return make_embedder(config, ObservationShape{{4}, atoms}, at::detail::createCPUGenerator(1));
}

// Molecules of the given numbers of atoms, which stand some 1.5 Angstrom apart.
Observations molecules(const std::vector<std::int64_t>& atoms, std::uint64_t seed = 2) {
  auto generator = at::detail::createCPUGenerator(seed);
  std::vector<Tensor> rows;
  std::vector<std::int64_t> offsets = {0};
  for (const std::int64_t n : atoms) {
    const double side = 1.5 * std::cbrt(static_cast<double>(n));
    const Tensor z = torch::randint(1, 20, {n, 1}, generator).to(torch::kFloat);
    rows.push_back(at::cat({z, side * torch::rand({n, 3}, generator)}, 1));
    offsets.push_back(offsets.back() + n);
  }
  return Observations::ragged(at::cat(rows), torch::tensor(offsets, torch::kLong));
}

// SchNet as it is written on paper, every pair of atoms through the filter's network, in float64.
Tensor on_paper(const EmbedderConfig& config, const std::map<std::string, Tensor>& p, const Observations& x) {
  const auto ssp = [](const Tensor& t) { return torch::log1p(torch::exp(-t.abs())) + t.clamp_min(0) - std::log(2.0); };
  const auto linear = [&](const Tensor& t, const std::string& name, const std::string& bias) {
    return torch::matmul(t, p.at(name).t()) + p.at(bias);
  };
  std::vector<Tensor> out;
  for (std::int64_t m = 0; m < x.count(); ++m) {
    const Tensor rows = x.slice(m, m + 1).rows().to(torch::kDouble), place = rows.slice(1, 1);
    const std::int64_t n = rows.size(0);
    const Tensor d = (place.unsqueeze(0) - place.unsqueeze(1)).square().sum(2).sqrt();
    Tensor linked = torch::zeros({n, n}, torch::kDouble);
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<std::pair<double, std::int64_t>> near;
      for (std::int64_t j = 0; j < n; ++j)
        if (j != i && d[i][j].item<double>() < config.of<SchNetEmbedder::Settings>().cutoff)
          near.emplace_back(d[i][j].item<double>(), j);
      std::sort(near.begin(), near.end());
      near.resize(std::min<std::size_t>(near.size(),
                                        static_cast<std::size_t>(config.of<SchNetEmbedder::Settings>().neighbors)));
      for (const auto& one : near) linked[i][one.second] = 1.0;
    }
    const Tensor center = torch::linspace(0, config.of<SchNetEmbedder::Settings>().cutoff,
                                          config.of<SchNetEmbedder::Settings>().gaussians, torch::kDouble);
    const double step = config.of<SchNetEmbedder::Settings>().cutoff /
                        static_cast<double>(config.of<SchNetEmbedder::Settings>().gaussians - 1);
    const Tensor rbf = torch::exp(-(d.unsqueeze(2) - center).square() / (2 * step * step));
    const Tensor decay = 0.5 * (torch::cos(d * std::numbers::pi / config.of<SchNetEmbedder::Settings>().cutoff) + 1);
    Tensor h = p.at("elements").index_select(0, rows.select(1, 0).to(torch::kLong));
    for (std::int64_t k = 0; k < config.of<SchNetEmbedder::Settings>().interactions; ++k) {
      const std::string at = "interaction" + std::to_string(k) + ".";
      const Tensor w = linear(ssp(linear(rbf, at + "filter_weight0", at + "filter_bias0")), at + "filter_weight1",
                              at + "filter_bias1") *
                       (decay * linked).unsqueeze(2);
      const Tensor messages = (w * torch::matmul(h, p.at(at + "in_weight").t()).unsqueeze(0)).sum(1);
      h = h + linear(ssp(linear(messages, at + "update_weight0", at + "update_bias0")), at + "update_weight1",
                     at + "update_bias1");
    }
    out.push_back(linear(config.of<SchNetEmbedder::Settings>().readout == "sum" ? h.sum(0) / 32 : h.mean(0),
                         "out_weight", "out_bias"));
  }
  return at::stack(out);
}

std::map<std::string, Tensor> in_float64(const Embedder& net) {
  std::map<std::string, Tensor> copies;
  for (const auto& item : net.named_parameters())
    copies[item.key()] = item.value().detach().cpu().to(torch::kDouble).requires_grad_(true);
  return copies;
}

double relative(const Tensor& value, const Tensor& reference) {
  const Tensor a = value.detach().cpu().to(torch::kDouble), b = reference.detach();
  return ((a - b).abs().max() / b.abs().max()).item<double>();
}

PAIRS_DEVICE_TEST(SchNet, AgreesWithFloat64OnPaperInValuesAndGradients) {
  for (const double growth : {1.0, 1.5})
    for (const std::int64_t neighbors : {5, 32}) {
      EmbedderConfig config = small_schnet();
      config.of<SchNetEmbedder::Settings>().neighbors = neighbors;
      config.of<SchNetEmbedder::Settings>().readout = neighbors == 5 ? "sum" : "mean";
      const auto net = make_schnet(config);
      {
        // Trained networks have larger weights, and biases.
        torch::NoGradGuard no_grad;
        auto generator = at::detail::createCPUGenerator(5);
        for (const auto& item : net->named_parameters()) {
          if (item.key().find("bias") != std::string::npos)
            item.value().copy_(0.2 * torch::randn(item.value().sizes(), generator));
          else if (item.key().find("filter") != std::string::npos)
            item.value().mul_(growth * growth * growth);
          else
            item.value().mul_(growth);
        }
      }
      net->to(device);
      const Observations x = molecules({45, 1, 2, 17, 60});
      auto p = in_float64(*net);
      const Tensor expected = on_paper(config, p, x), value = net->forward(x.to(device));
      EXPECT_EQ(value.device().type(), device.type());
      EXPECT_LT(relative(value, expected), 1e-5) << growth << ", " << neighbors;
      const Tensor slope = torch::randn(expected.sizes(), at::detail::createCPUGenerator(8));
      (value * slope.to(device)).sum().backward();
      (expected * slope.to(torch::kDouble)).sum().backward();
      for (const auto& item : net->named_parameters()) {
        ASSERT_TRUE(item.value().grad().defined()) << item.key();
        EXPECT_LT(relative(item.value().grad(), p.at(item.key()).grad()), 1e-5) << item.key() << " " << growth;
      }
      torch::NoGradGuard no_grad;
      EXPECT_TRUE(net->forward(x.to(device)).equal(value)) << "the same bits without gradients";
    }
}

TEST(SchNet, ThePublishedSizesAgreeWithFloat64) {
  EmbedderConfig config;
  config.kind = "schnet";
  const auto net = make_schnet(config);
  const Observations x = molecules({30, 12});
  torch::NoGradGuard no_grad;
  EXPECT_LT(relative(net->forward(x), on_paper(config, in_float64(*net), x)), 1e-5);
}

TEST(SchNet, CountsOfThePublishedNetwork) {
  EmbedderConfig config;
  config.kind = "schnet";
  const auto net = make_schnet(config, 45);
  const double filter = 50 * 128 + 128 * 128, atom = 3 * 128 * 128;
  EXPECT_EQ(net->flops(), 2 * (5 * 45 * (32 * filter + atom) + 128 * 128));
  EXPECT_EQ(net->describe().parameters, 100 * 128 + 5 * (filter + atom + 4 * 128) + 128 * 129);
  EXPECT_EQ(net->size(), 128);
}

TEST(SchNet, DoesNotSeeRotationTranslationOrOrder) {
  const auto net = make_schnet(small_schnet());
  const Observations x = molecules({44, 20});
  torch::NoGradGuard no_grad;
  const Tensor expected = net->forward(x);
  const double a = 0.7, b = -1.9;
  const Tensor turn =
      torch::matmul(torch::tensor({{std::cos(a), -std::sin(a), 0.0}, {std::sin(a), std::cos(a), 0.0}, {0.0, 0.0, 1.0}},
                                  torch::kDouble),
                    torch::tensor({{1.0, 0.0, 0.0}, {0.0, std::cos(b), -std::sin(b)}, {0.0, std::sin(b), std::cos(b)}},
                                  torch::kDouble));
  const Tensor z = x.rows().slice(1, 0, 1), place = x.rows().slice(1, 1).to(torch::kDouble);
  const Tensor moved = torch::matmul(place, turn) + torch::tensor({3.0, -4.0, 5.0}, torch::kDouble);
  const Tensor turned = net->forward(Observations::ragged(at::cat({z, moved.to(torch::kFloat)}, 1), x.offsets()));
  EXPECT_LT(relative(turned, expected.to(torch::kDouble)), 1e-5);
  const Tensor order = at::cat({torch::randperm(44, at::detail::createCPUGenerator(3)),
                                44 + torch::randperm(20, at::detail::createCPUGenerator(4))});
  const Tensor shuffled = net->forward(Observations::ragged(x.rows().index_select(0, order), x.offsets()));
  EXPECT_LT(relative(shuffled, expected.to(torch::kDouble)), 1e-5);
}

// Not to the last bit: LibTorch's products may be cut otherwise for other threads.
TEST(SchNet, AMoleculeAloneIsTheSameInABatchForAnyNumberOfThreads) {
  const auto net = make_schnet(small_schnet());
  const Observations x = molecules({45, 3, 40, 1, 45, 38, 50, 44});
  torch::NoGradGuard no_grad;
  const Tensor all = net->forward(x);
  for (std::int64_t m = 0; m < x.count(); ++m) EXPECT_LT(apart(net->forward(x.slice(m, m + 1))[0], all[m]), 1e-6) << m;
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  const Tensor two = net->forward(x);
  at::set_num_threads(1);
  EXPECT_LT(apart(net->forward(x), two), 1e-6);
  EXPECT_TRUE(net->forward(x).equal(net->forward(x)));
  at::set_num_threads(threads);
}

TEST(SchNet, AtomsOutOfReachAreAlone) {
  const auto net = make_schnet(small_schnet());
  const auto value = [&](std::vector<float> rows) {
    const auto n = static_cast<std::int64_t>(rows.size()) / 4;
    torch::NoGradGuard no_grad;
    return net->forward(Observations::ragged(torch::tensor(rows).view({n, 4}), torch::tensor({std::int64_t{0}, n})));
  };
  const Tensor lone = value({6, 1, 2, 3});
  EXPECT_LT(apart(value({6, 0, 0, 0, 6, 10.001f, 0, 0}), lone), 1e-6);
  EXPECT_LT(apart(value({6, 0, 0, 0, 6, 10, 0, 0}), lone), 1e-6) << "just at the cutoff";
  EXPECT_GT(apart(value({6, 0, 0, 0, 6, 2, 0, 0}), lone), 1e-3);
}

TEST(SchNet, AtomsOnTopOfEachOtherHaveFiniteGradients) {
  const auto net = make_schnet(small_schnet());
  const Observations x = Observations::ragged(
      torch::tensor({{6.0f, 1.0f, 1.0f, 1.0f}, {8.0f, 1.0f, 1.0f, 1.0f}, {1.0f, 1.0f, 1.0f, 1.0f}}),
      torch::tensor({0, 3}, torch::kLong));
  const Tensor value = net->forward(x);
  EXPECT_LT(relative(value, on_paper(small_schnet(), in_float64(*net), x)), 1e-5);
  value.sum().backward();
  for (const auto& item : net->named_parameters())
    EXPECT_TRUE(item.value().grad().isfinite().all().item<bool>()) << item.key();
}

TEST(SchNet, NamesTheObservationThatIsNoMolecule) {
  const auto net = make_schnet(small_schnet());
  net->eval();
  const auto message = [&](std::int64_t column, float value) {
    const Observations x = molecules({4, 5, 6});
    x.rows()[7][column] = value;
    try {
      net->forward(x);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const float z : {0.0f, 100.0f, 6.5f, -1.0f, std::nanf("")})
    EXPECT_THAT(message(0, z), testing::HasSubstr("atom 3 of observation 1")) << z;
  EXPECT_THAT(message(2, std::nanf("")), testing::HasSubstr("atom 3 of observation 1"));
  EXPECT_THAT(message(3, INFINITY), testing::HasSubstr("atom 3 of observation 1"));
  EXPECT_EQ(message(0, 99), "");
  EXPECT_THROW(net->forward(Observations::ragged(torch::ones({2, 4}), torch::tensor({0, 0, 2}, torch::kLong))), Error);
  EXPECT_THROW(make_embedder(small_schnet(), ObservationShape{{4}, 0}, at::detail::createCPUGenerator(1)), Error);
  EXPECT_THROW(make_embedder(small_schnet(), ObservationShape{{3}, 9}, at::detail::createCPUGenerator(1)), Error);
}

// Each setting changes the network.
TEST(SchNet, SettingsHaveTheirEffect) {
  const Observations x = molecules({45});
  const auto value = [&](const auto& change) {
    EmbedderConfig config = small_schnet();
    change(config);
    torch::NoGradGuard no_grad;
    const auto net = make_schnet(config);
    return std::pair{net->forward(x), net->describe().parameters};
  };
  const auto [base, parameters] = value([](EmbedderConfig&) {});
  for (const auto& [out, count] :
       {value([](EmbedderConfig& c) { c.of<SchNetEmbedder::Settings>().cutoff = 3; }),
        value([](EmbedderConfig& c) { c.of<SchNetEmbedder::Settings>().neighbors = 4; }),
        value([](EmbedderConfig& c) { c.of<SchNetEmbedder::Settings>().readout = "sum"; })}) {
    EXPECT_EQ(count, parameters);
    EXPECT_GT(apart(out, base), 1e-4);
  }
  EXPECT_NE(value([](EmbedderConfig& c) { c.of<SchNetEmbedder::Settings>().hidden = 20; }).second, parameters);
  EXPECT_NE(value([](EmbedderConfig& c) { c.of<SchNetEmbedder::Settings>().filters = 20; }).second, parameters);
  EXPECT_NE(value([](EmbedderConfig& c) { c.of<SchNetEmbedder::Settings>().interactions = 3; }).second, parameters);
  EXPECT_NE(value([](EmbedderConfig& c) { c.of<SchNetEmbedder::Settings>().gaussians = 20; }).second, parameters);
}

}  // namespace
}  // namespace pairs
