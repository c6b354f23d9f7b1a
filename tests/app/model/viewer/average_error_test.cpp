#include "app/model/viewer/average_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "app/scores/metrics_file.h"
#include "core/base/numbers/random.h"
#include "tasks/registry.h"

namespace pairs::model {
namespace {

EvaluationRow image_row(std::int64_t n, double sample, double mean) {
  EvaluationRow row;
  row.n = n;
  row.sets = 500;
  row.mse = sample;
  row.mse_posterior = mean;
  row.mse_prior = 0.01;
  return row;
}

TEST(AverageError, IsThatOfTheNearestEvaluatedSize) {
  const std::vector<EvaluationRow> rows = {image_row(1, 0.012, 0.007), image_row(10, 0.005, 0.003),
                                           image_row(100, 0.003, 0.002)};
  EXPECT_EQ(average_error(rows, 1)->n, 1);
  EXPECT_EQ(average_error(rows, 3)->n, 1);
  EXPECT_EQ(average_error(rows, 4)->n, 10);
  EXPECT_EQ(average_error(rows, 31)->n, 10);
  EXPECT_EQ(average_error(rows, 32)->n, 100);
  EXPECT_EQ(average_error(rows, 5000)->n, 100);
  EXPECT_NEAR(average_error(rows, 100)->undetermined, 0.5, 1e-12);
  EXPECT_EQ(average_error(rows, 100)->sets, 500);
  EXPECT_FALSE(average_error({}, 3));
  EXPECT_FALSE(average_error({EvaluationRow()}, 3)) << "of a density";
  EXPECT_EQ(average_error({image_row(2, 0.009, 0.003)}, 2)->undetermined, 1) << "samples that spread too much";
  EXPECT_TRUE(std::isnan(average_error({image_row(2, 0.009, NAN)}, 2)->undetermined)) << "one sample a set";
}

// A network whose samples are right in spread v but off by b: of its mean's error b² + v the share v / (b² + v) is left
// by the observations, and a sample's error is b² + 2 v.
TEST(AverageError, TellsTheNetworksErrorFromWhatIsLeftUndetermined) {
  Stream stream(stream_key(5, Purpose::check), 0);
  constexpr int kSets = 200000, kSamples = 4;
  const double v = 0.3, b = 0.4;
  double one = 0, mean_of_all = 0;
  for (int s = 0; s < kSets; ++s) {
    const double truth = std::sqrt(v) * stream.normal64();
    double mean = 0, error = 0;
    for (int k = 0; k < kSamples; ++k) {
      const double sample = b + std::sqrt(v) * stream.normal64();
      mean += sample / kSamples;
      error += (sample - truth) * (sample - truth) / kSamples;
    }
    one += error / kSets;
    mean_of_all += (mean - truth) * (mean - truth) / kSets;
  }
  const double posterior = (kSamples * mean_of_all - one) / (kSamples - 1);  // as evaluations take it
  const auto found = average_error({image_row(1, one, posterior)}, 1);
  EXPECT_NEAR(found->mean, b * b + v, 0.01);
  EXPECT_NEAR(found->undetermined, v / (b * b + v), 0.02);
}

TEST(AverageError, IsKnownOfTheShippedWeights) {
  const auto metrics = read_metrics(built_in_tasks(), PAIRS_SOURCE_DIR "/assets/weights/novel-view/metrics.json");
  ASSERT_TRUE(metrics);
  double before = 1;
  for (const std::int64_t n : {1, 10, 100}) {
    const auto found = average_error(metrics->rows, n);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->n, n);
    EXPECT_LT(found->mean, before);
    EXPECT_GT(found->sample, found->mean);
    EXPECT_GT(found->undetermined, 0.5);
    EXPECT_LT(found->undetermined, 1);
    before = found->mean;
  }
}

}  // namespace
}  // namespace pairs::model
