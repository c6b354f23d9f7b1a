// What a run loses at the least, by comparison with other runs on the same sets, against gaps that are known.
#include "app/scores/sharpness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

double normal_density(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -0.5 * z * z - std::log(sd * std::sqrt(2 * M_PI));
}

// Truths and their log densities under normal posteriors that are too wide or narrow by a factor, or shifted, for sets
// whose exact posteriors are standard normal.
class Truths {
 public:
  Truths(std::size_t sets, std::uint64_t seed) : z_(sets) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (double& z : z_) z = normal(random);
  }
  Metrics run(const std::string& name, const std::vector<std::int64_t>& sizes, double factor, double shift = 0,
              std::uint16_t digest = 7) const {
    Metrics metrics;
    metrics.run = name;
    for (const std::int64_t n : sizes) {
      EvaluationRow row;
      row.n = n;
      row.sets = static_cast<std::int64_t>(z_.size());
      row.rank_tests.resize(1);
      for (const double z : z_) row.log_prob.push_back(normal_density(z, shift, factor));
      row.tested.assign(z_.size(), digest);
      metrics.rows.push_back(std::move(row));
    }
    return metrics;
  }

 private:
  std::vector<double> z_;
};

// E log exact - E log q for a normal that is wider by the factor.
double gap_of(double factor) {
  return std::log(factor) + 0.5 / (factor * factor) - 0.5;
}

// Its own learned likelihood's posteriors count like another run, with their smaller number of sets.
TEST(Sharpness, IsBoundedByTheRefinedPosterior) {
  Metrics wide = Truths(500, 1).run("wide", {1, 10}, 3);
  wide.rows[1].reference_gain["refined"] = {0.62, 0.05, 200, 3};
  const Sharpness found = sharpness(wide, {});
  EXPECT_TRUE(found.refined && found.loses());
  EXPECT_EQ(found.compared, 0u);
  EXPECT_NEAR(found.lower, 0.62 - 1.645 * 0.05, 1e-3);
  EXPECT_THAT(sharpness_text(found), HasSubstr("Loses at least 0.54 nat at N = 10 (95 %)"));
  EXPECT_THAT(sharpness_text(found), HasSubstr("the refined posterior has a higher log density by 0.62"));
  wide.rows[1].reference_gain["refined"] = {0.01, 0.05, 200, 0};
  EXPECT_THAT(sharpness_text(sharpness(wide, {})), HasSubstr("the refined ones are not shown to be sharper"));
  wide.rows[1].reference_gain["refined"] = {0.62, 0.05, 20, 0};
  EXPECT_FALSE(sharpness(wide, {}).refined) << "too few sets";
}

// Whether the refined posterior is calibrated is judged by its own ranks.
TEST(Sharpness, TheRefinedPosteriorHasAVerdictOfItsOwn) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  constexpr std::int64_t kSets = 200, kSamples = 199;
  // Posteriors are standard normal, and those that are scored are narrower by the factor.
  const auto text = [&](double factor) {
    EvaluationRow row;
    row.n = 10;
    row.sets = kSets;
    row.truths.emplace_back();
    ReferenceRanks ranks{kSamples, {}, {{}}};
    for (std::int64_t s = 0; s < kSets; ++s) {
      row.truths.back().push_back(normal(random));
      if (s % 10 == 0) continue;  // refused
      ranks.sets.push_back(s);
      const double truth = normal(random);
      std::int64_t below = 0;
      for (std::int64_t k = 0; k < kSamples; ++k) below += factor * normal(random) < truth;
      ranks.ranks[0].push_back(static_cast<double>(below) / kSamples);
    }
    row.reference_ranks["refined"] = std::move(ranks);
    const std::vector<std::string> all = made_calibration_texts({row}, {"θ"});
    return all.size() == 1 ? all.front() : "";
  };
  EXPECT_THAT(text(1), HasSubstr("The refined posterior: no miscalibration detected (180 sets;"));
  EXPECT_THAT(text(0.6), HasSubstr("The refined posterior: miscalibrated at N = 10"));
  EXPECT_TRUE(made_calibration_texts({EvaluationRow()}, {"θ"}).empty());
  Metrics both = Truths(500, 1).run("wide", {10}, 3);
  both.rows[0].reference_gain["refined"] = {0.62, 0.05, 200, 3};
  both.rows[0].truths = {std::vector<double>(500, 0.0)};
  both.rows[0].reference_ranks["refined"] = {4, {0, 2}, {{0.25, 1}}};
  EXPECT_THAT(sharpness_sentences(both, {}, {"θ"}), testing::EndsWith("on the same 200 sets"))
      << "two sets have no verdict";
}

TEST(Sharpness, IsBoundedByASharperRun) {
  const Truths truths(2000, 1);
  const Metrics wide = truths.run("wide", {1, 10}, 2);
  const Sharpness found = sharpness(wide, {truths.run("near", {1, 10}, 1.1), truths.run("wider", {1, 10}, 3)});
  EXPECT_TRUE(found.loses());
  EXPECT_EQ(found.other, "near");
  EXPECT_EQ(found.compared, 2u);
  EXPECT_LT(found.lower, gap_of(2));
  EXPECT_GT(found.lower, gap_of(2) - gap_of(1.1) - 0.05);
  EXPECT_THAT(sharpness_text(found), HasSubstr("Loses at least 0.2"));
  EXPECT_THAT(sharpness_text(found), HasSubstr("near has a higher log density by 0.2"));
  const nlohmann::json document = sharpness_document(found);
  EXPECT_EQ(document["known"], true);
  EXPECT_EQ(document["sets"], 2000);
  EXPECT_EQ(document["loses_at_least"], found.lower);
}

// An exact run loses nothing, so that each claim is a false one. The level is 5 %.
TEST(Sharpness, AnExactRunLosesNothing) {
  int claims = 0;
  constexpr int kRepeats = 2000;
  for (int k = 0; k < kRepeats; ++k) {
    const Truths truths(200, static_cast<std::uint64_t>(100 + k));
    const Metrics exact = truths.run("exact", {1, 10, 100}, 1);
    claims += sharpness(exact, {truths.run("a", {1, 10, 100}, 1.02), truths.run("b", {1, 10, 100}, 1, 0.05)}).loses();
  }
  EXPECT_LE(claims, 0.05 * kRepeats + 3 * std::sqrt(0.05 * 0.95 * kRepeats));
}

TEST(Sharpness, TakesTheSameSetsAlone) {
  const Truths truths(500, 3);
  const Metrics wide = truths.run("wide", {1}, 3);
  const Sharpness other_sets = sharpness(wide, {truths.run("near", {1}, 1, 0, 8)});
  EXPECT_EQ(other_sets.compared, 0u);
  EXPECT_THAT(sharpness_text(other_sets), HasSubstr("is not known: the task has no exact posterior"));
  EXPECT_EQ(sharpness(wide, {truths.run("near", {2}, 1)}).compared, 0u);
  Metrics extrapolating = truths.run("near", {1}, 1);
  extrapolating.rows[0].extrapolation = true;
  EXPECT_EQ(sharpness(wide, {extrapolating}).compared, 0u);
  EXPECT_EQ(sharpness(Truths(20, 1).run("few", {1}, 3), {Truths(20, 1).run("near", {1}, 1)}).compared, 0u);
}

// The scores of other folders count once for each weights, with a checksum, and for the same task, settings and sets.
TEST(Sharpness, ReadsTheScoresNextToARun) {
  const TemporaryFolder folder;
  const Truths truths(100, 5);
  const auto scored = [&](const std::string& name, const std::string& weights) {
    Metrics metrics = truths.run(name, {1}, 1.1);
    metrics.task = "gaussian";
    metrics.data = "simulated";
    metrics.weights = weights;
    for (EvaluationRow& row : metrics.rows) {
      row.nll = 1;
      row.ranks.assign(1, std::vector<double>(100, 0.5));
    }
    return metrics;
  };
  const auto put = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directory(folder / name);
    write_file(folder / name / "metrics.json", text);
  };
  const Metrics mine = scored("mine", "00000001");
  put("mine", metrics_text(mine));
  put("near", metrics_text(scored("near", "00000002")));
  put("copy", metrics_text(scored("copy", "00000002")));
  put("own-copy", metrics_text(scored("own-copy", "00000001")));
  Metrics other = scored("other-seed", "00000003");
  other.seed = 2;
  put("other-seed", metrics_text(other));
  other = scored("other-settings", "00000004");
  other.settings = {{"targets", "theta1"}};
  put("other-settings", metrics_text(other));
  std::string unchecked = metrics_text(scored("unchecked", "00000005"));
  const std::size_t at = unchecked.find("\"check\"");
  ASSERT_NE(at, unchecked.npos);
  put("unchecked", unchecked.replace(at, 7, "\"chock\""));
  put("damaged", "{\"task\": \"gaussian\", \"check\": [[[[");
  put("empty", "");
  const std::vector<Metrics> found = neighbor_metrics(built_in_tasks(), folder / "mine", mine);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].weights, "00000002");
}

TEST(Sharpness, StatesWhatIsNotKnown) {
  const Truths truths(500, 4);
  const Metrics exact = truths.run("exact", {1}, 1);
  EXPECT_EQ(sharpness_text(sharpness(exact, {truths.run("wide", {1}, 2)})),
            "How sharp its posteriors are is not known, but the other run of the task is not shown to be sharper");
  Metrics known = exact;
  known.rows[0].gap = 0.01;
  EXPECT_EQ(sharpness_text(sharpness(known, {})), "");
  EXPECT_EQ(sharpness_document(sharpness(known, {}))["known"], true);
  Metrics images = exact;
  images.rows[0].log_prob.clear();
  EXPECT_EQ(sharpness_text(sharpness(images, {})), "");
}

}  // namespace
}  // namespace pairs
