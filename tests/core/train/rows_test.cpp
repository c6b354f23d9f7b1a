#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/aggregate.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/train/run/run.h"
#include "core/train/settings/source.h"
#include "core/train/stages/set_gradients.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_library.h"
#include "tests/core/train/toy_row_task.h"

// Everything of core on a task whose observations are ragged rows: the toy of toy_row_task.h.

namespace pairs {
namespace {

class RowsTest : public ::testing::Test {
 protected:
  RunConfig config() const {
    RunConfig c;
    c.tasks = tasks_;
    c.task = task_->info().name;
    c.device = "cpu";
    c.threads = 2;
    c.checkpoint = 0;
    c.estimator = toy_row_estimator();
    c.pretrain.epochs = 12;
    c.pretrain.steps = 40;
    c.pretrain.batch = 128;
    c.pretrain.rate = 5e-3;
    c.pretrain.validation_sets = 256;
    c.cache.sizes = {10, 100};
    c.cache.sets = {800, 400};
    c.cache.pieces = 10;
    c.cache.chunk = 500;
    c.finetune.epochs = 12;
    c.finetune.steps = 40;
    c.finetune.batch = 128;
    c.finetune.rate = 5e-3;
    c.finetune.validation_draws = 512;
    return c;
  }
  Observations set(std::int64_t n, std::uint64_t seed = 1) const {
    const std::vector<std::int64_t> index = {0};
    const SetRange range[] = {{0, 0, n}};
    return task_->observe(task_->latents(seed, Purpose::check, index), seed, Purpose::check, range, torch::kCPU);
  }

  std::shared_ptr<const ToyRowTask> task_ = std::make_shared<ToyRowTask>();
  const Tasks tasks_ = std::make_shared<ToyLibrary>(task_);
  TemporaryFolder folder_;
};

// The rows of each observation in another order.
Observations permuted_rows(const Observations& x) {
  const torch::Tensor& offsets = x.offsets();
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < x.count(); ++i)
    for (std::int64_t row = offsets[i + 1].item<std::int64_t>(); row-- > offsets[i].item<std::int64_t>();)
      order.push_back(row);
  return Observations::ragged(x.rows().index_select(0, torch::tensor(order, torch::kInt64)), offsets);
}

TEST_F(RowsTest, TheOrderOfRowsChangesNothing) {
  Estimator estimator(task_, toy_row_estimator(), 3);
  estimator.train(false);
  const Observations x = set(400), other = permuted_rows(x);
  ASSERT_FALSE(torch::equal(x.rows(), other.rows()));
  EXPECT_LT((estimator.embed(x) - estimator.embed(other)).abs().max().item<double>(), 1e-5);
}

TEST_F(RowsTest, AnObservationWithoutRowsHasAnEmbeddingOfItsOwn) {
  Estimator estimator(task_, toy_row_estimator(), 3);
  estimator.train(false);
  const Observations none = Observations::ragged(torch::empty({0, 2}), torch::zeros({4}, torch::kInt64));
  const torch::Tensor empty = estimator.embed(none);
  ASSERT_EQ(empty.sizes(), (std::vector<std::int64_t>{3, 6}));
  EXPECT_TRUE(empty.isfinite().all().item<bool>());
  const Observations zero = Observations::ragged(torch::zeros({1, 2}), torch::tensor({0, 1}, torch::kInt64));
  EXPECT_GT((estimator.embed(zero) - empty[0]).abs().max().item<double>(), 1e-4) << "one row of zeros is not no row";
}

TEST_F(RowsTest, EmbeddingInPartsIsEmbeddingAtOnce) {
  Estimator estimator(task_, toy_row_estimator(), 3);
  estimator.train(false);
  const Observations x = set(333);
  EXPECT_LT((estimator.embed(x) - estimator.embed(x, 7)).abs().max().item<double>(), 1e-5);
  // A few observations of very many rows come in parts of few observations, however many were asked for.
  const std::int64_t rows = 50000;
  const Observations heavy = Observations::ragged(torch::rand({4 * rows, 2}), torch::arange(5, torch::kInt64) * rows);
  EXPECT_EQ(heavy.part_end(0, 1000, 2.5 * rows * 2), 2);
  EXPECT_EQ(heavy.part_end(2, 1000, 1), 3) << "one at least";
}

TEST_F(RowsTest, MemoryGoesWithTheRowsAndNothingIsPadded) {
  const std::vector<std::int64_t> index = {0};
  const SetRange range[] = {{0, 0, 5000}};
  const Observations x =
      task_->observe(task_->latents(1, Purpose::check, index), 1, Purpose::check, range, torch::kCPU);
  EXPECT_EQ(x.numbers(), 2 * x.offsets()[5000].item<std::int64_t>());
  EXPECT_NEAR(static_cast<double>(x.numbers()) / 5000, task_->info().observation_numbers(), 0.3)
      << "the typical observation that the task names";
}

TEST_F(RowsTest, GradientsInPartsAreThoseOfTheWholeBatch) {
  Estimator estimator(task_, toy_row_estimator(), 3);
  const SetSource source(task_, 1, {1, 2, 5}, 0, 16);
  const auto gradients = [&](std::int64_t at_once) {
    for (auto& [name, tensor] : estimator.embedder_parameters()) tensor.mutable_grad() = torch::Tensor();
    const SetBatch batch = source.training(0, 0, 24, 24, torch::kCPU, at_once);
    EXPECT_EQ(batch.x.defined(), at_once == SetSource::kAll);
    estimator.train(true);
    set_gradients(estimator, source, batch, 5, at_once, {});
    std::vector<torch::Tensor> out;
    for (auto& [name, tensor] : estimator.embedder_parameters()) out.push_back(tensor.grad().clone());
    return out;
  };
  const std::vector<torch::Tensor> whole = gradients(SetSource::kAll), cut = gradients(7);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_GT(whole[i].abs().max().item<double>(), 0) << i;
    EXPECT_LT((whole[i] - cut[i]).abs().max().item<double>(), 1e-4 * (1 + whole[i].abs().max().item<double>())) << i;
  }
}

TEST_F(RowsTest, GoesThroughAllStagesAndLearnsTheExactPosterior) {
  validate(config(), task_->info());
  const auto run = create_run(config(), folder_.path() / "whole");
  TestMonitor monitor;
  execute_run(tasks_, run, monitor);
  LoadedRun loaded = load_run(tasks_, run.string());
  ASSERT_TRUE(loaded.finetuned);
  EvaluationOptions options;
  options.sizes = {1, 10, 100};
  options.sets = {400};
  options.samples = 99;
  const std::vector<EvaluationRow> rows = evaluate(*loaded.estimator, options);
  ASSERT_EQ(rows.size(), 3u);
  for (const EvaluationRow& row : rows) {
    EXPECT_GT(row.gap, -3 * row.gap_se - 0.01) << row.n << ": no estimator beats the exact posterior";
    EXPECT_LT(row.gap, 0.35) << row.n;
  }
  EXPECT_LT(rows[2].nll, rows[1].nll - 0.5);
  EXPECT_LT(rows[1].nll, rows[0].nll - 0.3);
}

TEST_F(RowsTest, StoppedAnywhereARunEndsWithTheSameBits) {
  RunConfig small = config();
  small.pretrain.epochs = small.finetune.epochs = 2;
  small.pretrain.steps = small.finetune.steps = 5;
  small.cache.sets = {60, 30};
  const auto whole = create_run(small, folder_.path() / "whole"), cut = create_run(small, folder_.path() / "cut");
  TestMonitor all;
  execute_run(tasks_, whole, all);
  EXPECT_GT(execute_with_stops(tasks_, cut, 20), 1);
  EXPECT_EQ(read_file(whole / run_file::estimator), read_file(cut / run_file::estimator));
  EXPECT_EQ(read_file(whole / run_file::cache), read_file(cut / run_file::cache));
}

TEST_F(RowsTest, EmbeddersOfOneShapeAndOfRowsRefuseEachOther) {
  const auto refusal = [&](const std::string& kind, double rows) {
    EmbedderConfig config;
    config.kind = kind;
    try {
      make_embedder(config, ObservationShape{{2}, rows}, at::detail::createCPUGenerator(1));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("mlp", 2.5), ::testing::HasSubstr("use rows"));
  EXPECT_THAT(refusal("cnn", 2.5), ::testing::HasSubstr("use rows"));
  EXPECT_THAT(refusal("rows", 0), ::testing::HasSubstr("one shape"));
  EXPECT_EQ(refusal("rows", 2.5), "");
}

}  // namespace
}  // namespace pairs
