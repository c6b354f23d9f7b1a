#include "app/scores/companion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

// Posterior means of `sets` sets whose exact means are standard normals, each off by `error` sds of 0.5.
Metrics scored(const std::string& run, double error, std::uint64_t seed, std::size_t sets = 4000) {
  Metrics out;
  out.run = run;
  out.weights = run;
  out.data = "simulated";
  EvaluationRow row;
  row.n = 100;
  row.means = row.sds = row.ranks = {{}};
  Stream exact(stream_key(1, Purpose::check), 0), own(stream_key(seed, Purpose::check), 1);
  for (std::size_t i = 0; i < sets; ++i) {
    row.means[0].push_back(exact.normal64() + 0.5 * error * own.normal64());
    row.sds[0].push_back(0.5);
  }
  row.log_prob.assign(sets, 0.0);
  out.rows = {row};
  return out;
}

TEST(MeansApart, AreTheErrorsOfBothRunsInSds) {
  const Metrics a = scored("a", 0.3, 2), b = scored("b", 0.4, 3);
  const std::vector<MeansApart> apart = means_apart(a, b);
  ASSERT_EQ(apart.size(), 1u);
  EXPECT_EQ(apart[0].n, 100);
  EXPECT_EQ(apart[0].sets, 4000);
  EXPECT_NEAR(apart[0].rms.at(0), 0.5, 0.02);  // sqrt(0.3² + 0.4²), four standard errors
  EXPECT_EQ(means_apart(a, a).at(0).rms.at(0), 0);
  EXPECT_EQ(means_apart(a, scored("short", 0.4, 3, 50)).at(0).sets, 50);
}

TEST(MeansApart, AreOfTheSameSetsAlone) {
  const Metrics a = scored("a", 0.3, 2);
  Metrics b = scored("b", 0.4, 3);
  b.seed = 2;
  EXPECT_TRUE(means_apart(a, b).empty());
  b.seed = 1;
  b.data = "MNIST";
  EXPECT_TRUE(means_apart(a, b).empty());
  b.data = a.data;
  b.rows[0].n = 10;
  Metrics target = a;
  EXPECT_THROW(set_companion(target, b), Error);
  b.rows[0].n = 100;
  set_companion(target, b);
  EXPECT_NEAR(target.rows[0].companion.at(0), 0.5, 0.02);
  EXPECT_EQ(target.companion, "b");
}

// metrics.json keeps the means to a thousandth of the sd, and the comparison with another run.
TEST(MeansApart, SurviveTheFile) {
  Metrics a = scored("a", 0.3, 2, 200);
  for (double& mean : a.rows[0].means[0]) mean = 65000 + 1e-3 * mean;
  for (double& sd : a.rows[0].sds[0]) sd = 5e-4;
  a.rows[0].sets = 200;
  a.rows[0].samples = 99;
  a.rows[0].ranks = {std::vector<double>(200, 0.5)};
  Metrics b = a;
  b.weights = b.run = "b";
  for (double& mean : b.rows[0].means[0]) mean += 1e-4;
  set_companion(a, b);
  const Metrics again = parse_metrics(metrics_text(a), "a file");
  EXPECT_EQ(again.companion, "b");
  EXPECT_NEAR(again.rows[0].companion.at(0), 0.2, 1e-6);
  EXPECT_NEAR(means_apart(again, parse_metrics(metrics_text(b), "a file")).at(0).rms.at(0), 0.2, 0.002);
}

}  // namespace
}  // namespace pairs
