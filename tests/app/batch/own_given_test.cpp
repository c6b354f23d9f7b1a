// A task of a person's own whose sets come with something given and whose program knows the exact posterior, from its
// file to answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// θ ~ N(0, 1); x ~ N(θ, σ), σ given: the posterior is N(m, v), v = 1 / (1 + n / σ²), m = v Σx / σ².
constexpr const char* kKnownNoise = R"(import numpy as np
from pairs_simulator import serve

def prior(rng, size):
    return rng.standard_normal(size)

def simulate(theta, psi, n, rng, given):
    return rng.normal(theta[0], given[0], n)

def reference(theta, x, given):
    return -theta[:, 0] ** 2 / 2 - ((x[:, 0] - theta) ** 2).sum(1) / (2 * given[0] ** 2) + 7

serve(prior, simulate, reference)
)";

constexpr const char* kKnownNoiseTask = R"(name = "known-noise"
max_n = 20
[[targets]]
name = "theta"
support = [-inf, inf]
[[conditions]]
name = "sigma"
support = [0, inf]
log_uniform = [0.5, 2]
[x]
columns = ["x"]
[simulator]
command = ["/usr/bin/python3", "simulate.py"]
workers = 1
[reference]
)";

class OwnGiven : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    ::setenv("XDG_CONFIG_HOME", (*folder_ / "config").c_str(), 1);
    write_file(*folder_ / "simulate.py", kKnownNoise);
    write_file(*folder_ / "task.toml", kKnownNoiseTask);
    std::vector<std::string> words = {"run", path("task.toml"), "--allow",  "--device", "cpu", "--threads",
                                      "1",   "--out",           path("run")};
    for (const char* setting :
         {"likelihood.enabled=false", "embedder.layers=16", "embedder.size=8", "head.hidden=16", "pretrain.epochs=2",
          "pretrain.steps=60", "pretrain.batch=128", "pretrain.validation_sets=500", "cache.sizes=20", "cache.sets=500",
          "finetune.epochs=2", "finetune.steps=40", "finetune.validation_draws=500"})
      words.insert(words.end(), {"--set", setting});
    const Answer trained = run_words(words);
    ASSERT_EQ(trained.code, 0) << trained.err;
  }
  static void TearDownTestSuite() {
    ::unsetenv("XDG_CONFIG_HOME");
    folder_.reset();
  }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }
  static std::string file(const std::string& name, const std::string& text) {
    write_file(*folder_ / name, text);
    return path(name);
  }
  static Answer infer(std::vector<std::string> words) {
    words.insert(words.begin(), {"infer", path("run"), "--json", "--out", path("out.npz")});
    return run_words(words);
  }
  static json answered(const std::vector<std::string>& words) {
    const Answer answer = infer(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.code == 0 ? json::parse(answer.out) : json();
  }
  static void refused(const std::vector<std::string>& words, const std::string& text) {
    const Answer answer = infer(words);
    EXPECT_NE(answer.code, 0);
    EXPECT_THAT(answer.err, HasSubstr(text));
  }
  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> OwnGiven::folder_;

const std::string kValues = "0.7\n-0.4\n1.9\n";

TEST_F(OwnGiven, TheExactPosteriorThatTheProgramTellsStandsBeside) {
  const std::string data = file("x.csv", kValues);
  const double sum = 0.7 - 0.4 + 1.9;
  for (const double sigma : {0.6, 1.0, 1.7}) {
    const double v = 1 / (1 + 3 / (sigma * sigma)), mean = v * sum / (sigma * sigma);
    const json said = answered({"--data", data, "--conditions", fmt::format("sigma={}", sigma)});
    EXPECT_NEAR(said["exact"]["mean"][0].get<double>(), mean, 2e-3);
    EXPECT_NEAR(said["exact"]["sd"][0].get<double>(), std::sqrt(v), 2e-3);
  }
}

// The output of --check for this task with another reference.
struct Checked {
  int code;
  std::string text;
};
Checked checked(const std::filesystem::path& folder, const std::string& reference, const std::string& task) {
  const std::string program = kKnownNoise, head = "def reference(";
  std::filesystem::create_directories(folder);
  write_file(folder / "simulate.py",
             program.substr(0, program.find(head)) + reference + program.substr(program.find("\nserve(")));
  write_file(folder / "task.toml", task);
  const Answer answer = run_words({"data", folder.string(), "--check", "--allow"});
  return {answer.code, answer.out + answer.err};
}

TEST_F(OwnGiven, CheckAsksTheReference) {
  const auto said = [&](const std::string& name, const std::string& reference) {
    return checked(*folder_ / name, reference, kKnownNoiseTask);
  };
  const Checked right = said("right", "def reference(theta, x, given):\n    return -theta[:, 0] ** 2\n");
  EXPECT_EQ(right.code, 0) << right.text;
  for (const char* n : {"1 observation", "20 observations"})
    EXPECT_THAT(right.text,
                HasSubstr(fmt::format("ok     reference of {}: the log density of a value is the same", n)));
  const auto wrong = [&](const std::string& name, const std::string& reference, const std::string& sentence) {
    const Checked reported = said(name, reference);
    EXPECT_EQ(reported.code, 1) << name;
    EXPECT_THAT(reported.text, HasSubstr("WRONG  reference of 1 observation: ")) << name;
    EXPECT_THAT(reported.text, HasSubstr(sentence)) << name;
  };
  wrong("signature", "def reference(theta):\n    return -theta[:, 0] ** 2\n", "TypeError");
  wrong("nan", "def reference(theta, x, given):\n    return theta[:, 0] * np.nan\n", "value number 1 is nan");
  wrong("shape", "def reference(theta, x, given):\n    return theta[:3, 0]\n", "shape (3,) instead of");
  wrong("count", "def reference(theta, x, given):\n    return -theta[:, 0] ** 2 - np.log(len(theta))\n",
        "the same whichever values are queried with it");
  wrong("beside", "def reference(theta, x, given):\n    return theta[0, 0] - theta[:, 0] ** 2\n",
        "the same whichever values are queried with it");
}

TEST_F(OwnGiven, CheckTellsWhatIsGiven) {
  const std::string reference = "def reference(theta, x, given):\n    return -theta[:, 0] ** 2\n";
  EXPECT_THAT(checked(*folder_ / "told", reference, kKnownNoiseTask).text,
              HasSubstr("given: sigma, 0.5 to 2, drawn as task.toml states (log_uniform)"));
  // The program's prior draws it where the file does not say how.
  std::string task = kKnownNoiseTask;
  task.erase(task.find("log_uniform"), task.find("[x]") - task.find("log_uniform"));
  const std::string drawn =
      "def prior(rng, size):\n    return rng.standard_normal(size), None, rng.uniform(1, 2, (size, 1))\n";
  EXPECT_THAT(checked(*folder_ / "drawn", drawn + reference, task).text,
              ::testing::ContainsRegex("given: sigma, 1[.0-9]* to [12][.0-9]*, drawn by the program"));
}

TEST_F(OwnGiven, ItIsGivenInWordsOrByTheFile) {
  const json said = answered({"--data", file("x.csv", kValues), "--conditions", "sigma=1.5"});
  EXPECT_NE(said["mean"], answered({"--data", path("x.csv"), "--conditions", "sigma=0.7"})["mean"]);
  EXPECT_EQ(said["mean"], answered({"--data", path("x.csv"), "--conditions", "1.5"})["mean"]);
  const std::string table = file("both.csv", "sigma,x\n1.5,0.7\n1.5,-0.4\n1.5,1.9\n");
  EXPECT_EQ(said["mean"], answered({"--data", table})["mean"]);
  const torch::Tensor x = torch::tensor({0.7, -0.4, 1.9}, torch::kFloat64);
  write_npz(*folder_ / "a.npz", {{"x", x}, {"given", torch::tensor({1.5}, torch::kFloat64)}});
  EXPECT_EQ(said["mean"], answered({"--data", path("a.npz")})["mean"]);
  write_npz(*folder_ / "b.npz", {{"x", x}, {"sigma", torch::full({3}, 1.5, torch::kFloat64)}});
  EXPECT_EQ(said["mean"], answered({"--data", path("b.npz")})["mean"]);
}

TEST_F(OwnGiven, WhatIsMissingOrCannotBeIsTold) {
  const std::string data = file("x.csv", kValues);
  refused({"--data", data}, "come with sigma: name them with --conditions");
  refused({"--data", data, "--conditions", "sigma=0"}, "sigma = 0 must be above 0");
  refused({"--data", data, "--conditions", "sigma=-1"}, "sigma = -1 cannot be: it lies between 0 and inf");
  refused({"--data", data, "--conditions", "noise=1"}, "\"noise=1\" is none of sigma");
  refused({"--data", data, "--conditions", "sigma=1,sigma=2"}, "names sigma twice");
  refused({"--data", data, "--conditions", "1,2"}, "2 numbers are given");
  refused({"--data", data, "--conditions", "sigma=nan"},
          "--conditions sigma=nan: sigma = \"nan\" is not a finite number");
  refused({"--data", data, "--conditions", "wide"}, "--conditions wide: sigma = \"wide\" is not a finite number");
  refused({"--data", file("two.csv", "sigma,x\n1.5,0.7\n1.4,0.3\n")},
          "sigma is 1.5 of observation 1 and 1.4 of observation 2; a condition is one number for the whole set");
  const Answer far = infer({"--data", data, "--conditions", "sigma=3"});
  EXPECT_EQ(far.code, 0);
  EXPECT_THAT(far.err, HasSubstr("sigma = 3 outside of 0.5 to 2"));
}

TEST_F(OwnGiven, EachOfManySetsHasItsOwn) {
  const std::string table = file("sets.csv", "run,x,sigma\na,0.7,1.5\na,-0.4,1.5\nb,1.9,0.7\na,1.9,1.5\nb,0.2,0.7\n");
  const auto many = [](std::vector<std::string> words, int code = 0) {
    words.insert(words.begin(), {"infer", path("run"), "--json", "--group", "run", "--out", path("sets.json")});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    return code == 2 ? json(answer.err) : json::parse(answer.out);
  };
  const json alone_a = answered({"--data", file("x.csv", kValues), "--conditions", "sigma=1.5"}),
             alone_b = answered({"--data", file("y.csv", "1.9\n0.2\n"), "--conditions", "sigma=0.7"});
  const auto same = [&](const json& said) {
    ASSERT_EQ(said["sets"].size(), 2u);
    EXPECT_EQ(said["sets"][0]["mean"].dump(), alone_a["mean"].dump());
    EXPECT_EQ(said["sets"][1]["mean"].dump(), alone_b["mean"].dump());
  };
  same(many({"--data", table}));
  const torch::Tensor x = torch::tensor({0.7, -0.4, 1.9, 1.9, 0.2}, torch::kFloat64),
                      run = torch::tensor({0, 0, 0, 1, 1}, torch::kInt64);
  write_npz(*folder_ / "sets.npz", {{"x", x}, {"run", run}, {"given", torch::tensor({1.5, 0.7}, torch::kFloat64)}});
  same(many({"--data", path("sets.npz")}));
  write_npz(*folder_ / "rows.npz",
            {{"x", x}, {"run", run}, {"sigma", torch::tensor({1.5, 1.5, 1.5, 0.7, 0.7}, torch::kFloat64)}});
  same(many({"--data", path("rows.npz")}));
  const json one = many({"--data", table, "--conditions", "sigma=1.5"});
  EXPECT_EQ(one["sets"][0]["mean"].dump(), alone_a["mean"].dump());
  EXPECT_NE(one["sets"][1]["mean"].dump(), alone_b["mean"].dump());
  EXPECT_THAT(many({"--data", file("none.csv", "run,x\na,1\n")}, 2).get<std::string>(),
              HasSubstr("none.csv has no such column"));
  const json bad = many({"--data", file("bad.csv", "run,x,sigma\na,1,1\na,1,2\nb,1,0\nc,1,1\n")}, 1);
  EXPECT_THAT(bad["sets"][0]["error"], HasSubstr("one number for the whole set"));
  EXPECT_THAT(bad["sets"][1]["error"], HasSubstr("sigma = 0 must be above 0"));
  EXPECT_TRUE(bad["sets"][2].contains("mean"));
}

// v = 1 / (1 + n / σ²), m = v Σx / σ², of each set with its own σ.
TEST_F(OwnGiven, ExactPosteriorsOfManySetsKnowWhatIsGivenOfEach) {
  const std::string table = file("sets.csv", "run,x,sigma\na,0.7,1.5\na,-0.4,1.5\nb,1.9,0.7\na,1.9,1.5\nb,0.2,0.7\n");
  const Answer answer = run_words(
      {"infer", path("run"), "--json", "--data", table, "--group", "run", "--exact", "--out", path("sets.json")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const json said = json::parse(answer.out);
  const auto expect = [&](const json& set, double sum, double n, double sigma) {
    const double v = 1 / (1 + n / (sigma * sigma));
    EXPECT_NEAR(set["exact"]["mean"][0].get<double>(), v * sum / (sigma * sigma), 2e-3);
    EXPECT_NEAR(set["exact"]["sd"][0].get<double>(), std::sqrt(v), 2e-3);
    EXPECT_GT(set["kl"].get<double>(), -1e-6);
  };
  expect(said["sets"][0], 2.2, 3, 1.5);
  expect(said["sets"][1], 2.1, 2, 0.7);
  EXPECT_FALSE(answered({"--data", table, "--group", "run"})["sets"][0].contains("exact"));
}

TEST_F(OwnGiven, EvaluationsAndFiguresKnowTheGap) {
  const Answer scored = run_words({"evaluate", path("run"), "--sizes", "1,10", "--sets", "100", "--samples", "0",
                                   "--json", "--out", path("metrics.json")});
  ASSERT_EQ(scored.code, 0) << scored.err;
  const json said = json::parse(scored.out);
  // The exact NLL of 100 sets, from the mean over σ of the entropy of the posterior, 0.5 log(2 π e v).
  for (const json& row : said["rows"]) {
    const double n = row["n"].get<double>();
    double expected = 0;
    constexpr int kSteps = 1000;
    for (int k = 0; k < kSteps; ++k) {
      const double sigma = 0.5 * std::pow(4, (k + 0.5) / kSteps);
      expected += 0.5 * std::log(2 * M_PI * M_E / (1 + n / (sigma * sigma))) / kSteps;
    }
    EXPECT_NEAR(row["exact_nll"].get<double>(), expected, 0.35) << n;  // a set's sd is about 0.75
    EXPECT_NEAR(row["gap"].get<double>(), row["nll"].get<double>() - row["exact_nll"].get<double>(), 1e-9);
    EXPECT_GT(row["gap"].get<double>(), -0.02) << n;
  }
}

TEST_F(OwnGiven, FiguresAreDrawnOfWhatIsGiven) {
  const std::string data = file("x.csv", kValues);
  const auto drawn = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"figure", "posterior", path("run"), "--out", path("figure.csv"), "--n", "3"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return read_file(path("figure.csv"));
  };
  const std::string of_file = drawn({"--data", data, "--conditions", "sigma=1.5"});
  EXPECT_THAT(of_file, HasSubstr("exact"));
  EXPECT_NE(of_file, drawn({"--data", data, "--conditions", "sigma=0.7"}));
  EXPECT_EQ(of_file, drawn({"--data", file("both.csv", "sigma,x\n1.5,0.7\n1.5,-0.4\n1.5,1.9\n")}));
  EXPECT_NE(drawn({"--index", "2", "--conditions", "sigma=1.5"}), drawn({"--index", "2", "--conditions", "sigma=0.7"}));
  EXPECT_EQ(run_words({"figure", "posterior", path("run"), "--data", data, "--out", path("none.csv")}).code, 2);
}

TEST_F(OwnGiven, ExportedSetsAreThoseThatWereScored) {
  const Answer scored =
      run_words({"evaluate", path("run"), "--sizes", "3,10", "--sets", "20", "--samples", "0", "--json", "--out",
                 path("exported.json"), "--export", path("tested"), "--seed", "4"});
  ASSERT_EQ(scored.code, 0) << scored.err;
  const json said = json::parse(scored.out);
  ASSERT_EQ(said["exported"].size(), 2u);
  const auto three = read_npz(path("tested/n3.npz")), ten = read_npz(path("tested/n10.npz"));
  EXPECT_TRUE(three.at("theta").equal(ten.at("theta")));
  EXPECT_TRUE(three.at("x").view({20, 3}).equal(ten.at("x").view({20, 10}).slice(1, 0, 3)));
  EXPECT_TRUE(ten.at("offsets").equal(torch::arange(21, torch::kInt64) * 10));
  // Scored by infer they give the evaluation's log densities.
  write_npz(*folder_ / "theta.npz", {{"theta", ten.at("theta").view({20, 1, 1})}});
  const Answer answer = run_words({"infer", path("run"), "--data", path("tested/n10.npz"), "--group", "set", "--theta",
                                   path("theta.npz"), "--out", path("scored.npz")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const json kept = json::parse(read_file(path("exported.json")));
  const torch::Tensor log_density = read_npz(path("scored.npz")).at("log_density");
  for (std::int64_t k = 0; k < 20; ++k)
    EXPECT_NEAR(log_density[k][0].item<double>(),
                kept["rows"][1]["log_prob"][static_cast<std::size_t>(k)].get<double>(), 1e-4);
  // A folder with files is not written into.
  const Answer again = run_words({"evaluate", path("run"), "--sizes", "3", "--sets", "20", "--samples", "0", "--out",
                                  path("exported.json"), "--export", path("tested")});
  EXPECT_EQ(again.code, 1) << again.err;
  EXPECT_THAT(again.err, HasSubstr("is not empty"));
  // And it is what stored simulations are read from.
  std::filesystem::create_directory(*folder_ / "stored");
  std::string text = kKnownNoiseTask;
  text = text.substr(0, text.find("[simulator]")) + "[simulations]\nfiles = [\"../tested/n10.npz\"]\n";
  text.replace(text.find("log_uniform = [0.5, 2]\n"), 23, "");
  text.replace(text.find("max_n = 20"), 10, "max_n = 10");
  file("stored/task.toml", text);
  const Answer stored = run_words({"data", path("stored"), "--check"});
  EXPECT_EQ(stored.code, 0) << stored.err << stored.out;
  EXPECT_THAT(stored.out, HasSubstr("20 stored sets"));
  EXPECT_THAT(stored.out, ::testing::ContainsRegex("given: sigma, .*, as the files hold it"));
}

}  // namespace
}  // namespace pairs::batch
