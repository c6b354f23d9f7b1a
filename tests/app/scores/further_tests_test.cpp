#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "app/scores/further_tests_text.h"
#include "app/scores/metrics_file.h"
#include "app/scores/test_figures.h"
#include "app/scores/verdict.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/calibration.h"

namespace pairs {
namespace {

using testing::HasSubstr;

// The row that an evaluation stores for a calibrated posterior of two targets.
EvaluationRow tested_row(std::int64_t n) {
  constexpr std::int64_t sets = 200, samples = 99;
  EvaluationRow row;
  row.n = n;
  row.sets = sets;
  row.samples = samples;
  for (int t = 0; t < 2; ++t) {
    std::vector<double> ranks, means, sds, truths;
    Stream stream(stream_key(3, Purpose::check), static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(t));
    for (int i = 0; i < sets; ++i) {
      ranks.push_back(static_cast<double>(stream.below(samples + 1)) / static_cast<double>(samples));
      means.push_back(stream.normal64());
      sds.push_back(0.25);
      truths.push_back(means.back() + 0.25 * stream.normal64());
    }
    row.rank_tests.push_back(rank_test(ranks, samples));
    row.rank_tests.back().ecdf_p = 0.4;
    row.ranks.push_back(std::move(ranks));
    row.means.push_back(std::move(means));
    row.sds.push_back(std::move(sds));
    row.truths.push_back(std::move(truths));
  }
  row.distance_ranks = row.ranks[0];
  row.log_prob.assign(sets, 0.5);
  row.scores = {{"tarp", 0.04},     {"tarp_p95", 0.09}, {"tarp_p", 0.7},  {"c2st", 0.49},
                {"c2st_se", 0.024}, {"c2st_p", 0.6},    {"region_p", 0.5}};
  return row;
}

Metrics tested_metrics() {
  Metrics metrics;
  metrics.task = "circle";
  metrics.run = "a";
  metrics.data = "simulated";
  metrics.strategy = "pairs";
  metrics.rows = {tested_row(1), tested_row(10)};
  return metrics;
}

TEST(FurtherVerdict, PassesARunThatNoTestRejects) {
  const FurtherVerdict verdict = further_verdict(tested_metrics().rows, {"a", "b"});
  EXPECT_EQ(verdict.tests, 10);
  EXPECT_TRUE(verdict.faults.empty());
  EXPECT_EQ(further_clause(verdict), "");
  EXPECT_EQ(further_sentence(verdict), "None of 10 further tests rejects.");
}

TEST(FurtherVerdict, NamesTheTestsThatRejectAndThoseThatMight) {
  std::vector<EvaluationRow> rows = tested_metrics().rows;
  rows[1].scores["c2st_p"] = 2e-8;
  rows[0].rank_tests[1].ecdf_p = 0.0005;
  rows[0].scores["tarp_p"] = 0.0011;  // the limit of 24 tests that share half of 5 %: 0.00104
  const FurtherVerdict verdict = further_verdict(rows, {"a", "b"});
  ASSERT_EQ(verdict.faults.size(), 2u);
  EXPECT_TRUE(verdict.rejects());
  EXPECT_EQ(further_clause(verdict),
            "; rejected by C2ST at N = 10 (p 2e-08); borderline by ECDF of b at N = 1 (p 5e-04)");
  EXPECT_EQ(further_sentence(verdict),
            "Of 10 further tests these reject: C2ST at N = 10 (p 2e-08); borderline: ECDF of b at N = 1 (p 5e-04).");
  const nlohmann::json document = further_document(verdict);
  EXPECT_EQ(document.at("faults").at(0).at("test"), "C2ST");
  EXPECT_EQ(document.at("faults").at(1).at("rejects"), false);
  const EvaluationVerdict of_all = evaluation_verdict(rows, {{"a", "b"}});
  EXPECT_TRUE(of_all.bad);
  EXPECT_THAT(of_all.text, HasSubstr("ejected by C2ST at N = 10"));
}

TEST(FurtherVerdict, JudgesNeitherExtrapolationsNorFinitePools) {
  std::vector<EvaluationRow> rows = tested_metrics().rows;
  for (EvaluationRow& row : rows) row.scores["tarp_p"] = 1e-9;
  rows[0].extrapolation = true;
  rows[1].pool = 1000;
  const FurtherVerdict verdict = further_verdict(rows, {"a", "b"});
  EXPECT_EQ(verdict.tests, 0);
  EXPECT_FALSE(verdict.rejects());
  EXPECT_EQ(further_sentence(verdict), "");
}

TEST(FurtherText, IsATableOfEverySize) {
  const std::string text = further_text(tested_metrics().rows, {"a", "b"}, 2);
  for (const char* part : {"ECDF p", "TARP (noise)", "0.040 (0.090)", "C2ST (noise)", "0.490 (0.539)", "region p"})
    EXPECT_THAT(text, HasSubstr(part));
  EvaluationRow bare;
  bare.n = 1;
  EXPECT_EQ(further_text({bare}, {}, 2), "");
}

TEST(MetricsFile, KeepsWhatFurtherTestsFound) {
  Metrics metrics = tested_metrics();
  metrics.rows[1].sets = 150;
  for (auto* of : {&metrics.rows[1].ranks, &metrics.rows[1].means, &metrics.rows[1].sds, &metrics.rows[1].truths})
    for (std::vector<double>& one : *of) one.resize(150);
  metrics.rows[1].distance_ranks.resize(150);
  metrics.rows[1].log_prob.resize(150);
  for (int t = 0; t < 2; ++t) {
    metrics.rows[1].truths[t].assign(metrics.rows[0].truths[t].begin(), metrics.rows[0].truths[t].begin() + 150);
  }
  const Metrics back = parse_metrics(metrics_text(metrics), "memory");
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(back.rows[r].truths, metrics.rows[r].truths);
    EXPECT_EQ(back.rows[r].distance_ranks, metrics.rows[r].distance_ranks);
    EXPECT_EQ(back.rows[r].scores, metrics.rows[r].scores);
    EXPECT_EQ(back.rows[r].rank_tests[1].ecdf_p, 0.4);
  }
  nlohmann::json text = nlohmann::json::parse(metrics_text(metrics));
  text["truths"][0].erase(0);
  EXPECT_THROW(parse_metrics(text.dump(), "memory"), Error);
}

TEST(TestFigures, ShowWhatTheyAreOf) {
  const Metrics metrics = tested_metrics();
  const std::vector<std::string> targets = {"a", "b"};
  const Figure ecdf = ecdf_figure(metrics, targets);
  ASSERT_EQ(ecdf.plots.size(), 4u);  // two sizes, each with its difference
  ASSERT_EQ(ecdf.plots[0].lines.size(), 3u);
  EXPECT_EQ(ecdf.plots[0].lines[0].name, "calibrated, 95 %");
  EXPECT_EQ(ecdf.plots[0].lines[0].lower.size(), ecdf.plots[0].lines[0].x.size());
  EXPECT_EQ(ecdf.plots[0].lines[1].y.back(), 1);
  EXPECT_EQ(ecdf.plots[1].lines[1].y.back(), 0);
  EXPECT_THAT(ecdf.plots[0].title, HasSubstr("N = 1: least p = 0.400"));
  EXPECT_THAT(tarp_figure(metrics).plots[0].title, HasSubstr("0.040 off at most; p = 0.700"));
  const Figure c2st = c2st_figure({metrics});
  EXPECT_EQ(c2st.plots[0].lines[0].y, (std::vector<double>{0.49, 0.49}));
  EXPECT_NEAR(c2st.plots[0].lines[1].upper[0], 0.5 + 1.645 * 0.024, 1e-12);
  const Figure recovery = recovery_figure(metrics, targets);
  ASSERT_EQ(recovery.plots.size(), 4u);
  EXPECT_EQ(recovery.plots[0].scatters[0].x, metrics.rows[0].truths[0]);
  EXPECT_EQ(recovery.plots[0].lines[0].y[1] - recovery.plots[0].lines[0].y[0], 0.5);
  const Figure contraction = contraction_figure(metrics, targets);
  EXPECT_EQ(contraction.plots[0].scatters[0].y[0], (metrics.rows[0].means[0][0] - metrics.rows[0].truths[0][0]) / 0.25);
  const Figure regions = regions_figure(metrics, targets);
  ASSERT_EQ(regions.plots.size(), 6u);  // of each size two targets and a map
  EXPECT_EQ(regions.plots[2].pictures.size(), 1u);
  double inside = 0;
  for (const double share : regions.plots[0].lines[1].y) inside += 20 * share;
  double truly = 0;
  for (const double rank : metrics.rows[0].ranks[0]) truly += std::fabs(2 * rank - 1) <= 0.5;
  EXPECT_NEAR(inside, truly, 1e-9);
}

TEST(TestFigures, SayWhatAnEvaluationLacks) {
  Metrics metrics = tested_metrics();
  for (EvaluationRow& row : metrics.rows) {
    row.truths.clear();
    row.distance_ranks.clear();
    row.scores.clear();
  }
  for (const auto& draw : std::vector<std::function<Figure()>>{
           [&] { return tarp_figure(metrics); }, [&] { return c2st_figure({metrics}); },
           [&] { return recovery_figure(metrics, {}); }, [&] { return contraction_figure(metrics, {}); }}) {
    try {
      draw();
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("evaluate it again"));
    }
  }
}

}  // namespace
}  // namespace pairs
