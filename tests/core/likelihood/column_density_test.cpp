#include "core/likelihood/column_density.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pairs {
namespace {

// A network with weights that make its mixtures differ between contexts.
ColumnDensity stirred(std::vector<ColumnForm> forms, std::int64_t context) {
  ColumnDensity density({4, 16, 2}, std::move(forms), context, at::detail::createCPUGenerator(3));
  const at::NoGradGuard no_grad;
  at::Generator generator = at::detail::createCPUGenerator(4);
  for (torch::Tensor& one : density.parameters()) one.add_(0.4 * at::randn(one.sizes(), generator, one.options()));
  return density;
}

TEST(ColumnDensity, IntegratesToOne) {
  const at::NoGradGuard no_grad;
  const ColumnDensity density = stirred({{}, {}}, 2);
  const torch::Tensor context = torch::tensor({{0.3F, -1.1F}});
  constexpr std::int64_t side = 801;
  const torch::Tensor axis = at::linspace(-40, 40, side, at::kDouble);
  const torch::Tensor x = at::cartesian_prod({axis, axis}).to(torch::kFloat32);
  const double cell = 80.0 / (side - 1);
  const double mass =
      density.log_prob(x, context.expand({x.size(0), 2})).to(torch::kFloat64).exp().sum().item<double>();
  EXPECT_NEAR(mass * cell * cell, 1, 2e-3);
}

TEST(ColumnDensity, ProbabilitiesOfWholeNumbersSumToOne) {
  const at::NoGradGuard no_grad;
  const double cell = 0.25;
  const ColumnDensity density = stirred({{cell}}, 1);
  for (const float c : {-2.0F, 0.5F, 1.7F}) {
    const torch::Tensor x = (at::arange(-4000, 4001, at::kDouble) * cell + 0.1).to(torch::kFloat32).unsqueeze(1);
    const torch::Tensor log = density.log_prob(x, at::full({x.size(0), 1}, c)).to(torch::kFloat64);
    EXPECT_TRUE(at::isfinite(log).all().item<bool>()) << "also far away";
    EXPECT_NEAR(log.exp().sum().item<double>(), 1, 1e-3) << c;
  }
}

// Two columns whose single values lie below and among the others, and one with single values alone.
std::vector<ColumnForm> with_atoms() {
  return {{.atoms = {-INFINITY, 0.4}}, {.atoms = {-1}}, {.atoms = {0, 1, 2}, .only_atoms = true}};
}

TEST(ColumnDensity, ProbabilitiesOfAtomsAndTheDensityBesideThemSumToOne) {
  const at::NoGradGuard no_grad;
  const ColumnDensity density = stirred(with_atoms(), 1);
  constexpr std::int64_t side = 401;
  const double step = 80.0 / (side - 1);
  const torch::Tensor axis = at::linspace(-40, 40, side, at::kDouble);
  const auto codes = [](std::int64_t count) { return (at::arange(count, at::kDouble) + 1) * atom_code(0); };
  const torch::Tensor x = at::cartesian_prod({at::cat({axis, codes(2)}), at::cat({axis, codes(1)}), codes(3)}),
                      lines = at::cat({at::full({side}, step, at::kDouble), at::ones({2}, at::kDouble)}),
                      narrow = x.to(torch::kFloat32);
  const torch::Tensor cells =
      at::cartesian_prod({lines, lines.slice(0, 0, side + 1), at::ones({3}, at::kDouble)}).prod(1);
  for (const float c : {-1.0F, 0.6F}) {
    const torch::Tensor log = density.log_prob(narrow, at::full({x.size(0), 1}, c)).to(torch::kFloat64);
    EXPECT_TRUE(at::isfinite(log).all().item<bool>());
    EXPECT_NEAR((log.exp() * cells).sum().item<double>(), 1, 3e-3) << c;
  }
}

// Samples are atoms as often as their probability says, scores are uniform up to the steps at atoms, and training has a
// finite gradient.
TEST(ColumnDensity, DrawsAtomsWithTheirProbabilities) {
  const ColumnDensity density = stirred(with_atoms(), 1);
  constexpr std::int64_t count = 40000;
  const torch::Tensor context = at::full({count, 1}, 0.3F), x = density.sample(context, 9);
  for (std::int64_t k = 0; k < 2; ++k) {
    torch::Tensor one = x.slice(0, 0, 1).clone();
    one[0][0] = atom_code(k);
    const double p = density.log_prob_of_first(one, context.slice(0, 0, 1), 1).exp().item<double>();
    EXPECT_NEAR((atom_of(x.select(1, 0)) == k).to(torch::kFloat64).mean().item<double>(), p, 0.012) << k;
    EXPECT_GT(p, 0.02);
  }
  EXPECT_TRUE((atom_of(x.select(1, 2)) >= 0).all().item<bool>());
  // Levels between two atoms, and the masses of both, are in the order of the values.
  const torch::Tensor level = at::special_ndtr(density.normal_scores(x, context).to(torch::kFloat64)).select(1, 0),
                      atom = atom_of(x.select(1, 0)), value = x.select(1, 0);
  const double first = level.masked_select(atom == 0).max().item<double>();
  EXPECT_LT(first, level.masked_select(atom < 0).min().item<double>()) << "the lowest value";
  const double middle = level.masked_select(atom == 1).max().item<double>();
  EXPECT_LT(level.masked_select(at::logical_and(atom < 0, value < 0.4)).max().item<double>(), middle);
  EXPECT_GT(level.masked_select(at::logical_and(atom<0, value> 0.4)).min().item<double>(), middle);
  for (std::int64_t j = 0; j < 3; ++j) {
    const torch::Tensor u = at::special_ndtr(density.normal_scores(x, context).to(torch::kFloat64)).select(1, j);
    EXPECT_NEAR(u.mean().item<double>(), 0.5, 0.01) << "half of an atom's mass counts";
  }
  density.log_prob(x, context).mean().backward();
  for (const torch::Tensor& one : density.parameters())
    EXPECT_TRUE(one.grad().isfinite().all().item<bool>()) << one.sizes();
}

TEST(ColumnDensity, OfAllPairsIsThatOfEach) {
  const at::NoGradGuard no_grad;
  using Forms = std::vector<ColumnForm>;
  for (const Forms& forms :
       {Forms{{}}, Forms{{}, {0.5}, {}}, Forms{{0, true}, {}, {0, true}, {M_PI / 6, true}}, with_atoms()}) {
    const ColumnDensity density = stirred(forms, 2);
    at::Generator generator = at::detail::createCPUGenerator(5);
    const torch::Tensor x = at::randn({7, density.columns()}, generator, at::TensorOptions(at::kFloat)),
                        context = at::randn({5, 2}, generator, at::TensorOptions(at::kFloat));
    for (std::size_t j = 0; j < forms.size(); ++j)  // atoms in every second row
      for (std::int64_t i = 0; i < 7; ++i)
        if (const auto atoms = static_cast<std::int64_t>(forms[j].atoms.size());
            forms[j].only_atoms || (atoms > 0 && i % 2 == 0))
          x[i][static_cast<std::int64_t>(j)] = atom_code(i / 2 % atoms);
    const torch::Tensor all = density.log_prob_all(x, context);
    for (std::int64_t s = 0; s < 5; ++s)
      EXPECT_TRUE(at::allclose(all[s], density.log_prob(x, context[s].expand({7, 2})), 1e-4, 1e-5));
  }
}

// Outputs of linear networks have no curvature, and those of others as much whatever their size: an output that is
// twice as large has four times the square.
TEST(ColumnDensity, CurvatureIsThatOfItsNetworks) {
  const at::NoGradGuard no_grad;
  at::Generator generator = at::detail::createCPUGenerator(5);
  const torch::Tensor x = at::randn({500, 2}, generator, at::TensorOptions(at::kFloat)),
                      context = at::randn({500, 3}, generator, at::TensorOptions(at::kFloat));
  const ColumnDensity fresh({4, 16, 2}, {{}, {}}, 3, at::detail::createCPUGenerator(3));
  EXPECT_NEAR(fresh.curvature(x, context, 1).item<double>(), 0, 1e-4) << "its outputs are nearly constant";
  const ColumnDensity bent = stirred({{}, {}}, 3);
  const double before = bent.curvature(x, context, 1).item<double>();
  EXPECT_GT(before, 0.01);
  EXPECT_EQ(bent.curvature(x, context, 1).item<double>(), before);
  EXPECT_NE(bent.curvature(x, context, 2).item<double>(), before);
  for (auto& one : bent.named_parameters())
    if (one.value().size(0) == 12) one.value().mul_(2);  // of the last layers: three numbers for each component
  EXPECT_NEAR(bent.curvature(x, context, 1).item<double>() / before, 4, 1e-3);
}

// Samples follow the density: their normal scores are standard normal, and independent between columns.
TEST(ColumnDensity, SamplesHaveStandardNormalScores) {
  const ColumnDensity density = stirred({{}, {}}, 1);
  constexpr std::int64_t count = 40000;
  const torch::Tensor context = at::linspace(-1, 1, count).unsqueeze(1), x = density.sample(context, 9);
  const torch::Tensor scores = density.normal_scores(x, context).to(torch::kFloat64);
  const double tolerance = 5 / std::sqrt(static_cast<double>(count));
  for (std::int64_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(scores.select(1, j).mean().item<double>(), 0, tolerance);
    EXPECT_NEAR(scores.select(1, j).square().mean().item<double>(), 1, 2 * tolerance);
  }
  EXPECT_NEAR((scores.select(1, 0) * scores.select(1, 1)).mean().item<double>(), 0, tolerance);
  EXPECT_TRUE(at::equal(x, density.sample(context, 9)));
  EXPECT_FALSE(at::equal(x, density.sample(context, 10)));
}

// A density on the circle: of mass 1, the same after a whole turn, also for a lattice around it and for the columns
// that follow.
TEST(ColumnDensity, WrapsAroundACircle) {
  const at::NoGradGuard no_grad;
  const double step = M_PI / 18;
  const ColumnDensity density = stirred({{0, true}, {0, true}, {step, true}}, 1);
  const auto row = [](const torch::Tensor& all) { return all.to(torch::kFloat32); };
  for (const float c : {-2.0F, 0.5F, 1.7F}) {
    constexpr std::int64_t side = 600;
    const torch::Tensor axis = (at::arange(side, at::kDouble) + 0.5) * (2 * M_PI / side) - M_PI;
    const torch::Tensor plane = row(at::cartesian_prod({axis, axis})), none = at::zeros({plane.size(0), 1});
    const torch::Tensor x = at::cat({plane, none}, 1), context = at::full({x.size(0), 1}, c);
    const double cell = 2 * M_PI / side;
    const torch::Tensor log = density.log_prob_of_first(x, context, 2).to(torch::kFloat64);
    EXPECT_NEAR(log.exp().sum().item<double>() * cell * cell, 1, 1e-3) << c;
    for (std::int64_t j = 0; j < 2; ++j) {
      torch::Tensor turned = x.clone();
      turned.select(1, j).add_(2 * M_PI);
      EXPECT_TRUE(at::allclose(density.log_prob(turned, context), density.log_prob(x, context), 1e-3, 1e-3)) << j;
    }
    const torch::Tensor lattice = row(at::arange(36, at::kDouble) * step - M_PI + 0.1).unsqueeze(1);
    const torch::Tensor at_two = at::cat({at::full({36, 2}, 0.7F), lattice}, 1);
    EXPECT_NEAR(density.log_prob(at_two, at::full({36, 1}, c), 2).to(torch::kFloat64).exp().sum().item<double>(), 1,
                1e-3)
        << c;
  }
  constexpr std::int64_t count = 40000;
  const torch::Tensor context = at::linspace(-1, 1, count).unsqueeze(1), x = density.sample(context, 9);
  EXPECT_LT(x.slice(1, 0, 2).abs().max().item<double>(), M_PI + 1e-5);
  const torch::Tensor scores = density.normal_scores(x, context).to(torch::kFloat64);
  const double tolerance = 5 / std::sqrt(static_cast<double>(count));
  for (std::int64_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(scores.select(1, j).mean().item<double>(), 0, tolerance);
    EXPECT_NEAR(scores.select(1, j).square().mean().item<double>(), 1, 2 * tolerance);
  }
}

}  // namespace
}  // namespace pairs
