// A report from the window is the one that `pairs --batch report` writes, byte for byte.
#include "app/model/posterior/work/report_saving.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/model/posterior/posterior.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

constexpr double kReportPatience = 240;

class ReportSavingTest : public testing::Test {
 protected:
  ReportSavingTest() : posterior_(hub_) {
    std::string text = "x\n";
    for (int i = 0; i < 50; ++i) text += fmt::format("{}\n", 0.1 * (i % 23) - 1);
    write_file(path("events.csv"), text);
    posterior_.open("bump-hunt");
    EXPECT_TRUE(posterior_.wait(kReportPatience));
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  Hub hub_{built_in_tasks()};
  TemporaryFolder folder_;
  Posterior posterior_;
};

TEST_F(ReportSavingTest, IsTheOneOfTheCommand) {
  EXPECT_FALSE(posterior_.files.report_asked()) << "nobody observed a simulated set";
  posterior_.set.open_file(path("events.csv"));
  ASSERT_TRUE(posterior_.wait(kReportPatience));
  posterior_.set_n(20);
  ASSERT_TRUE(posterior_.wait(kReportPatience));
  auto asked = posterior_.files.report_asked();
  ASSERT_TRUE(asked);
  asked->question.sets = 200;
  asked->file = path("window.html");
  posterior_.files.reports().save(*asked);
  ASSERT_TRUE(posterior_.files.reports().job().wait(kReportPatience));
  const auto outcome = posterior_.files.reports().job().take();
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->failure, "");
  const batch::Answer answer = batch::run_words(
      {"report", "bump-hunt", "--data", path("events.csv"), "--n", "20", "--sets", "200", "--out", path("batch.html")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(read_file(path("window.html")) == read_file(path("batch.html")));
}

// The report holds the further results of the page, and not those that failed.
TEST_F(ReportSavingTest, HoldsWhatWasAskedBeside) {
  posterior_.set.open_file(path("events.csv"));
  ASSERT_TRUE(posterior_.wait(kReportPatience));
  SetInquiries& inquiries = posterior_.inquiries();
  const auto ask = [&](const std::string& prior) {
    inquiries.prior = prior;
    inquiries.other_prior.ask(inquiries.prior_key(posterior_.inquiry_key()), *posterior_.files.samples_asked(),
                              prior_question(prior));
    ASSERT_TRUE(inquiries.other_prior.wait(kReportPatience));
    inquiries.other_prior.poll();
  };
  EXPECT_TRUE(posterior_.files.report_asked()->question.asked.prior.empty());
  ask("beta(2, 8); training uniform(0, 1)");
  const auto answer = inquiries.other_prior.answer(inquiries.prior_key(posterior_.inquiry_key()));
  ASSERT_TRUE(answer && answer->figure) << (answer ? answer->text : "");
  const std::vector<Line>& lines = answer->figure->plots.front().lines;
  EXPECT_TRUE(std::ranges::any_of(lines, [](const Line& one) { return one.name == "other prior"; }));
  EXPECT_EQ(posterior_.files.report_asked()->question.asked.prior, "beta(2, 8); training uniform(0, 1)");
  EXPECT_EQ(posterior_.files.report_asked()->question.local_test, 0);
  ask("beta(2)");
  EXPECT_TRUE(posterior_.files.report_asked()->question.asked.prior.empty());
}

TEST_F(ReportSavingTest, SaysWhyNoneWasWritten) {
  posterior_.set.open_file(path("events.csv"));
  ASSERT_TRUE(posterior_.wait(kReportPatience));
  auto asked = posterior_.files.report_asked();
  ASSERT_TRUE(asked);
  asked->file = path("gone/report.html");
  posterior_.files.reports().save(*asked);
  ASSERT_TRUE(posterior_.files.reports().job().wait(kReportPatience));
  ASSERT_TRUE(posterior_.poll());
  ASSERT_FALSE(hub_.messages.all().empty());
  EXPECT_THAT(hub_.messages.all().back().text, testing::HasSubstr("gone"));
  EXPECT_EQ(posterior_.files.reports().doing(), "");
}

}  // namespace
}  // namespace pairs::model
