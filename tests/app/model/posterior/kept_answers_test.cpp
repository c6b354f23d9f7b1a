// What was asked about a posterior is answered again by what is known, whatever was shown in between.
#include <gtest/gtest.h>

#include "app/model/posterior/posterior.h"
#include "app/model/posterior/work/set_inquiry.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

constexpr double kAnswerPatience = 300;

TEST(KeptAnswers, AreThereAgainAfterAnotherTask) {
  const TemporaryFolder folder;
  const auto data = folder / "x.csv";
  write_file(data, "x\n0.3\n-1.2\n0.8\n1.9\n2.1\n");
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  posterior.open("bump-hunt");
  ASSERT_TRUE(posterior.wait(kAnswerPatience));
  posterior.set.open_file(data);
  ASSERT_TRUE(posterior.wait(kAnswerPatience));
  SetInquiry& prior = posterior.inquiries().other_prior;
  const std::string key = posterior.inquiry_key();
  prior.ask(key, *posterior.files.samples_asked(), prior_question("theta = beta(2, 8)"));
  ASSERT_TRUE(posterior.wait(kAnswerPatience));
  ASSERT_TRUE(prior.answer(key));
  posterior.open("gaussian");
  ASSERT_TRUE(posterior.wait(kAnswerPatience));
  EXPECT_NE(posterior.inquiry_key(), key);
  EXPECT_FALSE(prior.answer(posterior.inquiry_key()));
  posterior.open("bump-hunt");
  ASSERT_TRUE(posterior.wait(kAnswerPatience));
  EXPECT_EQ(posterior.inquiry_key(), key);
  EXPECT_TRUE(prior.answer(posterior.inquiry_key()));
  // After the file has been rewritten, the inquiry is a different one.
  write_file(data, "x\n0.3\n-1.2\n0.8\n1.9\n2.1\n0.1\n");
  posterior.set.open_file(data);
  ASSERT_TRUE(posterior.wait(kAnswerPatience));
  EXPECT_FALSE(prior.answer(posterior.inquiry_key()));
}

}  // namespace
}  // namespace pairs::model
