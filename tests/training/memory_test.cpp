// Memory of stages 1 and 2 and of embedding does not depend on N.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/heads/spline_head.h"
#include "core/nn/cnn.h"
#include "core/train/cache/aggregate_cache.h"
#include "core/train/stages/cache_writer.h"
#include "core/train/stages/set_gradients.h"
#include "tasks/registry.h"
#include "tests/long_tests.h"
#include "tests/peak_memory.h"

namespace pairs {
namespace {

Estimator small_cnn() {
  EstimatorConfig config;
  config.embedder.kind = "cnn";
  config.embedder.of<Cnn::Settings>().channels = {4, 8};
  config.embedder.of<Cnn::Settings>().kernels = {3, 3};
  config.embedder.size = 8;
  config.head.of<SplineHead::Settings>().hidden = 8;
  return {built_in_tasks()->make("digits"), config, 1};
}

// Megabytes that `work` needs at its peak.
template <class Work>
double peak_of(Work&& work) {
  const double before = megabytes("VmRSS:");
  reset_peak();
  work();
  return megabytes("VmHWM:") - before;
}

TEST(Memory, PeakOfAStepAndOfValidationIsTheSameForLargerSets) {
  if (const std::string why = cannot_measure(); !why.empty()) GTEST_SKIP() << why;
  Estimator estimator = small_cnn();
  const auto peak = [&](std::int64_t n) {
    const SetSource source(built_in_tasks()->make("digits"), 1, {n}, 0, 2);
    const auto step = [&] {
      estimator.train(true);
      set_gradients(estimator, source, source.training(0, 0, 2, 2, torch::kCPU, 512), 1, 512, {});
    };
    const auto validation = [&] {
      estimator.train(false);
      set_aggregates(estimator, source, source.validation(0, 2, torch::kCPU, 512), 512, {});
    };
    return std::pair(peak_of(step), peak_of(validation));
  };
  peak(300);  // pages that the libraries touch once
  const auto [small_step, small_validation] = peak(300);
  const auto [large_step, large_validation] = peak(1000);
  std::printf("peak of a step: %.1f MB at N = 300, %.1f MB at N = 1,000; of validation: %.1f and %.1f MB\n", small_step,
              large_step, small_validation, large_validation);
  EXPECT_LT(large_step, small_step * 1.2 + 2);
  EXPECT_LT(large_validation, small_validation * 1.2 + 2);
}

TEST(Memory, EmbeddingTakesWhatAChunkTakes) {
  if (const std::string why = cannot_measure(); !why.empty()) GTEST_SKIP() << why;
  Estimator estimator = small_cnn();
  const torch::Tensor x = torch::rand({8 * estimator.observations_at_once(), 1, 28, 28});
  const torch::Tensor few = x.narrow(0, 0, estimator.observations_at_once());
  estimator.embed(few);
  const double chunk = peak_of([&] { estimator.embed(few); }), all = peak_of([&] { estimator.embed(x); });
  std::printf("peak of embedding: %.1f MB for a chunk, %.1f MB for eight\n", chunk, all);
  EXPECT_LT(all, chunk * 1.3 + 2);
  EXPECT_LT((estimator.embed(x).narrow(0, 0, few.size(0)) - estimator.embed(few)).abs().max().item<double>(), 1e-5);
}

TEST(Memory, PeakOfStageTwoIsTheSameForAThousandTimesLargerSets) {
  if (const std::string why = cannot_measure(); !why.empty()) GTEST_SKIP() << why;
  Estimator estimator = small_cnn();
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("pairs-memory-{}", ::getpid());
  std::filesystem::create_directories(folder);
  // Both write the same number of bytes. A million images a set with PAIRS_LONG_TESTS=1, else a tenth of that.
  const std::int64_t large = long_tests() ? 1000000 : 100000;
  const auto peak = [&](std::int64_t n) {
    CacheGroup group;
    group.n = n;
    group.training = 1;
    group.validation = 1;
    group.blocks = {n / 2};
    return peak_of([&] {
      write_cache(folder / fmt::format("{}.cache", n), estimator, {group}, 1, 0, 2048, [] { return false; }, {});
    });
  };
  peak(4096);  // pages that the libraries touch once
  const double small_peak = peak(4098), large_peak = peak(large);
  std::filesystem::remove_all(folder);
  RecordProperty("small_mb", std::to_string(small_peak));
  RecordProperty("large_mb", std::to_string(large_peak));
  std::printf("peak above the program's own: %.1f MB at N = 4,098, %.1f MB at N = %ld\n", small_peak, large_peak,
              static_cast<long>(large));
  EXPECT_LT(large_peak, small_peak * 1.1 + 1);
}

}  // namespace
}  // namespace pairs
