#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "app/kinds/observed.h"
#include "app/kinds/sample_plot.h"
#include "app/scores/metrics_file.h"
#include "app/scores/score.h"
#include "app/scores/score_figures.h"
#include "app/scores/scoring.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/toy_image_task.h"

// Metrics, figures and files of tasks whose target is an image.

namespace pairs {
namespace {

Metrics image_metrics(double scale = 1) {
  Metrics metrics;
  metrics.task = "pictures";
  metrics.run = "a";
  metrics.strategy = "pairs";
  for (const std::int64_t n : {1, 10}) {
    EvaluationRow row;
    row.n = n;
    row.sets = 3;
    row.samples = 4;
    row.mse_prior = 0.02;
    row.mse = scale * 0.03 / static_cast<double>(n);
    row.mse_se = 0.001;
    row.mse_mean = scale * 0.02 / static_cast<double>(n);
    row.mse_mean_se = 0.001;
    row.mse_posterior = scale * 0.016 / static_cast<double>(n);
    row.mse_posterior_se = 0.0015;
    row.sd = 0.1;
    row.set_mse = {0.01, 0.02, 0.03};
    row.set_mse_posterior = {scale * 0.01, scale * 0.02, scale * 0.04};
    metrics.rows.push_back(row);
  }
  return metrics;
}

std::string why(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ImageMetrics, ComeBackFromTheirFile) {
  const Metrics metrics = image_metrics();
  const Metrics back = parse_metrics(metrics_text(metrics), "here");
  ASSERT_EQ(back.rows.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const EvaluationRow &was = metrics.rows[i], &is = back.rows[i];
    EXPECT_EQ(was.mse, is.mse);
    EXPECT_EQ(was.mse_se, is.mse_se);
    EXPECT_EQ(was.mse_mean, is.mse_mean);
    EXPECT_EQ(was.mse_posterior, is.mse_posterior);
    EXPECT_EQ(was.mse_posterior_se, is.mse_posterior_se);
    EXPECT_EQ(was.mse_prior, is.mse_prior);
    EXPECT_EQ(was.set_mse, is.set_mse);
    EXPECT_EQ(was.set_mse_posterior, is.set_mse_posterior);
    EXPECT_TRUE(std::isnan(is.nll));
  }
  const nlohmann::json row = metrics_document(metrics)["rows"][1];
  EXPECT_NEAR(row["mse_share"].get<double>(), 0.15, 1e-12);
  EXPECT_NEAR(row["mse_posterior_share"].get<double>(), 0.08, 1e-12);
  EXPECT_FALSE(row.contains("nll"));
  const std::string table = metrics_table(metrics.rows);
  EXPECT_THAT(table, ::testing::HasSubstr("0.08"));
  EXPECT_THAT(table, ::testing::Not(::testing::HasSubstr("NLL")));
}

TEST(ImageMetrics, RowsOfParametersSayNothingOfThem) {
  Metrics metrics;
  metrics.rows.resize(1);
  metrics.rows[0].nll = 1;
  const std::string text = metrics_text(metrics);
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("mse")));
  EXPECT_EQ(scoring_of(metrics.rows).score().key, "nll");
  EXPECT_EQ(scoring_of(image_metrics().rows).score().key, "mse_posterior");
}

TEST(ImageMetrics, FigureShowsBothErrorsAndThePrior) {
  const Figure figure = mse_figure({image_metrics()});
  const Plot& plot = figure.plots.at(0);
  ASSERT_EQ(plot.lines.size(), 4u);
  EXPECT_THAT(plot.lines[0].y,
              ::testing::ElementsAre(::testing::DoubleEq(0.016), ::testing::DoubleNear(0.0016, 1e-12)));
  EXPECT_THAT(plot.lines[1].y, ::testing::ElementsAre(::testing::DoubleEq(0.03), ::testing::DoubleNear(0.003, 1e-12)));
  EXPECT_EQ(plot.lines[2].y[0], 0.02);
  EXPECT_EQ(plot.lines[3].y[0], 0.04);
  for (const char* key : {"nll", "rmae", "acauc", "coverage", "gap", "ranks"})
    EXPECT_THAT(why([&] { score_figure(score_named(key), {image_metrics()}, {}); }),
                ::testing::HasSubstr("draw the figure mse"))
        << key;
  Metrics numbers;
  numbers.task = "numbers";
  numbers.rows.resize(1);
  EXPECT_THAT(why([&] { mse_figure({numbers}); }), ::testing::HasSubstr("not one"));
}

TEST(ImageMetrics, RunsAreComparedByTheErrorOfTheMean) {
  Metrics a = image_metrics(), b = image_metrics(1.5);
  EXPECT_THAT(why([&] { score_difference(b.rows[0], a.rows[0]); }),
              ::testing::HasSubstr("not scored on the same test sets"))
      << "nobody knows";
  for (Metrics* one : {&a, &b}) one->rows[0].tested = {1, 2, 3};
  const Score& score = score_of(a.rows);
  EXPECT_EQ(score.key, "mse_posterior");
  EXPECT_EQ(score.value(b.rows[0]), b.rows[0].mse_posterior);
  const PairedDifference difference = score_difference(b.rows[0], a.rows[0]);
  EXPECT_NEAR(difference.mean, (0.005 + 0.01 + 0.02) / 3, 1e-12);
  EXPECT_GT(difference.se, 0);
  EvaluationRow mine, other;
  mine.log_prob = {-1, -2};
  other.log_prob = {-2, -4, -100};
  mine.tested = {7, 8};
  other.tested = {7, 8, 9};
  EXPECT_NEAR(score_difference(mine, other).mean, -1.5, 1e-12);
  EXPECT_EQ(score_of({mine}).key, "nll");
}

TEST(ImageMetrics, WhatIsGivenIsReadAndChecked) {
  const ToyImageTask task;
  const TemporaryFolder folder;
  const auto with = folder / "with.npz", without = folder / "without.npz";
  write_npz(with, {{"x", at::zeros({2, 1, 8, 8})}, {"given", at::full({1}, 3.0)}});
  write_npz(without, {{"x", at::zeros({2, 1, 8, 8})}});
  EXPECT_EQ(read_given("", with, task.info()).item<double>(), 3);
  EXPECT_EQ(read_given("5", with, task.info()).item<double>(), 5);
  EXPECT_EQ(read_given("5", without, task.info()).sizes(), (std::vector<std::int64_t>{1, 1}));
  EXPECT_THAT(why([&] { read_given("", without, task.info()); }), ::testing::HasSubstr("row"));
  EXPECT_THAT(why([&] { read_given("1,2", without, task.info()); }), ::testing::HasSubstr("2 numbers"));
  EXPECT_NE(why([&] { read_given("x", without, task.info()); }), "");
  TaskInfo plain = task.info();
  plain.given.clear();
  EXPECT_FALSE(read_given("", with, plain).defined());
  EXPECT_NE(why([&] { read_given("1", with, plain); }), "");
  EXPECT_THAT(why([&] { read_theta(with, task.info()); }), ::testing::HasSubstr("--theta"));
}

TEST(ImageMetrics, ChannelsBeyondColorsAreNotShown) {
  TaskInfo info = ToyImageTask().info();
  info.observation_shape = {6, 8, 8};
  const TemporaryFolder folder;
  EXPECT_THAT(why([&] { read_observed(folder.path(), info); }), ::testing::HasSubstr("6 channels"));
  EXPECT_THAT(why([&] {
                as_observations(at::zeros({1, 6, 8, 8}, torch::kUInt8), info, "x");
              }),
              ::testing::HasSubstr("colors"));
  torch::Tensor x = at::zeros({1, 6, 8, 8});
  x.select(1, 1).fill_(1);
  x.slice(1, 3, 6).fill_(0.5);
  const Plot plot = sample_plot(ToyImageTask(), Latents(), x, {});
  const Picture& picture = plot.pictures.at(0);
  EXPECT_EQ(picture.rgb[0], 0);
  EXPECT_EQ(picture.rgb[1], 255);
  EXPECT_EQ(picture.rgb[2], 0);
}

}  // namespace
}  // namespace pairs
