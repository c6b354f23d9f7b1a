#include "app/scores/metrics_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

Metrics example() {
  Metrics metrics;
  metrics.task = "bump-hunt";
  metrics.run = "a";
  metrics.data = "simulated";
  metrics.strategy = "pairs";
  metrics.preset = "quick";
  metrics.settings = {{"convention", "\"precision\""}};
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

TEST(MetricsFile, KeepsWhyItsScoresMayBeOfAnotherModel) {
  Metrics metrics = example();
  EXPECT_FALSE(metrics_document(metrics).contains("caution"));
  metrics.caution = "the simulator has changed";
  EXPECT_EQ(parse_metrics(metrics_text(metrics), "memory").caution, metrics.caution);
}

TEST(MetricsFile, KeepsWhatWasTestedOnceForAllSizes) {
  Metrics metrics = example();
  EXPECT_TRUE(parse_metrics(metrics_text(metrics), "memory").rows[0].tested.empty()) << "nothing is known";
  EXPECT_FALSE(metrics_document(metrics)["rows"][0].contains("tested"));
  metrics.rows[0].tested = {0, 0xffff, 0xa1};
  metrics.rows.push_back(metrics.rows[0]);
  metrics.rows[1].n = 20;
  metrics.rows[1].sets = 2;
  metrics.rows[1].tested = {0, 0xffff};
  const std::string text = metrics_text(metrics);
  EXPECT_THAT(text, testing::HasSubstr("\"0000ffff00a1\""));
  const Metrics back = parse_metrics(text, "memory");
  EXPECT_EQ(back.rows[0].tested, metrics.rows[0].tested);
  EXPECT_EQ(back.rows[1].tested, metrics.rows[1].tested);
  const nlohmann::json document = metrics_document(metrics);
  EXPECT_NE(document["rows"][0]["tested"], document["rows"][1]["tested"]);
  nlohmann::json damaged = nlohmann::json::parse(text);
  for (const char* wrong : {"0000", "0000ffff00a", "0000ffff00ag"}) {
    damaged["tested"] = wrong;
    EXPECT_THROW(parse_metrics(damaged.dump(), "memory"), Error) << wrong;
  }
}

TEST(MetricsFile, KeepsTheTasksSettingsAndFindsThoseThatOlderFilesLackBesideThem) {
  EXPECT_EQ(parse_metrics(metrics_text(example()), "memory").settings, example().settings);
  const TemporaryFolder folder;
  nlohmann::json older = nlohmann::json::parse(metrics_text(example()));
  older.erase("settings");
  older.erase("check");
  older["convention"] = "literal";
  write_file(folder / run_file::metrics, older.dump());
  EXPECT_TRUE(read_metrics(built_in_tasks(), folder / run_file::metrics)->settings.empty());
  write_file(folder / run_file::config,
             "[task]\nname = \"gaussian\"\nconvention = \"literal\"\n[pretrain]\nsizes = [1, 2]\n");
  const std::map<std::string, std::string> literal = {{"convention", "\"literal\""}};
  EXPECT_EQ(read_metrics(built_in_tasks(), folder / run_file::metrics)->settings, literal);
}

TEST(MetricsFile, LeavesUnknownNumbersOutOfTheDocument) {
  const nlohmann::json row = metrics_document(example())["rows"][0];
  EXPECT_TRUE(row.contains("nll"));
  EXPECT_FALSE(row.contains("gap"));
  EXPECT_FALSE(row.contains("exact_nll"));
  EXPECT_FALSE(row.contains("log_prob")) << "only the file holds them";
}

TEST(MetricsFile, KeepsWhatIsAnExtrapolationAndTheGainOverThePrior) {
  Metrics metrics = example();
  EXPECT_FALSE(metrics_document(metrics)["rows"][0].contains("extrapolation"));
  EXPECT_EQ(metrics_table(metrics.rows).find("extrapolation"), std::string::npos);
  metrics.rows[0].extrapolation = true;
  metrics.rows[0].prior_gain = 0.7;
  metrics.rows[0].prior_gain_se = 0.02;
  EXPECT_EQ(metrics_document(metrics)["rows"][0]["extrapolation"], true);
  EXPECT_NE(metrics_table(metrics.rows).find("10, extrapolation"), std::string::npos);
  const Metrics back = parse_metrics(metrics_text(metrics), "memory");
  EXPECT_TRUE(back.rows[0].extrapolation);
  EXPECT_EQ(back.rows[0].prior_gain, 0.7);
  EXPECT_EQ(back.rows[0].prior_gain_se, 0.02);
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

TEST(MetricsFile, RefusesNumbersThatNoEvaluationHas) {
  Metrics metrics = example();
  EXPECT_NO_THROW(parse_metrics(metrics_text(metrics), "m.json"));
  for (const auto& damage : std::vector<std::function<void(EvaluationRow&)>>{
           [](EvaluationRow& row) { row.n = -5; }, [](EvaluationRow& row) { row.n = 1'000'000'000'000'000'000; },
           [](EvaluationRow& row) { row.sets = 0; }, [](EvaluationRow& row) { row.samples = -1; }}) {
    Metrics damaged = metrics;
    damage(damaged.rows[0]);
    EXPECT_THROW(parse_metrics(metrics_text(damaged), "m.json"), Error);
  }
  metrics.rows.push_back(metrics.rows[0]);
  EXPECT_THROW(parse_metrics(metrics_text(metrics), "m.json"), Error) << "a size twice";
}

Metrics ranked() {
  Metrics metrics = example();
  EvaluationRow& row = metrics.rows[0];
  row.sets = 40;
  row.samples = 4;
  row.scores["rmae"] = 0.1;
  row.acauc = 0.01;
  row.ranks = {std::vector<double>(40, 1.0), {}};
  for (int i = 0; i < 40; ++i) row.ranks[1].push_back((i % 5) / 4.0);
  for (const auto& ranks : row.ranks) row.rank_tests.push_back(rank_test(ranks, row.samples));
  return metrics;
}

TEST(MetricsFile, KeepsTheRankTestsAndMakesThoseThatOlderFilesLack) {
  const Metrics metrics = ranked();
  nlohmann::json text = nlohmann::json::parse(metrics_text(metrics));
  text.erase("check");
  nlohmann::json& row = text["rows"][0];
  EXPECT_FALSE(row.contains("sbc_p"));
  EXPECT_EQ(row["location_z"].size(), 2u);
  EXPECT_EQ(row["location_z"][0].get<double>(), metrics.rows[0].rank_tests[0].location_z);
  for (const bool older : {false, true}) {
    if (older)
      for (const char* key : {"location_z", "width_z", "rank_p"}) row.erase(key);
    const Metrics back = parse_metrics(text.dump(), "memory");
    ASSERT_EQ(back.rows[0].rank_tests.size(), 2u);
    for (std::size_t t = 0; t < 2; ++t) {
      EXPECT_EQ(back.rows[0].rank_tests[t].location_z, metrics.rows[0].rank_tests[t].location_z);
      EXPECT_EQ(back.rows[0].rank_tests[t].width_z, metrics.rows[0].rank_tests[t].width_z);
      EXPECT_EQ(back.rows[0].rank_tests[t].rank_p, metrics.rows[0].rank_tests[t].rank_p);
    }
  }
}

TEST(MetricsFile, KeepsTheComparisonWithAnotherRun) {
  Metrics metrics = ranked();
  metrics.companion = "another";
  metrics.companion_weights = "00c0ffee";
  for (EvaluationRow& row : metrics.rows) row.companion.assign(row.ranks.size(), 0.25);
  const Metrics back = parse_metrics(metrics_text(metrics), "memory");
  EXPECT_EQ(back.companion, metrics.companion);
  EXPECT_EQ(back.companion_weights, metrics.companion_weights);
  for (std::size_t k = 0; k < metrics.rows.size(); ++k) EXPECT_EQ(back.rows[k].companion, metrics.rows[k].companion);
}

TEST(MetricsFile, KeepsTheGainOfARefinedPosterior) {
  Metrics metrics = ranked();
  metrics.rows[0].reference_gain["refined"] = {0.25, 0.125, 200, 3};
  metrics.rows[0].reference_ranks["refined"] = {4, {0, 2}, {{0.25, 1}}};
  const Metrics back = parse_metrics(metrics_text(metrics), "memory");
  const ReferenceGain& gain = back.rows[0].reference_gain.at("refined");
  EXPECT_EQ(gain.mean, 0.25);
  EXPECT_EQ(gain.se, 0.125);
  EXPECT_EQ(gain.sets, 200);
  EXPECT_EQ(gain.left_out, 3);
  const ReferenceRanks& ranks = back.rows[0].reference_ranks.at("refined");
  EXPECT_EQ(ranks.samples, 4);
  EXPECT_EQ(ranks.sets, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(ranks.ranks, (std::vector<std::vector<double>>{{0.25, 1}}));
}

TEST(MetricsFile, KeepsWhatItsSubjectsAre) {
  Metrics metrics = ranked();
  EXPECT_EQ(subject_note(metrics), "");
  EXPECT_FALSE(metrics_document(metrics).contains("subjects"));
  metrics.subjects = 1243;
  metrics.subject_word = "things";
  const Metrics back = parse_metrics(metrics_text(metrics), "memory");
  EXPECT_EQ(back.subjects, 1243);
  EXPECT_THAT(subject_note(back), testing::HasSubstr("another one of 1,243 things"));
}

TEST(MetricsFile, KeepsWhatThePoolExplains) {
  Metrics metrics = ranked();
  EXPECT_EQ(pool_note(metrics.rows), "");
  metrics.rows[0].pool = 1000;
  metrics.rows[0].pool_location_sd = {0.25, 0.125};
  metrics.rows[0].pool_location_z = {1.5, -2.5};
  const Metrics back = parse_metrics(metrics_text(metrics), "memory");
  EXPECT_EQ(back.rows[0].pool, 1000);
  EXPECT_EQ(back.rows[0].pool_location_sd, metrics.rows[0].pool_location_sd);
  EXPECT_EQ(back.rows[0].pool_location_z, metrics.rows[0].pool_location_z);
  EXPECT_THAT(pool_note(metrics.rows), testing::HasSubstr("√(N / 1,000) of their sd, 0.10 at N = 10"));
  EXPECT_THAT(pool_note(metrics.rows), testing::HasSubstr("−2.5 standard errors"));
  std::vector<EvaluationRow> unknown = metrics.rows;
  unknown[0].pool_location_z = {NAN, NAN};
  EXPECT_THAT(pool_note(unknown), testing::Not(testing::HasSubstr("standard errors")));
  EXPECT_THAT(calibration_note(metrics.rows),
              testing::HasSubstr("5 tests are judged together: location z and width z of each target; location and "
                                 "width pooled over sizes and targets. Family-wise false-alarm rate 5 % (borderline: "
                                 "beyond z ±2.7), 0.1 % (miscalibrated: beyond z ±3.8)"));
  nlohmann::json text = nlohmann::json::parse(metrics_text(metrics));
  text.erase("check");
  text["rows"][0]["pool_location_sd"] = {0.1};
  EXPECT_THROW(parse_metrics(text.dump(), "memory"), Error);
}

TEST(MetricsFile, HoldsNoNumberThatItCannotReadBack) {
  Metrics metrics = example();
  metrics.rows[0].reference_nll["naive product"] = INFINITY;
  EXPECT_TRUE(parse_metrics(metrics_text(metrics), "memory").rows[0].reference_nll.empty());
  metrics.rows[0].log_prob[1] = NAN;
  EXPECT_THROW(metrics_text(metrics), Error);
}

TEST(MetricsTable, SaysOfEachTargetWhetherItIsCalibrated) {
  const Metrics metrics = ranked();
  const std::string table = metrics_table(metrics.rows);
  EXPECT_THAT(table, testing::HasSubstr("location z"));
  EXPECT_THAT(table, testing::HasSubstr(fmt::format("{}, ", number_text(metrics.rows[0].rank_tests[0].location_z, 1))));
  EXPECT_THAT(table, testing::HasSubstr("off center"));
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
