// The one verdict on whether a model makes an observed set: its words, its false alarms over sets of the model, and its
// power against other models.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "app/posterior/caveats/verdict.h"
#include "app/posterior/checks/within_sets.h"
#include "core/base/files/files.h"
#include "core/base/gpu/transfer.h"
#include "core/base/numbers/random.h"
#include "core/base/system/streams.h"
#include "tests/app/model/small_run.h"
#include "tests/long_tests.h"
#include "tests/tasks/in_place_of.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;
using Standing = ModelVerdict::Standing;

Typicality at_percentile(double percentile) {
  return {true, percentile >= 99.9, 3.0, percentile};
}

TEST(Verdict, HasOneSentenceForAllThatWasMeasured) {
  EXPECT_EQ(model_verdict(at_percentile(37.9)).text, "In distribution (37th percentile of training)");
  EXPECT_EQ(model_verdict(at_percentile(99.3)).text, "At the edge of training (99.3rd percentile)");
  EXPECT_EQ(model_verdict(at_percentile(99.95)).text, "Out of distribution (above the 99.9th percentile of training)");
  EXPECT_EQ(model_verdict(at_percentile(99.995)).text,
            "Out of distribution (above the 99.99th percentile of training)");
  EXPECT_EQ(model_verdict(at_percentile(37), {0.005, 199}).text, "Model rejected (p ≤ 0.005, the smallest resolvable)");
  EXPECT_EQ(model_verdict(at_percentile(37), {0.01, 199}).text, "Model rejected (p = 0.01)");
  EXPECT_EQ(model_verdict(at_percentile(37), {0.015, 199}).text,
            "In distribution (37th percentile of training; predictive test borderline, p = 0.015)");
  EXPECT_EQ(within_verdict(model_verdict(at_percentile(37)), {.p = 0.4, .sets = 3999}).text,
            "In distribution (37th percentile of training; within the set p = 0.4)");
  EXPECT_EQ(within_verdict(model_verdict(at_percentile(37), {0.01, 199}), {.p = 0.4, .sets = 3999}).text,
            "Model rejected (p = 0.01; within the set p = 0.4)");
  EXPECT_EQ(within_verdict(model_verdict(at_percentile(37)), {.p = 0.0004, .sets = 3999}).text,
            "Model rejected (within the set, p = 0.0004)");
  EXPECT_EQ(model_verdict({}).standing, Standing::unknown);
  EXPECT_EQ(model_verdict({}, {0.5, 59}).standing, Standing::inside);
  for (const auto& [percentile, text] : std::vector<std::pair<double, std::string>>{
           {0, "0th"}, {1.5, "1st"}, {2, "2nd"}, {3, "3rd"}, {11, "11th"}, {12, "12th"}, {21, "21st"}, {98.99, "98th"}})
    EXPECT_EQ(ordinal_text(percentile), text);
}

TEST(Verdict, PutsARejectedModelBeforeAllElse) {
  const ModelVerdict rejected = model_verdict(at_percentile(99.99), {0.005, 199});
  EXPECT_TRUE(rejected.rejected());
  EXPECT_EQ(rejected.by, "predictive test");
  EXPECT_TRUE(withdrawn({WarningKind::exact, "use the exact posterior"}, rejected));
  EXPECT_TRUE(withdrawn({WarningKind::outside, "out"}, rejected));
  EXPECT_FALSE(withdrawn({WarningKind::extrapolation, "larger"}, rejected));
  const ModelVerdict outside = model_verdict(at_percentile(99.95), {0.5, 199});
  EXPECT_EQ(outside.standing, Standing::outside);
  EXPECT_NEAR(outside.p, 0.0005, 1e-9);
  EXPECT_FALSE(withdrawn({WarningKind::exact, "use the exact posterior"}, outside));
  EXPECT_THAT(verdict_warning(outside), HasSubstr("do not trust this posterior"));
  EXPECT_EQ(verdict_warning(model_verdict(at_percentile(50))), "");
  EXPECT_EQ(verdict_document(rejected).at("standing"), "model rejected");
}

// Judges sets of n observations of one run as infer judges them by default.
class Judge {
 public:
  Judge(const LoadedRun& run, std::int64_t n) : run_(run), within_(run, n, {}) {}
  ModelVerdict operator()(const torch::Tensor& x) const {
    const torch::Tensor aggregate =
        run_.estimator->embed(Observations(x)).to(torch::kCPU, torch::kFloat64).mean(0, true);
    const Typicality typicality = typicality_of(*run_.estimator, aggregate, torch::full({1}, x.size(0), torch::kInt64));
    return within_verdict(model_verdict(typicality), within_.test(Observations(x)));
  }

 private:
  LoadedRun run_;
  WithinSets within_;
};

using Maker = std::function<std::vector<double>(Stream& stream, std::int64_t i)>;

// Shares of sets of n observations that are warned of. make(stream) draws what a set has in common and gives what draws
// its observations.
double warned(const Judge& judge, std::int64_t sets, std::int64_t n, const std::function<Maker(Stream&)>& make) {
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < sets; ++k) {
    Stream stream(stream_key(77, Purpose::test), static_cast<std::uint64_t>(k));
    const Maker one = make(stream);
    std::vector<float> values;
    for (std::int64_t i = 0; i < n; ++i)
      for (const double value : one(stream, i)) values.push_back(static_cast<float>(value));
    count += judge(torch::tensor(values).view({n, -1})).warns();
  }
  return static_cast<double>(count) / static_cast<double>(sets);
}

// Share of the model's own sets that are warned of.
double alarms(const LoadedRun& run, const Judge& judge, std::int64_t sets, std::int64_t n) {
  std::int64_t count = 0;
  for (std::int64_t k = 0; k < sets; ++k) {
    const std::int64_t indices[] = {k};
    const SetRange range[] = {{k, 0, n}};
    count +=
        judge(run.task->observe(run.task->latents(43, Purpose::check, indices), 43, Purpose::check, range, torch::kCPU)
                  .block())
            .warns();
  }
  return static_cast<double>(count) / static_cast<double>(sets);
}

void expect_one_in_a_hundred(const std::string& name, double share, std::int64_t sets) {
  ::testing::Test::RecordProperty(name + " false alarms", fmt::format("{:.4f} of {}", share, sets));
  fmt::print("{}: {:.4f} of {} sets of the model are warned of\n", name, share, sets);
  // The false-alarm rate varies by 0.0015 between draws of the held-out sets.
  const double errors = 4 * std::sqrt(0.01 / static_cast<double>(sets));
  EXPECT_LE(share, 0.01 + 0.003 + errors) << name;
  if (long_tests()) {
    EXPECT_GE(share, 0.01 - 0.003 - errors) << name;
  }
}

const LoadedRun& shipped_run(const std::string& name) {
  static std::map<std::string, LoadedRun> loaded;
  if (!loaded.contains(name)) loaded[name] = load_run(built_in_tasks(), name, "", "cpu");
  return loaded[name];
}

void expect_power(const Judge& judge, const std::string& name, double least, std::int64_t n,
                  const std::function<Maker(Stream&)>& make) {
  const double share = warned(judge, long_tests() ? 50 : n > 100 ? 5 : 20, n, make);
  ::testing::Test::RecordProperty(name, fmt::format("{:.2f}", share));
  fmt::print("{}: {:.2f} warned of\n", name, share);
  EXPECT_GE(share, least) << name;
}

TEST(OutOfDistribution, IsSeenByTheBumpHunt) {
  const LoadedRun& run = shipped_run("bump-hunt");
  const Judge judge(run, 100);
  const auto wide = [](Stream& s, std::int64_t) { return std::vector{3 * s.normal64()}; };
  const auto flat = [](Stream& s, std::int64_t) { return std::vector{10 * s.uniform64() - 5}; };
  const auto half = [&](Stream& s, std::int64_t i) { return i % 2 == 0 ? wide(s, i) : flat(s, i); };
  for (const auto& [name, maker] :
       std::vector<std::pair<std::string, Maker>>{{"N(0, 3)", wide}, {"uniform(-5, 5)", flat}, {"half of each", half}})
    expect_power(judge, name, 0.9, 100, [&](Stream&) { return maker; });
  const std::int64_t own = long_tests() ? 20000 : 300;
  expect_one_in_a_hundred("bump hunt", alarms(run, judge, own, 100), own);
}

TEST(OutOfDistribution, IsSeenByTheGaussian) {
  const auto ring = [](Stream& s, std::int64_t) {
    const double at = 2 * std::numbers::pi * s.uniform64();
    return std::vector{3 * std::cos(at), 3 * std::sin(at)};
  };
  const auto clusters = [](Stream& s, std::int64_t i) {
    const double middle = i % 2 == 0 ? -3 : 3;
    return std::vector{middle + 0.5 * s.normal64(), 0.5 * s.normal64()};
  };
  const auto cauchy = [](Stream& s, std::int64_t) {
    const double below = s.normal64();
    return std::vector{s.normal64() / below, s.normal64() / below};
  };
  const std::int64_t n = long_tests() ? 100000 : 1000;
  const LoadedRun& run = shipped_run("gaussian");
  {
    const Judge judge(run, n);
    for (const auto& [name, maker] : std::vector<std::pair<std::string, Maker>>{
             {"ring", ring}, {"two clusters", clusters}, {"t with one degree of freedom", cauchy}})
      expect_power(judge, name, 0.9, n, [&](Stream&) { return maker; });
  }
  const Judge judge(run, 100);
  const std::int64_t own = long_tests() ? 20000 : 300;
  expect_one_in_a_hundred("gaussian", alarms(run, judge, own, 100), own);
}

// A task as a person brings it, of points: targets and nuisances of the prior, and one observation of them.
class OwnModel : public Task {
 public:
  using Prior = std::function<std::pair<std::vector<double>, double>(Stream&)>;  // θ, ψ
  using Draw = std::function<std::vector<double>(const std::vector<double>& theta, double psi, Stream&)>;

  OwnModel(std::vector<Target> targets, std::vector<std::string> columns, Prior prior, Draw draw)
      : prior_(std::move(prior)), draw_(std::move(draw)) {
    info_.name = "gaussian";  // in its place
    info_.title = "Own";
    info_.targets = std::move(targets);
    info_.nuisances = {{"psi", "ψ"}};
    info_.max_n = 100;
    info_.kind = ObservationKind::points;
    info_.observation_shape = {static_cast<std::int64_t>(columns.size())};
    info_.observation_columns = std::move(columns);
    info_.data_source = "simulated";
  }
  const TaskInfo& info() const override { return info_; }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    const auto n = static_cast<std::int64_t>(indices.size());
    const auto d = static_cast<std::int64_t>(info_.targets.size());
    Latents out{torch::empty({n, d}, torch::kFloat64), torch::empty({n, 1}, torch::kFloat64)};
    for (std::int64_t i = 0; i < n; ++i) {
      Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(indices[static_cast<std::size_t>(i)]),
                    (std::uint64_t{1} << 47) - 1);
      const auto [theta, psi] = prior_(stream);
      for (std::int64_t t = 0; t < d; ++t) out.theta[i][t] = theta[static_cast<std::size_t>(t)];
      out.psi[i][0] = psi;
    }
    return out;
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::vector<float> x;
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const auto row = static_cast<std::int64_t>(k);
      const std::vector<double> theta = doubles(latents.theta[row]);
      const double psi = latents.psi[row][0].item<double>();
      for (std::int64_t j = 0; j < ranges[k].count; ++j) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(ranges[k].index),
                      static_cast<std::uint64_t>(ranges[k].first + j));
        for (const double value : draw_(theta, psi, stream)) x.push_back(static_cast<float>(value));
      }
    }
    return torch::tensor(x).view({-1, info_.observation_shape[0]}).to(device);
  }

 private:
  TaskInfo info_;
  Prior prior_;
  Draw draw_;
};

Target real_target(const std::string& name, double low, double high) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  return {name, name, "", -inf, inf, 0.0, high / 2, 1.0, low, high};
}

// A small run of such a task, which lives as long as the program.
LoadedRun trained(const std::shared_ptr<const Task>& task) {
  static const TemporaryFolder folder;
  static int count = 0;
  const Catalog tasks = in_place_of("gaussian", [task](const TaskOptions&) { return task; });
  return load_run(tasks,
                  model::small_run(folder.path(), fmt::format("own{}", count++), "gaussian", 1, "pairs",
                                   {"embedder.layers=32,32", "head.hidden=32", "head.bins=8", "pretrain.epochs=4",
                                    "pretrain.steps=200", "pretrain.batch=128", "cache.sizes=100", "cache.sets=1000",
                                    "finetune.epochs=6", "finetune.steps=100", "finetune.batch=64"},
                                   tasks),
                  "", "cpu");
}

std::int64_t own_sets() {
  return long_tests() ? 2000 : 200;
}

TEST(OutOfDistribution, IsSeenByALine) {
  const auto prior = [](Stream& s) {
    const double a = s.normal64(), b = s.normal64();
    return std::pair{std::vector{a, b}, 0.1 + 0.9 * s.uniform64()};
  };
  const auto draw = [](const std::vector<double>& theta, double noise, Stream& s) {
    const double u = 2 * s.uniform64() - 1;
    return std::vector{u, theta[0] + theta[1] * u + noise * s.normal64()};
  };
  const LoadedRun run = trained(std::make_shared<OwnModel>(
      std::vector{real_target("a", -4, 4), real_target("b", -4, 4)}, std::vector<std::string>{"u", "v"}, prior, draw));
  const Judge judge(run, 100);
  expect_power(judge, "noise thrice the largest", 0.9, 100, [&](Stream& s) -> Maker {
    return [theta = prior(s).first, &draw](Stream& of, std::int64_t) { return draw(theta, 3, of); };
  });
  expect_power(judge, "a parabola", 0.75, 100, [&](Stream& s) -> Maker {
    return [at = prior(s), &draw](Stream& of, std::int64_t) {
      std::vector<double> x = draw(at.first, at.second, of);
      x[1] += 3 * x[0] * x[0];
      return x;
    };
  });
  expect_one_in_a_hundred("line", alarms(run, judge, own_sets(), 100), own_sets());
}

TEST(OutOfDistribution, IsSeenByAMixture) {
  const auto prior = [](Stream& s) { return std::pair{std::vector{2 * s.normal64()}, 0.3 * s.uniform64()}; };
  const auto draw = [](const std::vector<double>& theta, double outliers, Stream& s) {
    return std::vector{theta[0] + (s.uniform64() < outliers ? 5 : 1) * s.normal64()};
  };
  const LoadedRun run = trained(
      std::make_shared<OwnModel>(std::vector{real_target("m", -8, 8)}, std::vector<std::string>{"x"}, prior, draw));
  const Judge judge(run, 100);
  expect_power(judge, "outlier share 0.95", 0.9, 100, [&](Stream& s) -> Maker {
    return [theta = prior(s).first, &draw](Stream& of, std::int64_t) { return draw(theta, 0.95, of); };
  });
  expect_one_in_a_hundred("mixture", alarms(run, judge, own_sets(), 100), own_sets());
}

TEST(OutOfDistribution, IsSeenByDirections) {
  const auto prior = [](Stream& s) {
    return std::pair{std::vector{3 * s.uniform64() - 1.5}, 0.2 + 0.8 * s.uniform64()};
  };
  const auto at_angle = [](double angle) { return std::vector{std::cos(angle), std::sin(angle)}; };
  const auto draw = [&](const std::vector<double>& theta, double width, Stream& s) {
    return at_angle(theta[0] + width * s.normal64());
  };
  const LoadedRun run = trained(std::make_shared<OwnModel>(std::vector{real_target("mu", -2, 2)},
                                                           std::vector<std::string>{"c", "s"}, prior, draw));
  const Judge judge(run, 100);
  expect_power(judge, "opposite modes", 0.9, 100, [&](Stream& s) -> Maker {
    return [theta = prior(s).first, &draw](Stream& of, std::int64_t i) {
      return draw({theta[0] + (i % 2 == 0 ? 0 : std::numbers::pi)}, 0.3, of);
    };
  });
  expect_power(judge, "half a circle", 0.75, 100, [&](Stream& s) -> Maker {
    return [theta = prior(s).first, &at_angle](Stream& of, std::int64_t) {
      return at_angle(theta[0] + std::numbers::pi * (of.uniform64() - 0.5));
    };
  });
  expect_one_in_a_hundred("directions", alarms(run, judge, own_sets(), 100), own_sets());
}

}  // namespace
}  // namespace pairs
