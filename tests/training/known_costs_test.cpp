#include "core/train/stages/known_costs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

class KnownCostsTest : public ::testing::Test {
 protected:
  KnownCostsTest() {
    if (const char* before = std::getenv("PAIRS_CACHE")) before_ = before;
    ::setenv("PAIRS_CACHE", folder_.path().c_str(), 1);
  }
  ~KnownCostsTest() override { before_ ? ::setenv("PAIRS_CACHE", before_->c_str(), 1) : ::unsetenv("PAIRS_CACHE"); }
  static RunConfig config(const std::string& assignment) {
    return load_preset(built_in_tasks(), built_in_tasks()->make("gaussian")->info(), "quick", "pairs",
                       {"device=cpu", "threads=1", "pretrain.batch=64", assignment});
  }
  static ExpectedCost cost() {
    ExpectedCost cost{};
    cost.pretrain_seconds = 10;
    cost.cache_seconds = 0.125;
    cost.finetune_seconds = 3;
    cost.likelihood_seconds = 7;
    cost.cache_bytes = 1e6;
    cost.gflop = 7;
    cost.draws = 5;
    cost.draw_seconds = 0.25;
    cost.cores = 2;
    cost.measured = std::time(nullptr) - 100;
    return cost;
  }
  std::filesystem::path file() const { return folder_.path() / "costs.json"; }

  TemporaryFolder folder_;
  std::optional<std::string> before_;
};

TEST_F(KnownCostsTest, KeepTheSimulatorsPaceForThatTask) {
  EXPECT_FALSE(KnownCosts().pace(config("seed=1")));
  const std::int64_t now = std::time(nullptr);
  KnownCosts().keep_pace(config("seed=1"), {0.25, 16, now - 100});
  KnownCosts().keep(config("seed=1"), "cpu", cost());
  const std::optional<KnownCosts::Pace> found = KnownCosts().pace(config("pretrain.epochs=3"));
  ASSERT_TRUE(found) << "a setting of the run changes no pace";
  EXPECT_EQ(found->seconds_each, 0.25);
  EXPECT_EQ(found->measured_by, 16);
  EXPECT_EQ(found->measured, now - 100);
  RunConfig other = config("seed=1");
  other.task = "bump-hunt";
  EXPECT_FALSE(KnownCosts().pace(other));
  for (const KnownCosts::Pace& wrong : {KnownCosts::Pace{-1, 16, now}, {0.25, 0, now}, {0.25, 16, now - 91 * 86400}}) {
    KnownCosts().keep_pace(config("seed=1"), wrong);
    EXPECT_FALSE(KnownCosts().pace(config("seed=1")));
  }
}

TEST_F(KnownCostsTest, ServeTheSameSettingsAlone) {
  KnownCosts().keep(config("seed=1"), "cpu", cost());
  const std::optional<ExpectedCost> found = KnownCosts().find(config("seed=2"), "cpu");
  ASSERT_TRUE(found) << "a seed changes no cost";
  EXPECT_EQ(found->pretrain_seconds, 10);
  EXPECT_EQ(found->cache_seconds, 0.125);
  EXPECT_EQ(found->finetune_seconds, 3);
  EXPECT_EQ(found->likelihood_seconds, 7);
  EXPECT_EQ(found->cache_bytes, 1e6);
  EXPECT_EQ(found->gflop, 7);
  EXPECT_EQ(found->draws, 5);
  EXPECT_EQ(found->draw_seconds, 0.25);
  EXPECT_EQ(found->measured, cost().measured);
  EXPECT_EQ(whole_seconds(*found), 20.125);
  EXPECT_FALSE(KnownCosts().find(config("finetune.batch=77"), "cpu"));
  EXPECT_FALSE(KnownCosts().find(config("seed=1"), "another device"));
}

TEST_F(KnownCostsTest, AreNotKnownWhereTheFileIsOldOrDamaged) {
  ExpectedCost old = cost();
  old.measured -= 91 * 86400;
  KnownCosts().keep(config("seed=1"), "cpu", old);
  EXPECT_FALSE(KnownCosts().find(config("seed=1"), "cpu"));
  KnownCosts().keep(config("seed=1"), "cpu", cost());
  ASSERT_TRUE(KnownCosts().find(config("seed=1"), "cpu"));
  const std::string whole = read_file(file());
  for (const std::string& bytes :
       {std::string(), whole.substr(0, whole.size() / 2), std::string("[]"), std::string("{\"version\": 99}"),
        std::string("{\"version\": 1, \"costs\": [], \"probes\": 3}")}) {
    write_file(file(), bytes);
    EXPECT_FALSE(KnownCosts().find(config("seed=1"), "cpu")) << bytes;
  }
  nlohmann::json document = nlohmann::json::parse(whole);
  for (auto& entry : document["costs"]) entry["pretrain_seconds"] = -1;
  write_file(file(), document.dump());
  EXPECT_FALSE(KnownCosts().find(config("seed=1"), "cpu")) << "an impossible number";
}

TEST_F(KnownCostsTest, KeepTheNewestAlone) {
  KnownCosts known;
  for (int k = 0; k < 130; ++k) {
    ExpectedCost one = cost();
    one.measured -= 1000 - k;
    known.keep(config("finetune.batch=" + std::to_string(10 + k)), "cpu", one);
  }
  EXPECT_TRUE(KnownCosts().find(config("finetune.batch=139"), "cpu"));
  EXPECT_FALSE(KnownCosts().find(config("finetune.batch=10"), "cpu"));
}

TEST_F(KnownCostsTest, AreMeasuredOnce) {
  int measured = 0;
  const auto measuring = [&] { ++measured; };
  const ExpectedCost first = expected_cost(config("seed=1"), {}, measuring);
  EXPECT_EQ(measured, 1);
  // A measurement on a busy machine counts until the machine is idle.
  nlohmann::json document = nlohmann::json::parse(read_file(file()));
  for (auto& entry : document["costs"]) entry["others"] = 0;
  write_file(file(), document.dump());
  const ExpectedCost second = expected_cost(config("seed=1"), {}, measuring);
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(first.pretrain_seconds, second.pretrain_seconds);
  EXPECT_EQ(first.measured, second.measured);
}

}  // namespace
}  // namespace pairs
