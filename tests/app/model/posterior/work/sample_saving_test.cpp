// Samples saved from the window are those that `infer` writes, bit for bit.
#include "app/model/posterior/work/sample_saving.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/model/posterior/posterior.h"
#include "app/model/posterior/work/pin_restoring.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

constexpr double kSavingPatience = 120;

class SampleSavingTest : public testing::Test {
 protected:
  SampleSavingTest() : posterior_(hub_) {}

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void settle() { ASSERT_TRUE(posterior_.wait(kSavingPatience)) << posterior_.activity(); }
  // Why nothing was written, or "".
  std::string save(const std::string& name, std::int64_t draws, std::uint64_t seed) {
    auto asked = posterior_.files.samples_asked();
    if (!asked) return "nothing is shown";
    asked->draws = draws;
    asked->question.seed = seed;
    asked->file = path(name);
    posterior_.files.samples().save(*asked);
    EXPECT_TRUE(posterior_.files.samples().job().wait(kSavingPatience));
    const auto outcome = posterior_.files.samples().job().take();
    if (!outcome) return "no answer";
    EXPECT_FALSE(posterior_.files.samples().job().take()) << "an outcome is told once";
    return outcome->failure;
  }
  void write_events(const std::string& name, int count, int columns) {
    std::string text = columns == 1 ? "x\n" : "x1,x2\n";
    for (int i = 0; i < count; ++i)
      text +=
          columns == 1 ? fmt::format("{}\n", 0.1 * (i % 89)) : fmt::format("{},{}\n", 0.1 * (i % 7), -0.05 * (i % 11));
    write_file(path(name), text);
  }
  void infer(std::vector<std::string> words) {
    words.insert(words.begin(), "infer");
    const batch::Answer answer = batch::run_words(words);
    ASSERT_EQ(answer.code, 0) << answer.err;
  }

  Hub hub_{built_in_tasks()};
  TemporaryFolder folder_;
  Posterior posterior_;
};

// Where a refined posterior is asked for and the set has none, neither samples nor pins become the run's own.
TEST_F(SampleSavingTest, OfARefinedPosteriorThatIsNotThereAreRefused) {
  std::string text = "x\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{}\n", 50 + 0.1 * i);
  write_file(path("far.csv"), text);
  posterior_.open("bump-hunt");
  settle();
  posterior_.set.open_file(path("far.csv"));
  settle();
  auto asked = posterior_.files.samples_asked();
  ASSERT_TRUE(asked);
  EXPECT_EQ(save("own.npz", 100, 1), "");
  asked->draws = 100;
  asked->question.source = SourceWish::refined;
  asked->file = path("refined.npz");
  posterior_.files.samples().save(*asked);
  ASSERT_TRUE(posterior_.files.samples().job().wait(kSavingPatience));
  const auto outcome = posterior_.files.samples().job().take();
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->failure, testing::HasSubstr("The posterior is not refined: the set is out of distribution"));
  EXPECT_FALSE(std::filesystem::exists(path("refined.npz")));
  PinRestoring pins(hub_);
  PinnedQuestion pin{.name = "far", .run = "bump-hunt", .n = 40};
  pin.set.file = path("far.csv");
  PinnedQuestion refined = pin;
  refined.source = SourceWish::refined;
  pins.restore({pin, refined});
  ASSERT_TRUE(pins.wait(kSavingPatience));
  const auto restored = pins.take();
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->pinned.size(), 1u);
  ASSERT_EQ(restored->problems.size(), 1u);
  EXPECT_THAT(restored->problems[0], testing::HasSubstr("far is not pinned again: The posterior is not refined"));
}

TEST_F(SampleSavingTest, AreThoseOfInferAsNpzAndCsv) {
  for (const auto& [task, columns] : {std::pair("bump-hunt", 1), {"gaussian", 2}}) {
    write_events("x.csv", 70, columns);
    posterior_.open(task);
    settle();
    posterior_.set.open_file(path("x.csv"));
    settle();
    posterior_.set_n(40);
    settle();
    for (const char* ending : {".npz", ".csv"}) {
      const std::string ours = std::string("ours") + ending, theirs = std::string("theirs") + ending;
      ASSERT_EQ(save(ours, 321, 5), "");
      infer({task, "--data", path("x.csv"), "--n", "40", "--samples", "321", "--seed", "5", "--out", path(theirs)});
      EXPECT_TRUE(read_file(path(ours)) == read_file(path(theirs))) << task << ending;
      ASSERT_EQ(save("other" + std::string(ending), 321, 6), "");
      EXPECT_FALSE(read_file(path("other" + std::string(ending))) == read_file(path(ours))) << "another seed";
    }
    const torch::Tensor samples = read_npz(path("ours.npz")).at("samples");
    EXPECT_EQ(samples.sizes(), (std::vector<std::int64_t>{321, columns}));
    // The table has the same numbers to the last digit.
    const torch::Tensor table = read_csv(path("ours.csv"));
    EXPECT_TRUE(torch::equal(table.to(samples.scalar_type()), samples));
  }
}

TEST_F(SampleSavingTest, OfARandomSubsetTooAndOfASimulatedSet) {
  write_events("many.csv", 400, 1);
  posterior_.open("bump-hunt");
  settle();
  ASSERT_EQ(save("simulated.csv", 50, 1), "");
  EXPECT_THAT(read_file(path("simulated.csv")), testing::StartsWith("theta\n"));
  posterior_.set.open_file(path("many.csv"));
  settle();
  const auto large = posterior_.set.take_large_set();
  ASSERT_TRUE(large);
  posterior_.set.open_part(large->choice, 9);
  settle();
  posterior_.set_n(30);
  settle();
  ASSERT_EQ(save("ours.npz", 100, 9), "");
  infer({"bump-hunt", "--data", path("many.csv"), "--n", "30", "--random", "--seed", "9", "--samples", "100", "--out",
         path("theirs.npz")});
  EXPECT_TRUE(read_file(path("ours.npz")) == read_file(path("theirs.npz")));
}

TEST_F(SampleSavingTest, SaysWhyNothingIsWritten) {
  posterior_.open("bump-hunt");
  EXPECT_FALSE(posterior_.files.samples_asked()) << "nothing is shown yet";
  settle();
  EXPECT_THAT(save("samples.txt", 10, 1), testing::HasSubstr("must end in .npz or .csv"));
  EXPECT_THAT(save("gone/samples.npz", 10, 1), testing::HasSubstr("gone"));
  EXPECT_THAT(save("samples.npz", 1000000000000, 1), testing::HasSubstr("cannot be drawn"));
  EXPECT_FALSE(std::filesystem::exists(path("samples.npz")));
}

TEST(InferSamples, GoIntoATableUnlessThetaIsScored) {
  const TemporaryFolder folder;
  write_file(folder / "x.csv", "x\n1\n2\n");
  write_file(folder / "theta.csv", "0.5\n");
  const auto infer = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"infer", "bump-hunt", "--data", (folder / "x.csv").string()};
    words.insert(words.end(), more.begin(), more.end());
    return batch::run_words(words);
  };
  EXPECT_EQ(infer({"--out", (folder / "s.csv").string(), "--samples", "4"}).code, 0);
  EXPECT_EQ(read_csv(folder / "s.csv").sizes(), (std::vector<std::int64_t>{4, 1}));
  const batch::Answer scored =
      infer({"--out", (folder / "t.csv").string(), "--theta", (folder / "theta.csv").string()});
  EXPECT_EQ(scored.code, 2);
  EXPECT_THAT(scored.err, testing::HasSubstr("go into an .npz file"));
  EXPECT_THAT(infer({"--out", (folder / "t.txt").string()}).err, testing::HasSubstr("must end in .npz or .csv"));
}

}  // namespace
}  // namespace pairs::model
