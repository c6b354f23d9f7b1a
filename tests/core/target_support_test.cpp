// Posteriors end where the supports of the targets do, whatever the head and whichever ends there are.
#include "core/target_support.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/ensemble.h"
#include "core/estimator.h"

namespace pairs {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Ends {
  double low, high;
};

class EndedTask final : public Task {
 public:
  explicit EndedTask(const std::vector<Ends>& ends) {
    info_.name = "ended";
    info_.title = "Ended";
    for (std::size_t t = 0; t < ends.size(); ++t)
      info_.targets.push_back({fmt::format("theta{}", t), "θ", "", ends[t].low, ends[t].high, 0.2, 0.7, 1.0, -2, 2});
    info_.max_n = 100;
    info_.kind = ObservationKind::points;
    info_.observation_shape = {1};
    info_.observation_columns = {"x"};
    info_.data_source = "simulated";
  }
  const TaskInfo& info() const override { return info_; }
  Latents latents(std::uint64_t, Purpose, std::span<const std::int64_t>) const override { fail("not asked for"); }
  Observations observe(const Latents&, std::uint64_t, Purpose, std::span<const SetRange>,
                       const torch::Device&) const override {
    fail("not asked for");
  }

 private:
  TaskInfo info_;
};

std::shared_ptr<Estimator> estimator_of(const std::vector<Ends>& ends, const std::string& head, bool restricted,
                                        std::uint64_t seed = 1) {
  EstimatorConfig config;
  for (const std::string& setting :
       {std::string("embedder.size=4"), std::string("embedder.layers=[8]"), std::string("head.conditioner=[16]"),
        std::string("head.integrand=[16]"), std::string("head.hidden=32"), "head.kind=" + head,
        fmt::format("restrict={}", restricted)})
    set_field(fields(config), setting);
  auto out = std::make_shared<Estimator>(std::make_shared<EndedTask>(ends), config, seed);
  at::NoGradGuard no_grad;
  auto generator = at::detail::createCPUGenerator(seed + 4);
  for (auto& [name, weight] : out->head_parameters()) weight.add_(at::randn(weight.sizes(), generator), 0.1);
  const auto d = static_cast<std::int64_t>(ends.size());
  if (ResidualSpread* spread = face<ResidualSpread>(out->head(0)))
    spread->set_sigma(torch::tensor({std::int64_t{1}}), torch::full({1, d}, 0.8));
  out->train(false);
  return out;
}

torch::Tensor aggregates_of(std::int64_t sets) {
  return at::randn({sets, 4}, at::detail::createCPUGenerator(8));
}

const std::vector<std::vector<Ends>>& supports() {
  static const std::vector<std::vector<Ends>> all = {{{0, kInf}},
                                                     {{-kInf, 0.4}},
                                                     {{-0.3, 0.5}},
                                                     {{0, 1}, {0, kInf}},
                                                     {{-kInf, kInf}, {-0.5, kInf}},
                                                     {{0, kInf}, {-kInf, kInf}, {-1, 1}}};
  return all;
}

// What lies outside of an end by `by`, the other targets inside.
torch::Tensor outside_points(const std::vector<Ends>& ends, double by) {
  std::vector<torch::Tensor> rows;
  const auto inside = [](const Ends& one) {
    return std::isfinite(one.low) ? one.low + 0.1 : std::isfinite(one.high) ? one.high - 0.1 : 0.1;
  };
  for (std::size_t t = 0; t < ends.size(); ++t)
    for (const double value : {ends[t].low - by, ends[t].high + by}) {
      if (!std::isfinite(value)) continue;
      std::vector<double> row;
      for (const Ends& one : ends) row.push_back(inside(one));
      row[t] = value;
      rows.push_back(torch::tensor(row, torch::kFloat64));
    }
  return at::stack(rows);
}

TEST(TargetSupport, HoldsEveryPosterior) {
  constexpr std::int64_t sets = 3, draws = 4000;
  const torch::Tensor aggregates = aggregates_of(sets),
                      n = torch::tensor({std::int64_t{1}, std::int64_t{7}, std::int64_t{100}});
  for (const char* head : {"spline", "umnn", "mixture", "gaussian"})
    for (const std::vector<Ends>& ends : supports()) {
      SCOPED_TRACE(fmt::format("{} {} targets from {} to {}", head, ends.size(), ends[0].low, ends[0].high));
      const auto cut = estimator_of(ends, head, true), whole = estimator_of(ends, head, false);
      EXPECT_TRUE(cut->confined());
      EXPECT_FALSE(whole->confined());
      const TargetSupport support(cut->task().info().targets);
      EXPECT_TRUE(support.bounded());
      const torch::Tensor share = cut->share_outside(aggregates, n), theta = cut->sample(aggregates, n, draws, 5);
      EXPECT_TRUE(share.equal(whole->share_outside(aggregates, n)));
      EXPECT_GT(share.max().item<double>(), 0.02) << "nothing to cut";
      EXPECT_EQ(support.excludes(theta).sum().item<std::int64_t>(), 0);
      // The share is the one of the draws of the whole density.
      const torch::Tensor own = support.excludes(whole->sample(aggregates, n, draws, 6)).to(torch::kFloat64).mean(1);
      EXPECT_LT((own - share).abs().max().item<double>(), ends.size() == 1 ? 0.03 : 0.06);
      // Inside, the density is the whole one over what is left of it; outside there is none.
      const torch::Tensor inside = theta.slice(1, 0, 50);
      const torch::Tensor more = cut->log_prob_grid(inside, aggregates, n) -
                                 whole->log_prob_grid(inside, aggregates, n) + (1 - share).log().unsqueeze(1);
      EXPECT_LT(more.abs().max().item<double>(), 1e-4);
      const torch::Tensor beyond = outside_points(ends, 1e-9).unsqueeze(0).expand({sets, -1, -1});
      EXPECT_TRUE(cut->log_prob_grid(beyond, aggregates, n).isneginf().all().item<bool>());
      EXPECT_TRUE(whole->log_prob_grid(beyond, aggregates, n).isfinite().all().item<bool>());
      const torch::Tensor just = outside_points(ends, 0).unsqueeze(0).expand({sets, -1, -1});
      EXPECT_TRUE(cut->log_prob_grid(just, aggregates, n).isfinite().all().item<bool>());
      // A set's draws come again, and do not depend on the sets behind it but for the rounding of a larger product.
      EXPECT_TRUE(cut->sample(aggregates, n, draws, 5).equal(theta));
      const torch::Tensor alone = cut->sample(aggregates.slice(0, 0, 1), n.slice(0, 0, 1), draws, 5)[0];
      EXPECT_LT((alone - theta[0]).abs().max().item<double>(), 1e-4);
    }
}

// Over the support, by the midpoint rule.
double mass(Estimator& estimator, const std::vector<Ends>& ends, const torch::Tensor& aggregate) {
  const std::int64_t side = ends.size() == 1 ? 10000 : 200;
  std::vector<torch::Tensor> axes;
  double cell = 1;
  for (const Ends& one : ends) {
    const double low = std::max(one.low, -15.0), high = std::min(one.high, 15.0),
                 step = (high - low) / static_cast<double>(side);
    axes.push_back((at::arange(side, at::kDouble) + 0.5) * step + low);
    cell *= step;
  }
  for (torch::Tensor& axis : axes = torch::meshgrid(axes, "ij")) axis = axis.flatten();
  const torch::Tensor log =
      estimator.log_prob_grid(at::stack(axes, 1).unsqueeze(0), aggregate, torch::ones({1}, torch::kInt64));
  return log.exp().sum().item<double>() * cell;
}

TEST(TargetSupport, DensitiesIntegrateToOneOverIt) {
  const torch::Tensor aggregate = aggregates_of(1);
  for (const char* head : {"spline", "umnn", "mixture", "gaussian"})
    for (const std::vector<Ends>& ends : supports())
      if (ends.size() < 3) {
        SCOPED_TRACE(fmt::format("{} {} targets from {} to {}", head, ends.size(), ends[0].low, ends[0].high));
        const auto cut = estimator_of(ends, head, true);
        // With two targets, heads other than the Gaussian estimate the mass within the support from samples, to 3 % if
        // the maximum number of samples allows.
        const double out = cut->share_outside(aggregate, torch::ones({1}, torch::kInt64)).item<double>();
        EXPECT_NEAR(mass(*cut, ends, aggregate), 1,
                    ends.size() == 1 || std::string(head) == "gaussian"
                        ? 2e-3
                        : 4 * std::min(0.03, std::sqrt(out / (1 - out) / 2048)));
      }
}

TEST(TargetSupport, ASetThatIsOutOfRangeKnowsNothingButTheSupport) {
  for (const std::vector<Ends>& ends : supports()) {
    const auto d = static_cast<std::int64_t>(ends.size());
    const auto cut = estimator_of(ends, "spline", true);
    cut->set_location(0, torch::zeros({d, 4}), torch::full({d}, std::isfinite(ends[0].low) || d > 1 ? -1e5 : 1e5));
    const TargetSupport support(cut->task().info().targets);
    const torch::Tensor aggregate = aggregates_of(2), n = torch::ones({2}, torch::kInt64);
    EXPECT_GT(cut->share_outside(aggregate, n).min().item<double>(), Estimator::kOutOfRange);
    const torch::Tensor theta = cut->sample(aggregate, n, 2000, 3);
    EXPECT_EQ(support.excludes(theta).sum().item<std::int64_t>(), 0);
    EXPECT_TRUE(theta.isfinite().all().item<bool>());
    EXPECT_TRUE(at::allclose(cut->log_prob_grid(theta, aggregate, n), support.broad_log_density(theta), 1e-6, 1e-6));
    if (d == 1) {
      EXPECT_NEAR(mass(*cut, ends, aggregate.slice(0, 0, 1)), 1, 1e-3);
    }
  }
}

TEST(TargetSupport, AnEnsembleOfRestrictedRunsStaysInIt) {
  const std::vector<Ends> ends = {{0, kInf}};
  Ensemble mean({estimator_of(ends, "umnn", true, 1), estimator_of(ends, "umnn", true, 2)});
  EXPECT_TRUE(mean.confined());
  const torch::Tensor aggregates = at::randn({2, 8}, at::detail::createCPUGenerator(8)),
                      n = torch::ones({2}, torch::kInt64);
  const TargetSupport support(mean.task().info().targets);
  EXPECT_EQ(support.excludes(mean.sample(aggregates, n, 3000, 5, {})).sum().item<std::int64_t>(), 0);
  EXPECT_GT(mean.share_outside(aggregates, n).min().item<double>(), 0);
  EXPECT_NEAR(mass(mean, ends, aggregates.slice(0, 0, 1)), 1, 2e-3);
}

TEST(TargetSupport, IsKeptWithTheWeightsAndLeavesOthersAsTheyWere) {
  const std::vector<Ends> ends = {{0, kInf}};
  for (const bool restricted : {true, false}) {
    const auto one = estimator_of(ends, "umnn", restricted);
    EXPECT_EQ(Estimator::parse(one->content(), "it", one->task_pointer()).confined(), restricted);
    EXPECT_EQ(one->clone().confined(), restricted);
  }
  // Weights of versions that had no such setting.
  const auto old = estimator_of(ends, "umnn", true);
  TensorFile content = old->content();
  std::string& text = content.metadata["estimator"];
  const std::string line = "restrict = true\n";
  ASSERT_NE(text.find(line), std::string::npos);
  text.erase(text.find(line), line.size());
  EXPECT_TRUE(Estimator::parse(content, "it", old->task_pointer()).confined());
  // Where no target has an end there is nothing to restrict.
  const auto open = estimator_of({{-kInf, kInf}}, "spline", true),
             whole = estimator_of({{-kInf, kInf}}, "spline", false);
  const torch::Tensor aggregates = aggregates_of(3), n = torch::ones({3}, torch::kInt64);
  EXPECT_TRUE(open->sample(aggregates, n, 50, 5).equal(whole->sample(aggregates, n, 50, 5)));
  EXPECT_EQ(open->share_outside(aggregates, n).abs().max().item<double>(), 0);
}

TEST(TargetSupport, IsWrittenAsPeopleWriteIt) {
  const auto text = [](double low, double high) { return support_text(EndedTask({{low, high}}).info().targets[0]); };
  EXPECT_EQ(text(0, kInf), "[0, ∞)");
  EXPECT_EQ(text(-kInf, 2.5), "(-∞, 2.5]");
  EXPECT_EQ(text(0, 9), "[0, 9]");
}

}  // namespace
}  // namespace pairs
