#include "core/train/stages/source_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/train/run/run.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

const SourceChoice kMixed{{{1, 32, 0, 0.5, 0.1}, {10, 32, 2, -0.02, 0.05}, {100, 16, 1, -0.4, 0.1}}};

TEST(SourceChoice, TakesTheRefinedOneUnlessItIsWorse) {
  EXPECT_FALSE(SourceChoice().refined(1)) << "nothing was compared";
  EXPECT_TRUE(kMixed.refined(1));
  EXPECT_TRUE(kMixed.refined(10)) << "within its error";
  EXPECT_FALSE(kMixed.refined(100));
  EXPECT_TRUE(kMixed.refined(3));
  EXPECT_FALSE(kMixed.refined(32)) << "half way between -0.02 and -0.4";
  EXPECT_FALSE(kMixed.refined(5000)) << "beyond the largest, that one decides";
  EXPECT_THAT(kMixed.text(80), HasSubstr("at N = 100, the nearest size that was compared, it loses 0.40 ± 0.10 nat"));
  EXPECT_THAT(kMixed.text(1), HasSubstr("at N = 1 it gains 0.50 ± 0.10 nat"));
  EXPECT_THAT(kMixed.text(9), HasSubstr("2 of which it refused"));
}

TEST(SourceChoice, BelongsToItsWeights) {
  TemporaryFolder folder;
  const std::filesystem::path run = folder / "run", learned = likelihood_folder(run);
  std::filesystem::create_directories(learned);
  EXPECT_FALSE(load_source_choice(run));
  const auto write = [](const std::filesystem::path& file, double value) {
    write_safetensors(file, {{{"w", torch::full({1}, value)}}, {}});
  };
  write(run / run_file::estimator, 1);
  write(learned / likelihood_file::weights, 2);
  save_source_choice(run, kMixed);
  const std::optional<SourceChoice> kept = load_source_choice(run);
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->scores.size(), 3u);
  EXPECT_EQ(kept->scores[1].refused, 2);
  EXPECT_EQ(kept->scores[2].gain, -0.4);
  const std::filesystem::path file = learned / "comparison.json";
  const std::string whole = read_file(file);
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string("[]"), std::string("{}")}) {
    write_file(file, damaged);
    EXPECT_THAT(message_of([&] { load_source_choice(run); }), HasSubstr("remove it, and pairs --batch likelihood"));
  }
  write_file(file, whole);
  for (const auto& [changed, before] :
       {std::pair{learned / likelihood_file::weights, 2.0}, std::pair{run / run_file::estimator, 1.0}}) {
    write(changed, 3);
    EXPECT_FALSE(load_source_choice(run)) << changed;
    write(changed, before);
    EXPECT_TRUE(load_source_choice(run)) << changed;
  }
}

}  // namespace
}  // namespace pairs
