// Predictive tests of whole sets: uniform for sets of the model, powerful against other models, for every kind of task,
// and correct about outlying observations.
#include "app/posterior/checks/predictive_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/posterior/set_posterior/set_posterior.h"
#include "core/base/files/files.h"
#include "core/base/gpu/transfer.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "tasks/parts/chosen_targets.h"
#include "tests/aggregate_observed.h"
#include "tests/app/model/small_run.h"
#include "tests/core/train/toy_task.h"
#include "tests/long_tests.h"
#include "tests/tasks/in_place_of.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kComparedWith = 99;

const LoadedRun& shipped(const std::string& name) {
  static std::map<std::string, LoadedRun> loaded;
  if (!loaded.contains(name)) loaded[name] = load_run(built_in_tasks(), name, "", "cpu");
  return loaded[name];
}

PredictiveSets compare(const LoadedRun& run, const Observations& x, std::uint64_t seed,
                       std::int64_t sets = kComparedWith) {
  AskedSet asked;
  asked.n = asked.seen = x.count();
  const torch::Tensor aggregate = aggregate_observed(*run.estimator, x);
  asked.aggregate = [&] { return aggregate; };
  const auto nuisances = nuisance_posterior(*run.task, x);
  PredictiveOptions options;
  options.sets = sets;
  options.seed = seed;
  return predictive_sets({.loaded = run}, asked, x, nuisances.get(), options);
}

Observations model_set(const Task& task, std::int64_t index, std::int64_t n) {
  const std::int64_t indices[] = {index};
  const SetRange range[] = {{index, 0, n}};
  return task.observe(task.latents(41, Purpose::check, indices), 41, Purpose::check, range, torch::kCPU);
}

// p-values of the model's own sets, or of what `changed` makes of them.
std::vector<double> p_values(const LoadedRun& run, std::int64_t repeats, std::int64_t n,
                             const std::function<torch::Tensor(torch::Tensor)>& changed = {}) {
  std::vector<double> out;
  for (std::int64_t k = 0; k < repeats; ++k) {
    Observations x = model_set(*run.task, k, n);
    if (changed) x = changed(x.block().clone());
    out.push_back(predictive_test(compare(run, x, static_cast<std::uint64_t>(k)).sets).p);
  }
  return out;
}

double kolmogorov(std::vector<double> p) {
  std::sort(p.begin(), p.end());
  const auto count = static_cast<double>(p.size());
  double most = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    most = std::max({most, p[i] - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - p[i]});
  return most * std::sqrt(count);
}

double share_seen(const std::vector<double>& p) {
  return static_cast<double>(std::count_if(p.begin(), p.end(), [](double one) { return one <= 0.05; })) /
         static_cast<double>(p.size());
}

TEST(PredictiveSets, OfShippedRunsAreUniformOverTheModelsSets) {
  for (const char* name : {"bump-hunt", "gaussian"}) {
    const std::vector<double> p = p_values(shipped(name), long_tests() ? 200 : 80, 60);
    RecordProperty(name, std::to_string(kolmogorov(p)));
    EXPECT_LT(kolmogorov(p), 1.95) << name << ": Kolmogorov-Smirnov at 0.001";
  }
}

// A task as a person brings it: nothing is known of ψ given the set, so that ψ comes from its prior.
class PredictiveSetsOfOwn : public ::testing::Test {
 protected:
  static const LoadedRun& run() {
    static const TemporaryFolder folder;
    static const Catalog tasks =
        in_place_of("gaussian", [](const TaskOptions&) { return std::make_shared<ToyTask>("gaussian"); });
    static const LoadedRun loaded =
        load_run(tasks,
                 model::small_run(folder.path(), "toy", "gaussian", 1, "pairs",
                                  {"embedder.layers=32,32", "head.hidden=32", "head.bins=8", "pretrain.epochs=4",
                                   "pretrain.steps=200", "pretrain.batch=128", "cache.sizes=60", "cache.sets=1000",
                                   "finetune.epochs=8", "finetune.steps=100", "finetune.batch=64"},
                                  tasks),
                 "", "cpu");
    return loaded;
  }
};

TEST_F(PredictiveSetsOfOwn, AreUniformOverTheModelsSets) {
  const std::vector<double> p = p_values(run(), 200, 50);
  RecordProperty("distance", std::to_string(kolmogorov(p)));
  EXPECT_LT(kolmogorov(p), 1.95);
  EXPECT_EQ(compare(run(), model_set(*run().task, 1, 50), 1).psi, PsiSource::prior);
}

TEST_F(PredictiveSetsOfOwn, SeeOtherModels) {
  const auto power = [&](const char* name, const std::function<torch::Tensor(torch::Tensor)>& changed) {
    const double share = share_seen(p_values(run(), 50, 50, changed));
    RecordProperty(name, std::to_string(share));
    return share;
  };
  EXPECT_GE(power("twice as wide", [](const torch::Tensor& x) { return x.mean() + 2 * (x - x.mean()); }), 0.8);
  EXPECT_GE(power("skewed", [](const torch::Tensor& x) { return x.mean() + ((x - x.mean()) / 1.2).exp() - 1.3; }), 0.5);
  EXPECT_GE(power("one in twenty far",
                  [](torch::Tensor x) {
                    x.slice(0, 0, 50, 20) += 6;
                    return x;
                  }),
            0.8);
}

TEST_F(PredictiveSetsOfOwn, TakeManyObservationsAsFarAsMemoryAllows) {
  EXPECT_EQ(compared_observations({.loaded = run()}, 1000, 200), 1000);
  const std::int64_t most = compared_observations({.loaded = run()}, std::int64_t{1} << 40, 200);
  EXPECT_GT(most, 10000);
  EXPECT_LT(most, 100000);
  const Observations x = model_set(*run().task, 1, 50);
  PredictiveOptions options;
  options.sets = 60;
  EXPECT_THROW(compare(run(), x, 1, kFewestPredictiveSets - 1), Error);
  options.keep_going = [] { return false; };
  AskedSet asked;
  asked.n = asked.seen = 50;
  asked.aggregate = [&] { return aggregate_observed(*run().estimator, x); };
  EXPECT_THROW(predictive_sets({.loaded = run()}, asked, x, nullptr, options), Stopped);
}

// A seed determines the sets; another seed gives other sets.
TEST_F(PredictiveSetsOfOwn, AreAFunctionOfTheSeed) {
  const Observations x = model_set(*run().task, 2, 20);
  const PredictiveSets one = compare(run(), x, 3), same = compare(run(), x, 3), other = compare(run(), x, 4);
  EXPECT_TRUE(torch::equal(one.sets.features, same.sets.features));
  EXPECT_TRUE(torch::equal(one.sets.features[0].flatten().to(torch::kFloat32), x.block().flatten()));
  EXPECT_FALSE(torch::equal(one.sets.features, other.sets.features));
}

// Points and images, and every kind of ψ.
TEST(PredictiveSets, AreOfEveryKindOfTask) {
  struct Case {
    const char* name;
    PsiSource psi;
    std::vector<std::string> features;
  };
  for (const Case& one :
       {Case{"bump-hunt", PsiSource::posterior, {"x"}}, Case{"gaussian", PsiSource::posterior, {"x1", "x2"}},
        Case{"circle", PsiSource::prior, {"brightness", "contrast", "roughness"}},
        Case{"digits", PsiSource::with_theta, {"brightness", "contrast", "roughness"}}}) {
    const LoadedRun& run = shipped(one.name);
    const std::int64_t indices[] = {5};
    const SetRange range[] = {{5, 0, 4}};
    const Observations x =
        run.task->observe(run.task->latents(1, Purpose::explore, indices), 1, Purpose::explore, range, torch::kCPU);
    const PredictiveSets sets = compare(run, x, 1, kFewestPredictiveSets);
    EXPECT_EQ(sets.psi, one.psi) << one.name;
    EXPECT_EQ(sets.sets.names, one.features) << one.name;
    EXPECT_EQ(sets.sets.features.size(0), kFewestPredictiveSets + 1);
    const double p = predictive_test(sets.sets).p;
    EXPECT_GT(p, 0.9 / (kFewestPredictiveSets + 1)) << one.name;
    EXPECT_LE(p, 1) << one.name;
    for (const FeatureHistogram& histogram : feature_histograms(sets.sets)) {
      EXPECT_EQ(histogram.edges.size(), histogram.observed.size() + 1);
      double all = 0;
      for (const double count : histogram.observed) all += count;
      EXPECT_EQ(all, 4) << one.name << " " << histogram.name << ": bins hold every observation";
    }
  }
  EXPECT_THAT(no_predictive_test(*built_in_tasks()->make("novel-view")), HasSubstr("its target is an image"));
}

// Ragged rows are summed up one by one, an observation without rows as zero.
TEST(PredictiveSets, SumUpRaggedRows) {
  TaskInfo info;
  info.kind = ObservationKind::rows;
  info.observation_shape = {2};
  info.observation_columns = {"E", "t"};
  const Observations x = Observations::ragged(torch::tensor({{1.0f, 4.0f}, {3.0f, 8.0f}, {5.0f, 0.0f}}),
                                              torch::tensor({0, 2, 2, 3}, torch::kInt64));
  const ObservationSummaries reported = room_of(info).summaries(info, x);
  EXPECT_EQ(reported.names, (std::vector<std::string>{"rows", "mean E", "mean t"}));
  EXPECT_TRUE(torch::equal(reported.values,
                           torch::tensor({{2.0, 2.0, 6.0}, {0.0, 0.0, 0.0}, {1.0, 5.0, 0.0}}, torch::kFloat64)));
}

TEST(PredictiveSets, AreOfAllThatIsInferred) {
  const auto both = with_targets(built_in_tasks()->make("bump-hunt"), "theta,psi");
  EXPECT_EQ(no_predictive_test(*both), "");
  const TemporaryFolder folder;
  const std::string name =
      model::small_run(folder.path(), "joint", "bump-hunt", 1, "pairs", {"task.targets=theta,psi"});
  const LoadedRun run = load_run(built_in_tasks(), name, "", "cpu");
  const PredictiveSets sets = compare(run, model_set(*run.task, 1, 10), 1);
  EXPECT_EQ(sets.psi, PsiSource::none);
  EXPECT_EQ(sets.sets.explained.size(1), 2);
}

// An event that no bump hunt makes is named by its row. The posterior without it equals that of a file without it.
TEST(SetPredictiveTest, TellsThePosteriorWithoutWhatLiesFar) {
  const TemporaryFolder folder;
  std::string all = "x\n", rest = "x\n";
  for (int i = 0; i < 30; ++i) {
    const std::string line = std::to_string(i == 11 ? 40.0 : -1.5 + 0.1 * i) + "\n";
    all += line;
    if (i != 11) rest += line;
  }
  write_file(folder / "all.csv", all);
  write_file(folder / "rest.csv", rest);
  const auto posterior = [&](const char* file, std::int64_t n) {
    const LoadedRun& run = shipped("bump-hunt");
    auto of = std::make_unique<SetPosterior>(std::make_shared<ObservedSet>(run.task, SetChoice{.file = folder / file}),
                                             std::vector<AskedRun>{{.loaded = run}});
    of->embed_until(n);
    return of;
  };
  const SetPredictiveTest test = posterior("all.csv", 30)->predictive_test(30, {});
  ASSERT_EQ(test.test.far.size(), 1u);
  EXPECT_EQ(test.test.far[0].row, 11);
  EXPECT_LE(test.test.p, kUnlikeModel);
  ASSERT_EQ(test.without.size(), 1u);
  const auto without = posterior("rest.csv", 29);
  const std::vector<TargetNumbers> alone =
      without->answer(29, false).shown_numbers(without->task(), without->runs().front());
  EXPECT_EQ(test.without[0].mean, alone[0].mean) << "to the bit";
  EXPECT_EQ(test.without[0].sd, alone[0].sd);
  const TaskInfo& info = without->task().info();
  EXPECT_THAT(predictive_text(test, info), HasSubstr("observation 12 ("));
  EXPECT_GT(test.left_p, kUnlikeModel);
  EXPECT_THAT(predictive_text(test, info), HasSubstr(fmt::format(" (p = {:.3f}", test.left_p)));
  EXPECT_EQ(predictive_document(test, info).at("left").at("n"), 29);
  EXPECT_THAT(predictive_text(test, info), HasSubstr("Without it the posterior of the other 29 is θ = "));
  const nlohmann::json document = predictive_document(test, info);
  EXPECT_EQ(document.at("far").at(0).at("observation"), 12);
  EXPECT_EQ(document.at("without").at("n"), 29);
  EXPECT_EQ(document.at("psi"), "posterior");
  const Figure figure = predictive_figure(test, SeriesRole::pairs, "a");
  ASSERT_EQ(figure.plots.size(), 2u) << "x and the embedding";
  EXPECT_FALSE(figure_svg(figure).empty());
}

// Eight of 50 events lie in the tails, too far apart to form a bump. Removing some would leave the others just as odd,
// so the test names none.
TEST(SetPredictiveTest, NamesNoneWhereTheWholeSetDoesNotFit) {
  const TemporaryFolder folder;
  const LoadedRun& run = shipped("bump-hunt");
  for (const std::uint64_t seed : {1, 2, 3}) {
    Stream stream(stream_key(seed, Purpose::test), 0);
    std::string text = "x\n";
    for (int i = 0; i < 50; ++i)
      text += fmt::format("{:.4f}\n", i < 8 ? (i % 2 == 0 ? 1 : -1) * (6 + 3 * stream.uniform64()) : stream.normal64());
    write_file(folder / "x.csv", text);
    SetPosterior posterior(std::make_shared<ObservedSet>(run.task, SetChoice{.file = folder / "x.csv"}),
                           std::vector<AskedRun>{{.loaded = run}});
    posterior.embed_until(50);
    const SetPredictiveTest test = posterior.predictive_test(50, {});
    EXPECT_LE(test.test.p, kUnlikeModel) << seed;
    int wrongly = 0;
    for (const FarObservation& one : test.test.far) wrongly += one.row >= 8;
    EXPECT_LE(wrongly, 1) << seed;
    const std::string said = predictive_text(test, run.task->info());
    const nlohmann::json document = predictive_document(test, run.task->info());
    if (test.test.far.empty()) {
      EXPECT_TRUE(test.without.empty());
      EXPECT_TRUE(std::isnan(test.left_p) || said.find("The set as a whole does not fit") != said.npos) << said;
      EXPECT_EQ(document.contains("left"), !std::isnan(test.left_p));
    } else {
      EXPECT_GT(test.left_p, kUnlikeModel);
      EXPECT_THAT(said, HasSubstr(fmt::format("p = {:.3f}", test.left_p)));
      EXPECT_EQ(document.at("left").at("fits"), true);
    }
  }
}

// Points of a normal distribution, the first `outliers` of which lie together far outside.
std::string with_outliers(std::uint64_t seed, int outliers) {
  Stream stream(stream_key(seed, Purpose::test), 0);
  std::string text;
  for (int i = 0; i < 50; ++i) {
    const bool out = i < outliers;
    text += fmt::format("{:.4f},{:.4f}\n", (out ? 6 : 0.3) + (out ? 0.3 : 1) * stream.normal64(),
                        (out ? 6 : -0.2) + (out ? 0.3 : 1) * stream.normal64());
  }
  return text;
}

// Eight of fifty draw mean and covariance to themselves, so that none of them alone is far: they hide each other.
TEST(SetPredictiveTest, FindsObservationsThatHideEachOther) {
  const TemporaryFolder folder;
  const LoadedRun& run = shipped("gaussian");
  for (const int outliers : {0, 1, 3, 8})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      write_file(folder / "x.csv", with_outliers(seed, outliers));
      SetPosterior posterior(std::make_shared<ObservedSet>(run.task, SetChoice{.file = folder / "x.csv"}),
                             std::vector<AskedRun>{{.loaded = run}});
      posterior.embed_until(50);
      const SetPredictiveTest test = posterior.predictive_test(50, {});
      int named = 0, wrongly = 0;
      for (const FarObservation& one : test.test.far) ++(one.row < outliers ? named : wrongly);
      EXPECT_EQ(named, outliers) << outliers << " of seed " << seed;
      EXPECT_LE(wrongly, 1) << outliers << " of seed " << seed;
      EXPECT_EQ(test.left, named + wrongly > 0 ? 50 - named - wrongly : 0);
      if (outliers > 1) {
        EXPECT_GT(test.rounds, 1);
        EXPECT_THAT(predictive_text(test, run.task->info()),
                    HasSubstr(fmt::format("sought in {} rounds", test.rounds)));
      }
    }
}

}  // namespace
}  // namespace pairs
