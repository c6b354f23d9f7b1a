#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "app/posterior/set_posterior/set_posterior.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

// What `embed` writes.

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;

class EmbedCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string text = "x1,x2\n";
    for (int i = 0; i < 300; ++i) text += fmt::format("{},{}\n", 0.1 * (i % 7) - 1, 2 - 0.05 * (i % 11));
    write_file(path("set.csv"), text);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::map<std::string, torch::Tensor> embedded(std::vector<std::string> words) const {
    words.insert(words.begin(), {"embed", "gaussian"});
    words.insert(words.end(), {"--out", path("out.npz"), "--device", "cpu"});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return read_npz(path("out.npz"));
  }
  const TemporaryFolder folder_;
};

// Sizes in, at and beyond a block of embeddings.
TEST_F(EmbedCommand, AggregatesAreTheMeansOfEmbeddingsThatInferUses) {
  const auto arrays = embedded({"--data", path("set.csv"), "--n", "1,10,256,299"});
  const LoadedRun run = load_run(built_in_tasks(), "gaussian", "", "cpu");
  const torch::Tensor& embeddings = arrays.at("embeddings");
  EXPECT_EQ(embeddings.sizes().vec(), (std::vector<std::int64_t>{299, run.estimator->embedding_size()}));
  EXPECT_EQ(embeddings.scalar_type(), torch::kFloat32);
  EXPECT_FALSE(arrays.contains("theta"));
  const std::vector<std::int64_t> sizes = {1, 10, 256, 299};
  EXPECT_TRUE(arrays.at("n").equal(torch::tensor(sizes, torch::kInt64)));
  // As infer embeds the set.
  const auto set = std::make_shared<ObservedSet>(run.task, SetChoice{.file = path("set.csv")});
  SetPosterior posterior(set, std::vector<AskedRun>{{run}});
  posterior.embed_until(299);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const torch::Tensor reported = arrays.at("aggregates")[static_cast<std::int64_t>(k)];
    const torch::Tensor mean = embeddings.slice(0, 0, sizes[k]).to(torch::kFloat64).mean(0);
    EXPECT_LT((reported - mean).abs().max().item<double>(), 1e-12) << sizes[k];
    const torch::Tensor used = posterior.runs().front().embedded->aggregate(sizes[k], set->first(300));
    EXPECT_TRUE(reported.equal(used[0])) << sizes[k];
  }
}

TEST_F(EmbedCommand, ASimulatedSetComesWithItsValues) {
  const auto arrays = embedded({"--index", "3", "--n", "20"});
  const LoadedRun run = load_run(built_in_tasks(), "gaussian", "", "cpu");
  ObservedSet set(run.task, SetChoice{.index = 3});
  EXPECT_TRUE(arrays.at("theta").equal(torch::tensor(set.theta(), torch::kFloat64)));
  EXPECT_TRUE(arrays.at("psi").equal(torch::tensor(set.psi(), torch::kFloat64)));
  EXPECT_EQ(arrays.at("embeddings").size(0), 20);
  const torch::Tensor direct = run.estimator->embed(set.first(20));
  EXPECT_LT((arrays.at("embeddings") - direct).abs().max().item<double>(),
            1e-5 * (1 + direct.abs().max().item<double>()));
  EXPECT_FALSE(embedded({"--index", "4", "--n", "20"}).at("embeddings").equal(arrays.at("embeddings")));
}

TEST_F(EmbedCommand, WithoutSizesAFileIsEmbeddedWhole) {
  const auto arrays = embedded({"--data", path("set.csv")});
  EXPECT_EQ(arrays.at("embeddings").size(0), 300);
  EXPECT_EQ(arrays.at("n").item<std::int64_t>(), 300);
}

TEST_F(EmbedCommand, RefusesWhatDoesNotGoTogether) {
  const auto refused = [&](std::vector<std::string> words, const std::string& text) {
    words.insert(words.begin(), {"embed", "gaussian"});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(text));
  };
  const std::string out = path("never.npz");
  refused({"--data", path("set.csv"), "--n", "301", "--out", out}, "holds 300; give at most 300");
  refused({"--data", path("set.csv"), "--n", "0", "--out", out}, "--n");
  refused({"--data", path("set.csv"), "--index", "1", "--out", out}, "--index chooses a simulated set");
  refused({"--columns", "x1,x2", "--out", out}, "name one with --data");
  refused({"--out", path("never.csv")}, "must end in .npz");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace pairs::batch
