#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/model/posterior/posterior.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

// Quantities that are derived from the targets, as shown on the Posterior tab.

namespace pairs::model {
namespace {

using ::testing::HasSubstr;

TEST(DerivedQuantities, SayToTheBitWhatInferSays) {
  const TemporaryFolder folder;
  std::string text = "x\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("{}\n", i % 3 == 0 ? 2 + 0.01 * i : 0.05 * i - 1);
  write_file(folder / "set.csv", text);
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  EXPECT_NE(posterior.options.add_derived("odds = theta/(1 - theta)"), "") << "nothing is shown";
  posterior.open("bump-hunt");
  ASSERT_TRUE(posterior.wait(120));
  posterior.set.open_file(folder / "set.csv");
  ASSERT_TRUE(posterior.wait(120));
  EXPECT_TRUE(posterior.shown()->derived.empty());
  EXPECT_THAT(posterior.options.add_derived("odds = theta/"), HasSubstr("at character 7"));
  EXPECT_EQ(posterior.options.add_derived("odds = theta/(1 - theta)"), "");
  EXPECT_THAT(posterior.options.add_derived("odds = theta"), HasSubstr("Two derived quantities are called odds"));
  ASSERT_TRUE(posterior.wait(120));
  const std::vector<DerivedNumbers> shown = posterior.shown()->derived;
  ASSERT_EQ(shown.size(), 2u) << "of the run and of the exact posterior";
  const batch::Answer answer =
      batch::run_words({"infer", "bump-hunt", "--data", (folder / "set.csv").string(), "--out",
                        (folder / "samples.npz").string(), "--derive", "odds = theta/(1 - theta)", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json odds = nlohmann::json::parse(answer.out).at("derived").at("odds");
  EXPECT_EQ(odds.at("mean").get<double>(), shown[0].numbers.mean);
  EXPECT_EQ(odds.at("sd").get<double>(), shown[0].numbers.sd);
  EXPECT_EQ(odds.at("exact").at("mean").get<double>(), shown[1].numbers.mean);
  posterior.options.remove_derived(0);
  ASSERT_TRUE(posterior.wait(120));
  EXPECT_TRUE(posterior.shown()->derived.empty());
}

}  // namespace
}  // namespace pairs::model
