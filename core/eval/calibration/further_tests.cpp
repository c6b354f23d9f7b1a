#include "core/eval/calibration/further_tests.h"

#include <ATen/Functions.h>

#include "core/base/gpu/transfer.h"
#include "core/eval/calibration/regions.h"
#include "core/eval/calibration/tarp.h"
#include "core/eval/calibration/uniform_ecdf.h"

namespace pairs {
namespace {

constexpr std::int64_t kFewestJudged = 20;
constexpr double kNoise = 0.95;

}  // namespace

FurtherTests::FurtherTests(const TaskInfo& info) {
  std::vector<double> scale, middle;
  for (const Target& target : info.targets) {
    scale.push_back(target.scale);
    middle.push_back(target.location);
  }
  scale_ = torch::tensor(scale, torch::kFloat64);
  last_ = torch::tensor(middle, torch::kFloat64).unsqueeze(0);
}

void FurtherTests::add(const torch::Tensor& samples, const torch::Tensor& truth, const torch::Tensor& aggregates,
                       std::uint64_t key) {
  // A set's reference point is the truth of the previous set: a sample of the prior that is independent of this set.
  const torch::Tensor reference = at::cat({last_, truth.slice(0, 0, truth.size(0) - 1)});
  append_doubles(distance_ranks_, distance_ranks(samples, truth, reference, scale_, key));
  last_ = truth.slice(0, truth.size(0) - 1).clone();
  truths_.push_back(truth);
  const std::int64_t room = kMostLearnedFrom - two_sample_.sets();
  if (room > 0 && samples.size(1) >= TwoSample::fewest_samples(samples.size(2)))
    two_sample_.add(samples.slice(0, 0, room), truth.slice(0, 0, room),
                    aggregates.slice(0, 0, room).to(torch::kCPU, torch::kFloat64));
}

void FurtherTests::finish(EvaluationRow& row) const {
  const torch::Tensor truths = at::cat(truths_);
  for (std::int64_t t = 0; t < truths.size(1); ++t) row.truths.push_back(doubles(truths.select(1, t)));
  row.distance_ranks = distance_ranks_;
  if (row.sets < kFewestJudged) return;
  const UniformEcdf uniform(row.sets, row.samples);
  for (std::size_t t = 0; t < row.ranks.size(); ++t)
    row.rank_tests[t].ecdf_p = uniform.p_value(uniform.shares(row.ranks[t]));
  const std::vector<double> shares = uniform.shares(distance_ranks_);
  row.scores["tarp"] = uniform.deviation(shares);
  row.scores["tarp_p95"] = uniform.deviation_limit(kNoise);
  row.scores["tarp_p"] = uniform.p_value(shares);
  if (const TwoSampleTest test = two_sample_.global(); !std::isnan(test.p_value)) {
    row.scores["c2st"] = test.accuracy;
    row.scores["c2st_se"] = test.se;
    row.scores["c2st_p"] = test.p_value;
  }
  std::vector<std::vector<Region>> all;
  for (std::size_t t = 0; t < row.ranks.size(); ++t) all.push_back(regions(row.means[t], row.ranks[t], row.samples));
  if (const RegionTest test = region_test(all); test.tests > 0) row.scores["region_p"] = test.p_value;
}

}  // namespace pairs
