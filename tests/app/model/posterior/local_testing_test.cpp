// The local test that is asked for in the window says what `infer --local-test` says.
#include "app/model/posterior/local_testing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/model/posterior/posterior.h"
#include "core/base/files.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

constexpr double kTestingPatience = 300;

TEST(LocalTesting, SaysWhatInferSays) {
  const TemporaryFolder folder;
  const std::string data = (folder / "x.csv").string();
  write_file(data, "x1,x2\n0.3,-0.2\n0.1,0.4\n-0.5,0.2\n");
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  posterior.open("gaussian");
  ASSERT_TRUE(posterior.wait(kTestingPatience));
  posterior.open_file(data);
  ASSERT_TRUE(posterior.wait(kTestingPatience));
  LocalTesting& testing = posterior.local_testing();
  ASSERT_TRUE(posterior.samples_asked());
  EXPECT_FALSE(testing.answer("this"));
  testing.test("this", *posterior.samples_asked());
  EXPECT_TRUE(posterior.busy());
  ASSERT_TRUE(posterior.wait(kTestingPatience));
  const auto answer = testing.answer("this");
  ASSERT_TRUE(answer);
  EXPECT_FALSE(testing.answer("another"));
  const std::string text = answer->text;
  const batch::Answer said = batch::run_words(
      {"infer", "gaussian", "--data", data, "--local-test", "1000", "--out", (folder / "s.npz").string(), "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(text, nlohmann::json::parse(said.out).at("local_test").at("text"));
  posterior.reload();
  EXPECT_FALSE(testing.answer("this")) << "the weights may be others";
}

TEST(LocalTesting, SaysWhyThereIsNone) {
  Hub hub{built_in_tasks()};
  LocalTesting testing(hub);
  SamplesAsked asked;
  asked.run = "no-such-run";
  testing.test("none", asked);
  ASSERT_TRUE(testing.wait(kTestingPatience));
  ASSERT_TRUE(testing.answer("none"));
  EXPECT_THAT(testing.answer("none")->text, testing::StartsWith("The local test was not made: "));
}

}  // namespace
}  // namespace pairs::model
