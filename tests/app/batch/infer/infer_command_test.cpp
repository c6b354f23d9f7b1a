#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tasks/novel_view/novel_view.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/app/model/viewer/view_run.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kSceneSeed = 4;

// Fresh U-Nets answer with zero whatever they see: gives the weights of the head random values.
void shake_head(const std::filesystem::path& run) {
  const LoadedRun loaded = load_run(built_in_tasks(), run.string(), "", "cpu");
  torch::NoGradGuard no_grad;
  auto generator = at::detail::createCPUGenerator(5);
  for (auto& [name, weight] : loaded.estimator->head_parameters())
    weight.add_(at::randn(weight.sizes(), generator), 0.1);
  loaded.estimator->save(run / run_file::estimator);
}

// A run of novel views of 16 by 16 pixels and two spheres, and a folder of eight views.
class InferViews : public ::testing::Test {
 protected:
  InferViews()
      : run_(model::untrained_view_run(folder_.path(), "run", {"task.frame=target"})),
        views_((folder_ / "views").string()) {
    shake_head(run_);
    const Answer answer = run_words({"render", "--scene", std::to_string(kSceneSeed), "--spheres", "2", "--views", "8",
                                     "--size", "16x16", "--half-width", "1.25", "--out", views_});
    EXPECT_EQ(answer.code, 0) << answer.err;
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Answer infer(std::vector<std::string> words) const {
    words.insert(words.begin(), {"infer", run_});
    words.insert(words.end(), {"--samples", "3", "--threads", "1"});
    return run_words(words);
  }
  torch::Tensor samples(const std::string& folder) const {
    return read_npz(std::filesystem::path(folder) / "samples.npz").at("samples");
  }
  void expect_refusal(const std::vector<std::string>& words, int code, const std::string& text) const {
    const Answer answer = infer(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(text));
    EXPECT_EQ(answer.out, "");
  }

  TemporaryFolder folder_;
  std::string run_, views_;
};

TEST_F(InferViews, AFolderIsTheSetThatTheTaskObserves) {
  const render::Camera target{0.5, 0.7};
  const NovelViewSettings settings{.size = 16, .spheres = 2, .half_width = 1.25, .frame = "target"};
  const auto task = make_novel_view(settings);
  const std::int64_t index[] = {0};
  const SetRange range[] = {{0, 0, 8}};
  Latents latents = task->latents(kSceneSeed, Purpose::explore, index);
  latents.given = face<SceneViews>(*task)->given(target);
  torch::Tensor x = task->observe(latents, kSceneSeed, Purpose::explore, range, torch::kCPU);
  x.narrow(1, 0, 3).mul_(255).round_().div_(255);
  write_npz(folder_ / "set.npz", {{"x", x}, {"given", latents.given}});

  const std::string degrees = fmt::format("{},{}", 0.5 * 180 / std::numbers::pi, 0.7 * 180 / std::numbers::pi);
  const Answer folder = infer({"--data", views_, "--camera", degrees, "--out", path("a")});
  ASSERT_EQ(folder.code, 0) << folder.err;
  const Answer npz = infer({"--data", path("set.npz"), "--out", path("b")});
  ASSERT_EQ(npz.code, 0) << npz.err;
  EXPECT_EQ(samples(path("a")).sizes(), (std::vector<std::int64_t>{3, 3, 16, 16}));
  EXPECT_TRUE(at::allclose(samples(path("a")), samples(path("b")), 0, 1e-4));

  const Answer other = infer({"--data", views_, "--camera", "100,40", "--out", path("c")});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_FALSE(at::allclose(samples(path("c")), samples(path("b")), 0, 1e-3)) << "the target camera counts";
}

TEST_F(InferViews, WritesSamplesAndPictures) {
  const Answer answer = infer({"--data", views_, "--camera", "30,45", "--out", path("seen"), "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json document = nlohmann::json::parse(answer.out);
  EXPECT_EQ(document.at("n"), 8);
  EXPECT_TRUE(document.at("mse").is_null());
  EXPECT_EQ(document.at("samples"), path("seen/samples.npz"));
  EXPECT_EQ(document.at("pictures").size(), 3u);
  const auto arrays = read_npz(folder_ / "seen/samples.npz");
  EXPECT_TRUE(at::allclose(arrays.at("mean"), arrays.at("samples").mean(0)));
  EXPECT_TRUE(at::allclose(arrays.at("sd"), arrays.at("samples").std(0)));
  EXPECT_NEAR(document.at("mean_sd").get<double>(), arrays.at("sd").mean().item<double>(), 1e-6);
  const auto side = [&](const char* name) {
    const std::string png = read_file(folder_ / "seen" / name);
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    return 256 * static_cast<unsigned char>(png.at(18)) + static_cast<unsigned char>(png.at(19));
  };
  EXPECT_EQ(side("mean.png"), 256);
  EXPECT_EQ(side("sd.png"), 256);
  EXPECT_EQ(side("samples.png"), 2 * 128 + 4);
}

TEST_F(InferViews, TakesTheFirstViewsByNameAndOtherSteps) {
  std::filesystem::create_directory(folder_ / "three");
  std::ofstream rows(folder_ / "three/cameras.csv");
  std::ifstream all(folder_ / "views/cameras.csv");
  std::string line;
  for (int k = 0; k < 4 && std::getline(all, line); ++k) {
    rows << line << "\n";
    if (k > 0)
      std::filesystem::copy_file(folder_ / "views" / line.substr(0, 12), folder_ / "three" / line.substr(0, 12));
  }
  rows.close();
  ASSERT_EQ(infer({"--data", views_, "--camera", "30,45", "--n", "3", "--out", path("a")}).code, 0);
  ASSERT_EQ(infer({"--data", path("three"), "--camera", "30,45", "--out", path("b")}).code, 0);
  ASSERT_EQ(infer({"--data", path("three"), "--camera", "30,45", "--steps", "6", "--out", path("c")}).code, 0);
  ASSERT_EQ(infer({"--data", path("three"), "--camera", "30,45", "--steps", "2", "--out", path("d")}).code, 0);
  ASSERT_EQ(infer({"--data", views_, "--camera", "30,45", "--out", path("e")}).code, 0);
  EXPECT_TRUE(samples(path("a")).equal(samples(path("b"))));
  EXPECT_FALSE(samples(path("e")).equal(samples(path("b"))));
  EXPECT_TRUE(samples(path("c")).equal(samples(path("b")))) << "the run's own number";
  EXPECT_FALSE(samples(path("d")).equal(samples(path("b"))));
  ASSERT_EQ(infer({"--data", path("three"), "--camera", "30,45", "--solver", "heun", "--out", path("f")}).code, 0);
  EXPECT_FALSE(samples(path("f")).equal(samples(path("b"))));
}

TEST_F(InferViews, AnotherSamplerIsMeasuredBesideTheRun) {
  const std::vector<std::string> words = {"evaluate",  run_, "--sizes",  "1,3",  "--sets",  "4", "--samples", "2",
                                          "--threads", "1",  "--solver", "heun", "--steps", "3"};
  const Answer bare = run_words(words);
  EXPECT_EQ(bare.code, 2);
  EXPECT_THAT(bare.err, HasSubstr("name the file to write with --out"));
  std::vector<std::string> with = words;
  with.insert(with.end(), {"--out", path("heun.json")});
  const Answer answer = run_words(with);
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("3 steps of heun"));
  EXPECT_EQ(nlohmann::json::parse(read_file(folder_ / "heun.json")).at("sampler"), "3 steps of heun");
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(run_) / run_file::metrics));
}

TEST_F(InferViews, WarnsOfCamerasThatTrainingNeverSaw) {
  EXPECT_THAT(infer({"--data", views_, "--camera", "30,45"}).err, Not(HasSubstr("elevations")));
  EXPECT_THAT(infer({"--data", views_, "--camera", "30,80"}).err, HasSubstr("the target camera lies outside"));
  const std::string table = read_file(folder_ / "views/cameras.csv");
  std::ofstream(folder_ / "views/cameras.csv")
      << table.substr(0, table.rfind(',', table.rfind(',') - 1)) << ",5,1.25\n";
  EXPECT_THAT(infer({"--data", views_, "--camera", "30,45"}).err, HasSubstr("1 of 8 views lies outside"));
  EXPECT_THAT(infer({"--data", views_, "--camera", "30,80"}).err,
              HasSubstr("1 of 8 views and the target camera lie outside"));
}

TEST_F(InferViews, BadInputGetsOneSentence) {
  expect_refusal({"--data", views_}, 2, "--camera AZ,EL");
  expect_refusal({"--data", views_, "--camera", "30,95"}, 2, "is not an azimuth");
  expect_refusal({"--data", views_, "--camera", "30"}, 2, "is not an azimuth");
  expect_refusal({"--data", views_, "--conditions", "1,0,0,1"}, 2, "with --camera, not --conditions");
  expect_refusal({"--data", views_, "--camera", "30,45", "--steps", "0"}, 2, "--steps");
  expect_refusal({"--data", views_, "--camera", "30,45", "--n", "9"}, 2, "first 9 observations");
  expect_refusal({"--data", views_, "--camera", "30,45", "--out", path("a.npz")}, 2, "into a folder");
  expect_refusal({"--data", views_, "--camera", "30,45", "--out", views_}, 2, "mix the results");
  expect_refusal({"--data", views_, "--camera", "30,45", "--out", path("run/run.toml")}, 1, "is a file");
  expect_refusal({"--data", views_, "--camera", "30,45", "--out", path("nowhere/a")}, 1, "nowhere");
  expect_refusal({"--data", path("none"), "--camera", "30,45"}, 1, "none does not exist");
  expect_refusal({"--data", path("run/run.toml"), "--camera", "30,45"}, 2, "folder of images");
  const Answer many =
      run_words({"infer", run_, "--data", views_, "--camera", "30,45", "--samples", "10000000", "--out", path("many")});
  EXPECT_EQ(many.code, 2);
  EXPECT_THAT(many.err, HasSubstr("do not fit into memory; give at most 174,762"));
  write_npz(folder_ / "x.npz", {{"x", at::zeros({2, 6, 16, 16})}});
  expect_refusal({"--data", path("x.npz"), "--camera", "30,45"}, 2, "already holds ray maps");
  ASSERT_EQ(
      run_words({"render", "--scene", "1", "--spheres", "2", "--views", "2", "--size", "16x16", "--out", path("wide")})
          .code,
      0);
  expect_refusal({"--data", path("wide"), "--camera", "30,45"}, 1, "knows views of half-width 1.25");
  for (const char* given : {"5,5,5,5", "0,0,0,0", "1,0,0,-1"})
    expect_refusal({"--data", path("x.npz"), "--conditions", given}, 1, "is no camera");
  expect_refusal({"--data", path("x.npz"), "--conditions", "1,0"}, 1, "2 numbers are given");
  std::filesystem::remove(folder_ / "views/view_003.png");
  expect_refusal({"--data", views_, "--camera", "30,45"}, 1, "line 4: view_003.png is not in the folder");
  std::ofstream(folder_ / "points.csv") << "0.5\n";
  const Answer camera = run_words({"infer", "bump-hunt", "--data", path("points.csv"), "--camera", "30,45"});
  EXPECT_EQ(camera.code, 2);
  EXPECT_THAT(camera.err, HasSubstr("--camera belongs to folders of views"));
  const Answer steps = run_words({"infer", "bump-hunt", "--data", path("points.csv"), "--steps", "3"});
  EXPECT_EQ(steps.code, 2);
  EXPECT_THAT(steps.err, HasSubstr("--steps and --solver belong to samples of images"));
}

// The refined posterior stands next to the exact one, with what is known of its samples.
TEST(InferRefine, AddsThePosteriorByTheLearnedLikelihood) {
  TemporaryFolder folder;
  std::string text = "x\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{}\n", 0.11 * i - 2.2);
  write_file(folder / "x.csv", text);
  std::vector<std::string> words = {
      "infer", "bump-hunt", "--data", (folder / "x.csv").string(), "--refine", "--out", (folder / "s.npz").string()};
  const Answer table = run_words(words);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("refined"));
  EXPECT_THAT(table.out, HasSubstr("Refined by the learned likelihood: "));
  words.push_back("--json");
  const nlohmann::json first = nlohmann::json::parse(run_words(words).out).at("exact");
  const double middle = first.at("mean")[0].get<double>(), spread = first.at("sd")[0].get<double>();
  write_file(folder / "theta.csv", fmt::format("theta\n{}\n{}\n", middle, middle + spread));
  for (const std::string& more : {std::string("--theta"), (folder / "theta.csv").string(), std::string("--derive"),
                                  std::string("odds = theta/(1 - theta)")})
    words.push_back(more);
  const nlohmann::json document = nlohmann::json::parse(run_words(words).out);
  EXPECT_NEAR(document.at("derived").at("odds").at("refined").at("mean").get<double>(),
              document.at("derived").at("odds").at("exact").at("mean").get<double>(), 0.1);
  for (const std::size_t k : {0, 1})
    EXPECT_NEAR(document.at("refined").at("log_density").at(k).get<double>(),
                document.at("exact").at("log_density").at(k).get<double>(), 0.2);
  const double exact = document.at("exact").at("mean")[0].get<double>(),
               sd = document.at("exact").at("sd")[0].get<double>();
  EXPECT_NEAR(document.at("refined").at("mean")[0].get<double>(), exact, 0.2 * sd);
  EXPECT_NEAR(document.at("refined").at("sd")[0].get<double>() / sd, 1, 0.15);
  EXPECT_GT(document.at("refined_by").at("effective").get<double>(), 100);
  EXPECT_LE(document.at("refined_by").at("pareto_k").get<double>(), 0.7);
}

TEST(InferRefine, RefusesWhatItDoesNotServe) {
  TemporaryFolder folder;
  write_file(folder / "x.csv", "x\n1\n2\n");
  const auto refusal = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "infer");
    words.push_back("--refine");
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.out;
    return answer.err;
  };
  EXPECT_THAT(refusal({"bump-hunt", "--data", (folder / "x.csv").string(), "--follow"}),
              HasSubstr("--refine takes a set as it stands"));
  EXPECT_THAT(refusal({"digits", "--data", folder.path().string()}),
              HasSubstr("--refine cannot serve this run: its observations are images"));
}

// The intervals are of the kind that is asked for, and those of the density rather than of the samples written.
TEST(InferIntervals, AreCentralHighestDensityOrUpperLimits) {
  TemporaryFolder folder;
  std::string text = "x\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{}\n", 0.11 * i - 2.2);
  write_file(folder / "x.csv", text);
  const auto reported = [&](const char* kind) {
    const Answer answer = run_words({"infer", "bump-hunt", "--data", (folder / "x.csv").string(), "--interval", kind,
                                     "--out", (folder / "s.npz").string(), "--json"});
    EXPECT_EQ(answer.code, 0) << answer.err;
    return nlohmann::json::parse(answer.out);
  };
  const nlohmann::json central = reported("central"), hpd = reported("hpd"), upper = reported("upper");
  const auto most = [](const nlohmann::json& from) { return from.at("intervals").at("0.9").at(0); };
  const double low = most(central)[0].get<double>(), high = most(central)[1].get<double>();
  EXPECT_NEAR(low, central.at("quantiles").at("0.05")[0].get<double>(), 1e-12);
  EXPECT_LT(most(hpd)[1].get<double>() - most(hpd)[0].get<double>(), high - low);
  EXPECT_TRUE(most(upper)[0].is_null()) << "from the lowest possible value";
  EXPECT_LT(most(upper)[1].get<double>(), high);
  EXPECT_EQ(central.at("mean"), upper.at("mean"));
  EXPECT_EQ(upper.at("intervals").at("kind"), "upper");
  EXPECT_EQ(upper.at("exact").at("intervals").at("kind"), "upper");
  EXPECT_GT(central.at("null").at("bayes_factor").get<double>(), 0);
  EXPECT_GT(central.at("null").at("density_ratio").get<double>(), 0);
  EXPECT_EQ(central.at("null").at("theta"), 0);
  const Answer words = run_words({"infer", "bump-hunt", "--data", (folder / "x.csv").string(), "--interval", "upper",
                                  "--out", (folder / "s.npz").string()});
  EXPECT_THAT(words.out, HasSubstr("90 %, upper limit"));
  EXPECT_THAT(words.out, HasSubstr("below 0."));
  EXPECT_THAT(words.out, HasSubstr("θ = 0 (no signal) against θ from its prior: Bayes factor"));
  const Answer wrong = run_words({"infer", "bump-hunt", "--data", (folder / "x.csv").string(), "--interval", "middle"});
  EXPECT_NE(wrong.code, 0);
  EXPECT_THAT(wrong.err, HasSubstr("--interval middle is no kind of interval"));
}

}  // namespace
}  // namespace pairs::batch
