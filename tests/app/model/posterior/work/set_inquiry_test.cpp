// Tests, confidence intervals and other priors in the window agree with those of the commands.
#include "app/model/posterior/work/set_inquiry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/model/posterior/posterior.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/app/batch/bounded_noise.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

constexpr double kInquiryPatience = 300;

TEST(SetInquiry, SaysWhatInferSays) {
  const TemporaryFolder folder;
  const std::string data = (folder / "x.csv").string();
  std::string text = "x\n";
  for (int i = 0; i < 30; ++i) text += std::to_string(i == 4 ? 25 : i == 5 ? -25 : -1.5 + 0.1 * i) + "\n";
  write_file(data, text);
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  posterior.open("bump-hunt");
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  posterior.set.open_file(data);
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  ASSERT_TRUE(posterior.files.samples_asked());
  SetInquiries& all = posterior.inquiries();
  SetInquiry &test = all.predictive, &prior = all.other_prior, &local = all.local_test;
  test.ask("this", *posterior.files.samples_asked(), predictive_question());
  prior.ask("this", *posterior.files.samples_asked(), prior_question("theta = beta(2, 8)"));
  local.ask("this", *posterior.files.samples_asked(), local_test_question());
  all.observations.ask("this", *posterior.files.samples_asked(), observations_question());
  EXPECT_TRUE(posterior.busy());
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  ASSERT_TRUE(test.answer("this") && prior.answer("this") && local.answer("this"));
  EXPECT_FALSE(test.answer("another"));
  EXPECT_TRUE(test.answer("this")->bad);
  EXPECT_TRUE(test.answer("this")->figure);
  const batch::Answer said = batch::run_words(
      {"infer", "bump-hunt", "--data", data, "--predictive", "200", "--prior", "beta(2, 8)", "--local-test", "1000",
       "--observations", (folder / "of.csv").string(), "--out", (folder / "s.npz").string(), "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const nlohmann::json document = nlohmann::json::parse(said.out);
  EXPECT_EQ(test.answer("this")->text, document.at("predictive").at("text"));
  EXPECT_EQ(prior.answer("this")->text, document.at("other_prior").at("text"));
  EXPECT_EQ(local.answer("this")->text, document.at("local_test").at("text"));
  const auto singles = all.observations.answer("this");
  ASSERT_TRUE(singles && singles->singles && singles->figure);
  EXPECT_EQ(singles->text, document.at("observations").at("text"));
  EXPECT_EQ(singles->singles->foreign, (std::vector<std::int64_t>{4, 5}));
  const Scatter& marked = singles->figure->plots.front().scatters.back();
  EXPECT_EQ(marked.role, SeriesRole::foreign);
  EXPECT_EQ(marked.x, (std::vector<double>{25, -25}));
  EXPECT_THAT(singles->figure->plots.front().title, HasSubstr("2 foreign"));
  const auto usual = all.usual.answer(posterior.inquiry_key());
  ASSERT_TRUE(usual && usual->within) << "nobody asked for it";
  EXPECT_EQ(within_document(*usual->within), document.at("within"));
  posterior.reload();
  EXPECT_FALSE(test.answer("this")) << "the weights may be others";
  EXPECT_FALSE(prior.answer("this"));
}

TEST(SetInquiry, TestsEverySetOfAFileUnasked) {
  const TemporaryFolder folder;
  const std::string data = (folder / "x.csv").string();
  std::string text = "x\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{}\n", -4.5 + 0.3 * i);
  write_file(data, text);
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  posterior.open("bump-hunt");
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  const auto within = [&] {
    const auto answer = posterior.inquiries().usual.answer(posterior.inquiry_key());
    return answer ? answer->within : std::nullopt;
  };
  EXPECT_FALSE(within()) << "a simulated set is the model's own";
  posterior.set.open_file(data);
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  ASSERT_TRUE(within());
  EXPECT_LE(within()->p, kUnlikeWithin);
  EXPECT_EQ(within()->compared, 30);
  for (int n = 29; n > 20; --n) posterior.set_n(n);
  EXPECT_FALSE(within());
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  ASSERT_TRUE(within()) << "of the N that it came to rest at";
  EXPECT_EQ(within()->compared, 21);
  posterior.new_set();
  EXPECT_FALSE(posterior.inquiries().usual.works_on(posterior.inquiry_key()));
}

TEST(SetInquiry, KnowsHowLongTheRestTakes) {
  Hub hub(built_in_tasks());
  Posterior posterior(hub);
  posterior.open("bump-hunt");
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  std::atomic<bool> begun{false}, over{false};
  SetInquiry& inquiry = posterior.inquiries().local_test;
  const Stopwatch asked;
  inquiry.ask("slow", *posterior.files.samples_asked(),
              [&](SetPosterior&, const SamplesAsked&, const SetInquiry::Progress& progress) {
                progress.done(0.2);
                begun = true;
                while (!over && progress.keep_going()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
                return SetInquiry::Answer();
              });
  EXPECT_TRUE(std::isnan(inquiry.seconds_left())) << "too early";
  while (!begun || asked.seconds() < 1.2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const double before = asked.seconds(), left = inquiry.seconds_left(), after = asked.seconds();
  EXPECT_GT(left, 4 * (before - 0.2));
  EXPECT_LT(left, 4 * (after + 0.01));
  over = true;
  ASSERT_TRUE(inquiry.wait(kInquiryPatience));
}

TEST(SetInquiry, TellsTheIntervalsOfConfidenceThatFrequentistTells) {
  const TemporaryFolder folder;
  const std::string data = (folder / "x.csv").string();
  std::string text = "x\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(i < 6 ? 2.9 + 0.03 * i : -1.2 + 0.1 * i) + "\n";
  write_file(data, text);
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  posterior.open("bump-hunt");
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  posterior.set.open_file(data);
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  SetInquiry& confidence = posterior.inquiries().confidence;
  ToyPlan few;
  few.toys = 200;
  few.null_toys = 400;
  few.nodes = 11;
  confidence.ask("this", *posterior.files.samples_asked(), confidence_question(few));
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  const auto answer = confidence.answer("this");
  ASSERT_TRUE(answer);
  ASSERT_TRUE(answer->figure) << answer->text;
  const batch::Answer said = batch::run_words(
      {"frequentist", "bump-hunt", "--data", data, "--toys", "200", "--null-toys", "400", "--nodes", "11", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const nlohmann::json document = nlohmann::json::parse(said.out);
  EXPECT_THAT(answer->text, testing::HasSubstr(fmt::format("Best fit (marginal likelihood): θ = {:.3f}",
                                                           document.at("estimate").get<double>())));
  for (const nlohmann::json& level : document.at("levels")) {
    const auto part = level.at("intervals").at(0);
    EXPECT_THAT(answer->text,
                testing::HasSubstr(fmt::format("{:.4g} %: {:.3f} to {:.3f}", 100 * level.at("level").get<double>(),
                                               part.at(0).get<double>(), part.at(1).get<double>())));
    EXPECT_THAT(answer->text, testing::HasSubstr(fmt::format("upper limit {:.3f}, by CLs {:.3f}",
                                                             level.at("upper_limit").get<double>(),
                                                             level.at("cls_upper_limit").get<double>())));
  }
  EXPECT_THAT(answer->text, testing::HasSubstr("no signal"));
  EXPECT_THAT(answer->text, testing::HasSubstr("200 toys at each of 11 values of θ"));
}

// Toys are given what the set that is shown is given, by its file or by hand.
TEST(SetInquiry, IntervalsOfConfidenceKnowWhatIsGiven) {
  const batch::BoundedNoise noise;
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  posterior.open(noise.path("run"));
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  posterior.set.open_file(noise.path("both.csv"));
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  EXPECT_EQ(posterior.scene()->no_confidence, "");
  ToyPlan few;
  few.toys = 200;
  few.nodes = 11;
  SetInquiry& confidence = posterior.inquiries().confidence;
  const auto answer_text = [&](const std::string& key) {
    confidence.ask(key, *posterior.files.samples_asked(), confidence_question(few));
    EXPECT_TRUE(posterior.wait(kInquiryPatience));
    return confidence.answer(key)->text;
  };
  const std::string by_file = answer_text("by the file");
  EXPECT_THAT(by_file, testing::HasSubstr("given sigma = 0.5"));
  posterior.set.set_condition(0, 0.9);
  ASSERT_TRUE(posterior.wait(kInquiryPatience));
  const std::string by_hand = answer_text("by hand");
  EXPECT_THAT(by_hand, testing::HasSubstr("given sigma = 0.9"));
  EXPECT_NE(by_hand.substr(0, by_hand.find(".\nConfidence")), by_file.substr(0, by_file.find(".\nConfidence")));
}

TEST(SetInquiry, SaysWhyThereIsNone) {
  Hub hub{built_in_tasks()};
  SetInquiry inquiry(hub, "making it", "It was not made");
  SamplesAsked asked;
  asked.question.run = "no-such-run";
  inquiry.ask("none", asked, predictive_question());
  ASSERT_TRUE(inquiry.wait(kInquiryPatience));
  ASSERT_TRUE(inquiry.answer("none"));
  EXPECT_THAT(inquiry.answer("none")->text, testing::StartsWith("It was not made: "));
  asked.question.run = "bump-hunt";
  for (const char* wrong : {"", "gauss(0, 1)", "training normal(0, 1)"}) {
    inquiry.ask(wrong, asked, prior_question(wrong));
    ASSERT_TRUE(inquiry.wait(kInquiryPatience));
    ASSERT_TRUE(inquiry.answer(wrong));
    EXPECT_THAT(inquiry.answer(wrong)->text, testing::StartsWith("It was not made: "));
  }
}

}  // namespace
}  // namespace pairs::model
