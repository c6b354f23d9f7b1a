#include "core/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/disagreement.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

using testing::HasSubstr;

const torch::Tensor kOne = torch::ones({1}, torch::kInt64);

std::shared_ptr<Estimator> member(std::uint64_t seed, EstimatorConfig config = toy_estimator()) {
  auto one = std::make_shared<Estimator>(std::make_shared<ToyTask>(), config, seed);
  torch::NoGradGuard no_grad;
  torch::manual_seed(static_cast<std::int64_t>(seed));
  for (auto& [name, tensor] : one->head_parameters()) tensor.add_(torch::randn_like(tensor) * 0.2);
  one->set_max_n(static_cast<std::int64_t>(100 * seed));
  one->train(false);
  return one;
}

Ensemble three() {
  return Ensemble({member(1), member(2), member(3)});
}

std::string why(const std::vector<std::shared_ptr<Estimator>>& members) {
  try {
    const Ensemble made(members);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Ensemble, IsTheMeanOfItsMembersDensities) {
  Ensemble all = three();
  EXPECT_EQ(all.embedding_size(), 18);
  EXPECT_EQ(all.max_n(), 100);
  const torch::Tensor aggregates = torch::randn({4, 18}), theta = torch::randn({4, 5, 1}, torch::kFloat64);
  const torch::Tensor n = torch::full({4}, 3, torch::kInt64);
  torch::Tensor mean = torch::zeros({4, 5}, torch::kFloat64);
  for (std::int64_t k = 0; k < 3; ++k)
    mean += member(static_cast<std::uint64_t>(k + 1))
                ->log_prob_grid(theta, aggregates.slice(1, 6 * k, 6 * k + 6), n)
                .exp() /
            3;
  EXPECT_TRUE(all.log_prob_grid(theta, aggregates, n, {}).exp().allclose(mean, 1e-12, 0));
  EXPECT_TRUE(static_cast<Estimator&>(all)
                  .log_prob(theta.select(1, 2), aggregates, n)
                  .exp()
                  .allclose(mean.select(1, 2), 1e-6, 0));
}

TEST(Ensemble, EmbedsByEachMember) {
  Ensemble all = three();
  const Observations x(torch::randn({7, 1}));
  const torch::Tensor embedded = all.embed(x, 0);
  const std::vector<torch::Tensor> parts = member_parts(all.members(), embedded);
  ASSERT_EQ(parts.size(), 3u);
  for (std::uint64_t k = 0; k < 3; ++k) EXPECT_TRUE(parts[k].equal(member(k + 1)->embed(x)));
}

// The share of draws below a value is the mixture's, by quadrature of its density.
TEST(Ensemble, DrawsFromTheMixture) {
  Ensemble all = three();
  const torch::Tensor aggregate = torch::randn({1, 18}) * 2;
  const torch::Tensor draws = all.sample(aggregate, kOne, 20000, 7, {}).flatten();
  EXPECT_TRUE(draws.equal(all.sample(aggregate, kOne, 20000, 7, {}).flatten()));
  // Steps that grow outwards: the tails are long.
  const torch::Tensor grid = torch::linspace(-14, 14, 80001, torch::kFloat64).sinh();
  const torch::Tensor density = all.log_prob_grid(grid.view({1, -1, 1}), aggregate, kOne, {}).exp().flatten();
  const torch::Tensor cumulative = torch::cumulative_trapezoid(density, grid);
  EXPECT_NEAR(cumulative[-1].item<double>(), 1, 1e-3);
  const torch::Tensor sorted = std::get<0>(draws.sort());
  const torch::Tensor at = cumulative.index_select(0, torch::searchsorted(grid, sorted).clamp(1, 80000) - 1);
  const double ks = (at - (torch::arange(20000, torch::kFloat64) + 0.5) / 20000).abs().max().item<double>();
  EXPECT_LT(ks, 1.95 / std::sqrt(20000.0)) << "p < 0.001";
}

// Drawn together about its mean it has the same mean, and width times the sd; density and draws agree.
TEST(Ensemble, IsDrawnTogetherAboutItsMean) {
  Ensemble plain = three(), narrow({member(1), member(2), member(3)}, 0.5);
  EXPECT_EQ(narrow.width(), 0.5);
  const torch::Tensor aggregate = torch::randn({1, 18}) * 0.5;
  const torch::Tensor grid = torch::linspace(-14, 14, 80001, torch::kFloat64).sinh();
  const auto density = [&](Ensemble& of) {
    return of.log_prob_grid(grid.view({1, -1, 1}), aggregate, kOne, {}).exp().flatten();
  };
  const torch::Tensor middle = plain.center(aggregate, kOne, {}).flatten();
  const torch::Tensor stretched = torch::trapezoid(density(narrow), grid);
  EXPECT_NEAR(stretched.item<double>(), 1, 1e-3) << "it is a density";
  const torch::Tensor at = middle + 2 * (grid - middle);
  EXPECT_TRUE(narrow.log_prob_grid(grid.view({1, -1, 1}), aggregate, kOne, {})
                  .allclose(plain.log_prob_grid(at.view({1, -1, 1}), aggregate, kOne, {}) + std::log(2.0), 1e-9, 1e-9));
  const torch::Tensor wide = plain.sample(aggregate, kOne, 1000, 7, {}),
                      drawn = narrow.sample(aggregate, kOne, 1000, 7, {});
  EXPECT_TRUE(drawn.allclose(middle + 0.5 * (wide - middle), 1e-12, 1e-12));
  // The center of a set does not depend on the other sets in the batch.
  const torch::Tensor many = torch::cat({torch::randn({2, 18}), aggregate});
  EXPECT_TRUE(narrow.center(many, torch::ones({3}, torch::kInt64), {})[2].equal(narrow.center(aggregate, kOne, {})[0]));
}

TEST(Ensemble, FindsASetAsTypicalAsItsMostDoubtfulMember) {
  const auto a = member(1), b = member(2);
  const auto record = [](double at) {
    return AggregateStatistics{torch::full({6}, at, torch::kFloat64), torch::eye(6, torch::kFloat64) * 0.1,
                               torch::eye(6, torch::kFloat64), torch::linspace(0, 9, 101, torch::kFloat64)};
  };
  a->set_statistics(record(0), false, 0);
  const Ensemble unknown({a, b});
  EXPECT_FALSE(unknown.knows_typicality());
  b->set_statistics(record(1), false, 0);
  const Ensemble both({a, b});
  ASSERT_TRUE(both.knows_typicality());
  const torch::Tensor aggregate = torch::zeros({1, 12}, torch::kFloat64);
  const auto reported = both.typicality(aggregate, kOne), of_b = b->typicality(aggregate.slice(1, 6), kOne);
  EXPECT_EQ(a->typicality(aggregate.slice(1, 0, 6), kOne).distance.item<double>(), 0);
  EXPECT_EQ(reported.distance.item<double>(), of_b.distance.item<double>());
  EXPECT_EQ(reported.percentile.item<double>(), of_b.percentile.item<double>());
  EXPECT_TRUE(both.mean_aggregate().equal(torch::cat({torch::zeros({6}), torch::ones({6})}).to(torch::kFloat64)));
}

TEST(Ensemble, ComesBackFromItsFileToTheBit) {
  const TemporaryFolder folder;
  const auto file = folder / "ensemble.safetensors";
  Ensemble all = three();
  save_ensemble(all, file);
  const std::shared_ptr<Estimator> loaded = load_estimator(file, std::make_shared<ToyTask>());
  EXPECT_EQ(loaded->members().size(), 3u);
  EXPECT_EQ(loaded->max_n(), 100);
  const torch::Tensor aggregates = torch::randn({4, 18}), theta = torch::randn({4, 1}, torch::kFloat64);
  const torch::Tensor n = torch::tensor({1, 2, 3, 4}, torch::kInt64);
  EXPECT_TRUE(
      loaded->log_prob(theta, aggregates, n).equal(static_cast<Estimator&>(all).log_prob(theta, aggregates, n)));
  Ensemble narrow({member(1), member(2), member(3)}, 0.785);
  save_ensemble(narrow, folder / "narrow.safetensors");
  EXPECT_TRUE(load_estimator(folder / "narrow.safetensors", std::make_shared<ToyTask>())
                  ->log_prob(theta, aggregates, n)
                  .equal(static_cast<Estimator&>(narrow).log_prob(theta, aggregates, n)));
  TensorFile without = read_safetensors(file);
  without.metadata.erase("width");
  write_safetensors(folder / "without.safetensors", without);
  EXPECT_THROW(load_estimator(folder / "without.safetensors", std::make_shared<ToyTask>()), Error);
  // One that was trained comes from the same door.
  member(2)->save(folder / "one.safetensors");
  EXPECT_TRUE(load_estimator(folder / "one.safetensors", std::make_shared<ToyTask>())->members().empty());
  TensorFile broken = read_safetensors(file);
  broken.tensors.erase(broken.tensors.lower_bound("members.1."));
  write_safetensors(folder / "broken.safetensors", broken);
  EXPECT_THROW(load_estimator(folder / "broken.safetensors", std::make_shared<ToyTask>()), Error);
  broken.metadata["members"] = "1";
  write_safetensors(folder / "broken.safetensors", broken);
  EXPECT_THROW(load_estimator(folder / "broken.safetensors", std::make_shared<ToyTask>()), Error);
}

TEST(Ensemble, RefusesWhatCannotBeAveraged) {
  EXPECT_THAT(why({member(1)}), HasSubstr("two runs or more"));
  const auto a = member(1), b = member(2);
  EXPECT_THAT(why({a, std::make_shared<Ensemble>(std::vector{a, b})}), HasSubstr("not of other ensembles"));
  a->split_heads({2, 50});
  b->split_heads({3});
  EXPECT_THAT(why({a, b}), HasSubstr("none in common"));
  b->split_heads({50, 60});
  EXPECT_EQ(Ensemble({a, b}).sizes(), (std::vector<std::int64_t>{50}));
  EXPECT_THROW(Ensemble({member(1), member(2)}, 9), Error);
  const auto bounded = [](std::uint64_t seed) {
    return std::make_shared<Estimator>(std::make_shared<BoundedToyTask>(), toy_estimator(), seed);
  };
  EXPECT_NO_THROW(Ensemble({bounded(1), bounded(2)}));
  EXPECT_THROW(Ensemble({bounded(1), bounded(2)}, 0.9), Error) << "it would reach beyond the ends";
  EXPECT_THROW(three().split_heads({2}), Error);
  EXPECT_THROW(three().state(), Error);
  EXPECT_THROW(three().reset_heads(1), Error);
}

// Two normals whose means and sds are set: the divergence by quadrature, the spread in closed form.
TEST(Disagreement, IsTheJensenShannonDivergence) {
  EstimatorConfig config = toy_estimator();
  config.head.kind = "gaussian";
  const auto normal = [&](std::uint64_t seed, double sigma) {
    const auto one = member(seed, config);
    face<ResidualSpread>(one->head(0))->set_sigma(kOne, torch::full({1, 1}, sigma));
    return one;
  };
  const auto a = normal(1, 0.5), b = normal(2, 0.8);
  const Ensemble both({a, b});
  const torch::Tensor aggregate = torch::randn({1, 12});
  const std::vector<torch::Tensor> parts = member_parts(both.members(), aggregate);
  const torch::Tensor grid = torch::linspace(-60, 60, 120001, torch::kFloat64).view({1, -1, 1});
  const double step = 120.0 / 120000;
  const torch::Tensor p = a->log_prob_grid(grid, parts[0], kOne)[0], q = b->log_prob_grid(grid, parts[1], kOne)[0];
  const torch::Tensor mixture = torch::logaddexp(p, q) - std::log(2.0);
  const auto expected = [&](const torch::Tensor& f) { return (f.nan_to_num(0, 0, 0)).sum().item<double>() * step; };
  const double divergence = 0.5 * (expected(p.exp() * (p - mixture)) + expected(q.exp() * (q - mixture)));
  const auto moment = [&](const torch::Tensor& log_density, int power) {
    return expected(log_density.exp() * grid.flatten().pow(power));
  };
  const double ma = moment(p, 1), mb = moment(q, 1), mean = (ma + mb) / 2;
  const double variance = (moment(p, 2) + moment(q, 2)) / 2 - mean * mean;
  const Disagreement reported = disagreement(both, aggregate, kOne);
  EXPECT_EQ(reported.members, 2);
  EXPECT_GT(divergence, 0.01) << "the test's two normals differ";
  EXPECT_NEAR(reported.nat, divergence, 4 * reported.nat_se);
  EXPECT_LT(reported.nat_se, 0.05);
  EXPECT_NEAR(reported.spread.at(0), std::abs(ma - mb) / 2 / std::sqrt(variance), 0.08);
}

TEST(Disagreement, IsNoneOfMembersThatAreAlikeNorOfOneRun) {
  const Ensemble alike({member(2), member(2)});
  const torch::Tensor aggregate = torch::randn({1, 6});
  const Disagreement reported = disagreement(alike, torch::cat({aggregate, aggregate}, 1), kOne);
  EXPECT_NEAR(reported.nat, 0, 1e-6);
  EXPECT_NEAR(reported.spread.at(0), 0, 1e-6);
  EXPECT_EQ(disagreement(*member(1), aggregate, kOne).members, 0);
}

}  // namespace
}  // namespace pairs
