#include <gtest/gtest.h>

#include "app/model/hub/scores.h"
#include "app/scores/glossary.h"

namespace pairs::model {
namespace {

// Every heading of the table of scores that is a measure stands in the glossary, and its tip has the equation.
TEST(ScoreTerms, EveryHeadingIsInTheGlossary) {
  EvaluationRow row;
  row.n = 5;
  row.sets = 100;
  row.samples = 99;
  row.nll = row.nll_se = row.exact_nll = row.gap = row.gap_se = row.acauc = row.acauc_p95 = 0.1;
  row.scores["rmae"] = 0.1;
  row.mse = row.mse_se = row.mse_posterior = row.mse_posterior_se = row.mse_prior = row.sd = 0.1;
  for (const char* key : {"tarp", "tarp_p95", "tarp_p", "c2st", "c2st_se", "c2st_p", "region_p"}) row.scores[key] = 0.1;
  row.rank_tests = {{0.1, 0.2, 0.3, 0.4}};
  row.pool = 100;
  row.pool_location_z = {0.5};
  row.log_prob.assign(100, -0.1);
  const ScoreTable table = score_table({row});
  int measures = 0;
  for (const ScoreColumn& column : table.columns) {
    if (column.title == "N" || column.title == "sets") continue;
    ++measures;
    ASSERT_TRUE(find_term(column.title)) << column.title;
    const std::string by = equation(column.title);
    ASSERT_FALSE(by.empty()) << column.title;
    EXPECT_NE(column.meaning.find(by), std::string::npos) << column.title;
  }
  EXPECT_GE(measures, 14);
}

}  // namespace
}  // namespace pairs::model
