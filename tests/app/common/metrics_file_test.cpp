#include "app/common/metrics_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"

namespace pairs {
namespace {

Metrics example() {
  Metrics metrics;
  metrics.task = "bump-hunt";
  metrics.run = "a";
  metrics.data = "simulated";
  metrics.strategy = "pairs";
  metrics.preset = "quick";
  metrics.convention = "precision";
  metrics.weights = "00c0ffee";
  metrics.seed = 4;
  EvaluationRow row;
  row.n = 10;
  row.sets = 3;
  row.samples = 200;
  row.nll = -0.7;
  row.nll_se = 0.01;
  row.reference_nll["naive product"] = 0.386;
  row.ranks = {{0.1, 0.5, 0.9}};
  row.log_prob = {0.6, 0.7, 0.8};
  metrics.rows.push_back(row);
  return metrics;
}

TEST(MetricsFile, ReadsBackWhatItWrote) {
  const Metrics back = parse_metrics(metrics_text(example()), "memory");
  EXPECT_EQ(back.weights, "00c0ffee");
  EXPECT_EQ(back.seed, 4);
  ASSERT_EQ(back.rows.size(), 1u);
  EXPECT_EQ(back.rows[0].n, 10);
  EXPECT_EQ(back.rows[0].nll, -0.7);
  EXPECT_TRUE(std::isnan(back.rows[0].gap));
  EXPECT_EQ(back.rows[0].log_prob, example().rows[0].log_prob);
  EXPECT_EQ(back.rows[0].ranks, example().rows[0].ranks);
  EXPECT_EQ(back.rows[0].reference_nll.at("naive product"), 0.386);
}

TEST(MetricsFile, LeavesUnknownNumbersOutOfTheDocument) {
  const nlohmann::json row = metrics_document(example())["rows"][0];
  EXPECT_TRUE(row.contains("nll"));
  EXPECT_FALSE(row.contains("gap"));
  EXPECT_FALSE(row.contains("exact_nll"));
  EXPECT_FALSE(row.contains("log_prob")) << "only the file holds them";
}

TEST(MetricsFile, RefusesBrokenFilesWithOneSentence) {
  for (const char* text : {"", "{", "[]", "{\"task\": 3}", "{\"task\": \"a\", \"rows\": 7}"}) {
    try {
      parse_metrics(text, "m.json");
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("m.json"));
    }
  }
}

TEST(MetricsTable, ShowsExactColumnsOnlyWhereThereIsAnExactAnswer) {
  Metrics metrics = example();
  EXPECT_THAT(metrics_table(metrics.rows), testing::Not(testing::HasSubstr("gap")));
  EXPECT_THAT(metrics_table(metrics.rows), testing::HasSubstr("naive product / nat"));
  metrics.rows[0].exact_nll = -0.71;
  metrics.rows[0].gap = 0.01;
  metrics.rows[0].gap_se = 0.002;
  EXPECT_THAT(metrics_table(metrics.rows), testing::HasSubstr("0.0100 ± 0.0020"));
}

}  // namespace
}  // namespace pairs
