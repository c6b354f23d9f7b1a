#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "core/base/files/files.h"
#include "core/sets/index_map.h"
#include "core/train/cache/cache_statistics.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/stored/stored_files.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {

using namespace pairs::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SplitOfContent, DividesByNumbersAsFloat32HoldsThem) {
  std::int64_t count[3] = {};
  for (int k = 0; k < 100000; ++k) {
    const double theta[] = {k / 1000.0, 3};
    ++count[static_cast<int>(split_of_content(content_hash(theta)))];
  }
  EXPECT_NEAR(count[0], 60000, 4 * std::sqrt(100000 * 0.24));
  EXPECT_NEAR(count[1], 20000, 4 * std::sqrt(100000 * 0.16));
  EXPECT_NEAR(count[2], 20000, 4 * std::sqrt(100000 * 0.16));
  const double wide[] = {0.1, 0.0}, narrow[] = {static_cast<double>(0.1f), -0.0}, turned[] = {0.0, 0.1};
  EXPECT_EQ(content_hash(wide), content_hash(narrow));
  EXPECT_NE(content_hash(wide), content_hash(turned));
}

class StoredTaskTest : public ::testing::Test {
 protected:
  // 500 pairs, and 100 sets of 40.
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "pairs");
    write_stored_npz(folder_ / "pairs/a.npz", numbered_sets(300, 2));
    write_stored_npz(folder_ / "pairs/b.npz", numbered_sets(200, 2, 300));
    write_stored_npz(folder_ / "large.npz", numbered_sets(100, 40, 500));
    task_ = stored_task(folder_.path(), {"pairs/*.npz", "large.npz"}, stored_info(40));
  }
  // Which set each index of a purpose stands for.
  static std::vector<std::int64_t> sets(const Task& task, Purpose purpose, std::int64_t first, std::int64_t count,
                                        std::uint64_t seed = 1) {
    std::vector<std::int64_t> out;
    const torch::Tensor theta = latents_of(task, seed, purpose, first, count).theta;
    for (std::int64_t i = 0; i < count; ++i) out.push_back(std::llround(theta[i][0].item<double>() * 1000));
    return out;
  }
  static std::set<std::int64_t> distinct(const std::vector<std::int64_t>& sets) { return {sets.begin(), sets.end()}; }
  // How many sets a purpose has that hold n observations.
  std::int64_t held(Purpose purpose, std::int64_t n) const { return task_->stored()->sets(purpose, n); }

  TemporaryFolder folder_;
  std::shared_ptr<const Task> task_;
};

TEST_F(StoredTaskTest, EveryIndexStandsForAStoredSetAndAnOrderOfItsObservations) {
  for (const Purpose purpose : {Purpose::pretrain, Purpose::finetune, Purpose::test, Purpose::explore}) {
    const Latents latents = latents_of(*task_, 3, purpose, 0, 20);
    const std::int64_t n = purpose == Purpose::pretrain ? 2 : 40;
    const torch::Tensor x = sets_of(*task_, latents, 3, purpose, 0, n);
    for (std::int64_t k = 0; k < 20; ++k) {
      const double set = latents.theta[k][0].item<double>() * 1000;
      const auto [sorted, order] = (x[k].flatten().to(torch::kFloat64) - 1000 * std::round(set)).sort();
      if (n == 40)
        EXPECT_TRUE(at::equal(sorted, at::arange(40, torch::kFloat64))) << "each observation once";
      else
        EXPECT_LT(sorted[0].item<double>(), sorted[1].item<double>()) << "two observations of one set";
    }
    // Prefixes, in pieces and in another order.
    const SetRange pieces[] = {{4, 1, 1}, {4, 0, 1}};
    const torch::Tensor row = latents.theta.narrow(0, 4, 1), none = at::empty({2, 0}, torch::kFloat64);
    const torch::Tensor part = task_->observe({at::cat({row, row}), none}, 3, purpose, pieces, torch::kCPU);
    EXPECT_EQ(part[0].item<float>(), x[4][1].item<float>());
    EXPECT_EQ(part[1].item<float>(), x[4][0].item<float>());
  }
}

TEST_F(StoredTaskTest, StagesValidationAndEvaluationsNeverShareASet) {
  const std::int64_t all = 3000;  // several rounds over all sets
  const auto training = distinct(sets(*task_, Purpose::pretrain, 0, all)),
             later = distinct(sets(*task_, Purpose::finetune, 0, all)),
             validation = distinct(sets(*task_, Purpose::pretrain_validation, 0, all)),
             held_out = distinct(sets(*task_, Purpose::finetune_validation, 0, all)),
             shown = distinct(sets(*task_, Purpose::explore, 0, all)),
             test = distinct(sets(*task_, Purpose::test, 0, held(Purpose::test, 2)));
  EXPECT_EQ(training.size() + validation.size() + test.size(), 600u);
  EXPECT_NEAR(static_cast<double>(training.size()), 360, 5 * std::sqrt(600 * 0.24));
  EXPECT_NEAR(static_cast<double>(test.size()), 120, 5 * std::sqrt(600 * 0.16));
  EXPECT_EQ(static_cast<std::int64_t>(training.size()), held(Purpose::pretrain, 2)) << "all sets of the split";
  EXPECT_EQ(static_cast<std::int64_t>(later.size()), held(Purpose::finetune, 40)) << "those that hold max_n";
  EXPECT_EQ(shown, held_out);
  for (const std::int64_t set : later) EXPECT_TRUE(training.contains(set));
  for (const std::int64_t set : held_out) EXPECT_TRUE(validation.contains(set));
  for (const std::int64_t set : training) EXPECT_FALSE(validation.contains(set) || test.contains(set)) << set;
  for (const std::int64_t set : validation) EXPECT_FALSE(test.contains(set)) << set;
  // Another task object, opened again, divides alike.
  const auto again = stored_task(folder_.path(), {"large.npz", "pairs/?.npz"}, stored_info(40));
  EXPECT_EQ(distinct(sets(*again, Purpose::test, 0, held(Purpose::test, 2), 9)), test);
}

TEST_F(StoredTaskTest, AnotherVisitOfASetTakesAnotherRandomSubset) {
  const std::int64_t all = held(Purpose::finetune, 40);
  const auto first = sets(*task_, Purpose::finetune, 0, all), second = sets(*task_, Purpose::finetune, all, all);
  EXPECT_EQ(static_cast<std::int64_t>(distinct(first).size()), all) << "a round visits every set once";
  EXPECT_EQ(distinct(first), distinct(second));
  EXPECT_NE(first, second) << "in another order";
  std::int64_t same = 0;
  for (std::int64_t i = 0; i < all; ++i)
    for (std::int64_t j = 0; j < all; ++j)
      if (first[static_cast<std::size_t>(i)] == second[static_cast<std::size_t>(j)]) {
        const torch::Tensor a = sets_of(*task_, latents_of(*task_, 1, Purpose::finetune, i, 1), 1, Purpose::finetune, i,
                                        10),
                            b = sets_of(*task_, latents_of(*task_, 1, Purpose::finetune, all + j, 1), 1,
                                        Purpose::finetune, all + j, 10);
        same += at::equal(std::get<0>(a.flatten().sort()), std::get<0>(b.flatten().sort())) ? 1 : 0;
      }
  EXPECT_EQ(same, 0) << "one of 847,660,528 subsets";
}

TEST_F(StoredTaskTest, AnEvaluationTakesTheLargestSetsFirstAndTheSameAtEveryN) {
  const std::int64_t large = held(Purpose::test, 40), all = held(Purpose::test, 2);
  const auto test = sets(*task_, Purpose::test, 0, all);
  for (std::int64_t i = 0; i < all; ++i)
    EXPECT_EQ(test[static_cast<std::size_t>(i)] >= 500, i < large) << "the large sets, then the pairs";
  EXPECT_NE(sets(*task_, Purpose::test, 0, large, 2), sets(*task_, Purpose::test, 0, large, 1));
  const StoredSets* stored = task_->stored();
  ASSERT_NE(stored, nullptr);
  EXPECT_EQ(stored->sets(Purpose::test, 41), 0);
  const Latents pairs = latents_of(*task_, 1, Purpose::test, large, 1);
  EXPECT_THAT(sentence_of([&] { sets_of(*task_, pairs, 1, Purpose::test, large, 3); }),
              HasSubstr("holds 2 observations, and 3 were asked for"));
}

TEST_F(StoredTaskTest, DemandsDecideWhichSetsServe) {
  const SetDemand demands[] = {
      {Purpose::pretrain, 0, 1 << 20, 5000, 10, "stage 1"},
      {Purpose::finetune, 0, 100, 100, 2, "stages 2 and 3, N up to 2"},
      {Purpose::finetune, 100, 1000, 900, 40, "stages 2 and 3, N up to 20"},
  };
  const auto fitted = task_->stored()->serving(demands);
  for (const std::int64_t set : sets(*fitted, Purpose::pretrain, 0, 600)) EXPECT_GE(set, 500);
  EXPECT_EQ(distinct(sets(*fitted, Purpose::finetune, 0, 100)).size(), 100u);
  for (const std::int64_t set : sets(*fitted, Purpose::finetune, 100, 900)) EXPECT_GE(set, 500);
  const auto service = fitted->stored()->service(demands);
  ASSERT_EQ(service.size(), 3u);
  const std::int64_t large = held(Purpose::pretrain, 40), all = held(Purpose::pretrain, 2);
  EXPECT_EQ(service[0].held, large);
  EXPECT_EQ(
      service[0].text,
      fmt::format("stage 1: {} stored sets of 10 observations or more, of 5,000 that are drawn, each {:.3g} times, "
                  "every time another random subset of its observations",
                  large, 5000.0 / static_cast<double>(large)));
  EXPECT_EQ(
      service[1].text,
      fmt::format("stages 2 and 3, N up to 2: {} stored sets of 2 observations or more, of 100 that are drawn", all));
  EXPECT_THAT(service[2].text, HasSubstr("times, which are repeats: they hold no further observations"));
  const SetDemand pairs[] = {{Purpose::pretrain, 0, 1 << 20, 5000, 2, "stage 1"}};
  EXPECT_THAT(task_->stored()->service(pairs)[0].text,
              HasSubstr(fmt::format("times, the {} larger ones with another random subset of their observations, the "
                                    "others as repeats",
                                    large)));
  const SetDemand much[] = {{Purpose::finetune, 0, 100, 100, 41, "stages 2 and 3, N up to 41"}};
  EXPECT_EQ(sentence_of([&] { (void)task_->stored()->serving(much); }),
            "stages 2 and 3, N up to 41 needs sets of N = 41 observations, but only up to N = 40 are stored for "
            "training, validation and evaluations; ask for smaller sets, or store larger ones");
  // Two larger sets: too few for all parts, which is another matter.
  write_stored_npz(folder_ / "few.npz", numbered_sets(2, 60, 700));
  EXPECT_THAT(sentence_of([&] {
                (void)stored_task(folder_.path(), {"pairs/*.npz", "large.npz", "few.npz"}, stored_info(60));
              }),
              AllOf(StartsWith("max_n = 60 asks for sets of as many observations, but only 2 are stored, too few for "
                               "training, validation and evaluations each to have one (up to N = 40 they do)"),
                    HasSubstr("set max_n = 40, or store more of that size")));
}

TEST_F(StoredTaskTest, ACachedSetHoldsWhatHalfOfTheSetsHold) {
  const StoredSets& stored = *task_->stored();
  EXPECT_EQ(stored.observations(20, 40), 40);
  EXPECT_EQ(stored.observations(20, 30), 30);
  EXPECT_EQ(stored.observations(20, 80), 40) << "no more than there are";
  EXPECT_EQ(stored.observations(2, 4), 2) << "pairs are most of those that hold two";
  EXPECT_EQ(stored.observations(41, 80), 0);
}

TEST_F(StoredTaskTest, NothingIsSimulatedForOtherParameters) {
  Latents latents = latents_of(*task_, 1, Purpose::explore, 0, 1);
  latents.theta += 0.5;
  EXPECT_THAT(sentence_of([&] { sets_of(*task_, latents, 1, Purpose::explore, 0, 2); }),
              HasSubstr("none can be simulated for other parameters"));
}

TEST_F(StoredTaskTest, TimingTakesAsManyObservationsAsItAsksFor) {
  const torch::Tensor x = sets_of(*task_, latents_of(*task_, 1, Purpose::check, 0, 1), 1, Purpose::check, 0, 1000);
  EXPECT_TRUE(at::equal(x.narrow(1, 0, 40), x.narrow(1, 960, 40)));
}

TEST_F(StoredTaskTest, AllFormatsTellTheSame) {
  const Arrays large = numbered_sets(100, 40, 500);
  const auto first = stored_task(folder_.path(), {"large.npz"}, stored_info(40));
  const auto expect_same = [&](const std::string& file, const std::string& how) {
    const auto task = stored_task(folder_ / how, {file}, stored_info(40));
    std::set<std::int64_t> seen;
    const std::int64_t all = task->stored()->sets(Purpose::finetune, 40);
    EXPECT_EQ(sets(*task, Purpose::test, 0, 15), sets(*first, Purpose::test, 0, 15)) << how;
    const Latents latents = latents_of(*task, 1, Purpose::finetune, 0, all);
    const torch::Tensor x = sets_of(*task, latents, 1, Purpose::finetune, 0, 40);
    for (std::int64_t k = 0; k < all; ++k) {
      const std::int64_t set = std::llround(latents.theta[k][0].item<double>() * 1000);
      seen.insert(set);
      EXPECT_TRUE(at::equal(std::get<0>(x[k].flatten().sort()), numbered_x(1, 40, set).flatten())) << how;
    }
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), all) << how;
    // A few of a set are read one by one.
    EXPECT_TRUE(at::equal(sets_of(*task, latents, 1, Purpose::finetune, 0, 3), x.narrow(1, 0, 3))) << how;
  };
  const auto folder = [&](const char* how) {
    std::filesystem::create_directories(folder_ / how);
    return folder_ / how;
  };
  write_stored_npz(folder("npz") / "s", large);
  std::filesystem::rename(folder_ / "npz/s", folder_ / "npz/s.npz");
  expect_same("s.npz", "npz");
  const auto npy = folder("npy") / "s";
  std::filesystem::create_directories(npy);
  for (const auto& [name, array] : large) write_npy(npy / (name + ".npy"), array);
  expect_same("s", "npy");
  expect_same("s/x.npy", "npy");
  expect_same("*/*.npy", "npy");
  Arrays flat = {{"theta", large.at("theta").squeeze(1)}, {"x", large.at("x").squeeze(2)}};
  write_stored_npz(folder("flat") / "s.npz", flat);
  expect_same("s.npz", "flat");
  write_stored_npz(folder("double") / "s.npz",
                   {{"theta", large.at("theta").to(torch::kFloat32)}, {"x", large.at("x").to(torch::kFloat64)}});
  expect_same("s.npz", "double");
  write_stored_npz(folder("whole") / "s.npz", {{"theta", large.at("theta")}, {"x", large.at("x").to(torch::kInt32)}});
  expect_same("s.npz", "whole");
#if PAIRS_WITH_HDF5
  write_hdf5(folder("plain") / "s.h5", large);
  expect_same("s.h5", "plain");
  write_hdf5(folder("chunked") / "s.hdf5", large, 7);
  expect_same("s.hdf5", "chunked");
  write_hdf5(folder("big") / "s.h5", large, 0, true);
  expect_same("s.h5", "big");
#else
  GTEST_SKIP() << "HDF5 was left out of this build";
#endif
}

TEST_F(StoredTaskTest, SetsOfDifferentSizesHaveOffsets) {
  // Set s holds 2 + s % 7 observations.
  std::vector<std::int64_t> offsets = {0};
  std::vector<torch::Tensor> x;
  for (std::int64_t s = 0; s < 200; ++s) {
    x.push_back(numbered_x(1, 2 + s % 7, s)[0]);
    offsets.push_back(offsets.back() + 2 + s % 7);
  }
  write_stored_npz(
      folder_ / "ragged.npz",
      {{"theta", numbered_theta(200)}, {"x", at::cat(x)}, {"offsets", torch::tensor(offsets, torch::kInt64)}});
  const auto task = stored_task(folder_.path(), {"ragged.npz"}, stored_info(8));
  const SetDemand demand[] = {{Purpose::pretrain, 0, 1000, 100, 5, "stage 1"}};
  const auto fitted = task->stored()->serving(demand);
  const Latents latents = latents_of(*fitted, 1, Purpose::pretrain, 0, 100);
  const torch::Tensor drawn = sets_of(*fitted, latents, 1, Purpose::pretrain, 0, 5);
  for (std::int64_t k = 0; k < 100; ++k) {
    const std::int64_t set = std::llround(latents.theta[k][0].item<double>() * 1000);
    EXPECT_GE(2 + set % 7, 5);
    const torch::Tensor m = std::get<0>((drawn[k].flatten() - 1000.f * static_cast<float>(set)).sort());
    EXPECT_TRUE((m.diff() > 0).all().item<bool>());
    EXPECT_LT(m[-1].item<float>(), static_cast<float>(2 + set % 7));
  }
  // The largest first.
  std::int64_t before = 8;
  for (const std::int64_t set : sets(*task, Purpose::test, 0, task->stored()->sets(Purpose::test, 1))) {
    EXPECT_LE(2 + set % 7, before);
    before = 2 + set % 7;
  }
  EXPECT_EQ(task->stored()->largest_n(), 8);
}

// Ragged rows: observation t of all has t % 4 rows (1000 t + r, t).
struct RowWorld {
  torch::Tensor x, row_offsets;
  explicit RowWorld(std::int64_t observations) {
    std::vector<float> rows;
    std::vector<std::int64_t> ends = {0};
    for (std::int64_t t = 0; t < observations; ++t) {
      for (std::int64_t r = 0; r < t % 4; ++r) {
        rows.push_back(static_cast<float>(1000 * t + r));
        rows.push_back(static_cast<float>(t));
      }
      ends.push_back(ends.back() + t % 4);
    }
    x = torch::tensor(rows).view({-1, 2});
    row_offsets = torch::tensor(ends, torch::kInt64);
  }
};

TEST_F(StoredTaskTest, RaggedRowsHaveOffsetsOfTheirOwn) {
  const RowWorld world(600);  // 60 sets of 10, or of 5 and 15 in turn
  std::vector<std::int64_t> offsets = {0};
  for (std::int64_t s = 0; s < 60; ++s) offsets.push_back(offsets.back() + (s % 2 == 0 ? 5 : 15));
  const Arrays equal = {{"theta", numbered_theta(60)}, {"x", world.x}, {"row_offsets", world.row_offsets}};
  Arrays different = equal;
  different["offsets"] = torch::tensor(offsets, torch::kInt64);
  write_stored_npz(folder_ / "equal.npz", equal);
  write_stored_npz(folder_ / "different.npz", different);
  for (const bool ragged_sets : {false, true}) {
    const auto task = stored_task(folder_.path(), {ragged_sets ? "different.npz" : "equal.npz"},
                                  stored_row_info(ragged_sets ? 15 : 10));
    const std::int64_t n = task->info().max_n;
    const Latents latents = latents_of(*task, 1, Purpose::explore, 0, 6);
    std::vector<SetRange> ranges;
    for (std::int64_t k = 0; k < 6; ++k) ranges.push_back({k, 0, n});
    const Observations x = task->observe(latents, 1, Purpose::explore, ranges, torch::kCPU);
    ASSERT_EQ(x.count(), 6 * n);
    for (std::int64_t k = 0; k < 6; ++k) {
      const std::int64_t set = std::llround(latents.theta[k][0].item<double>() * 1000);
      const std::int64_t begin = ragged_sets ? offsets[static_cast<std::size_t>(set)] : 10 * set;
      std::set<std::int64_t> seen;
      std::int64_t empty = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const torch::Tensor rows = x.slice(k * n + j, k * n + j + 1).rows();
        if (rows.size(0) == 0) {
          ++empty;
          continue;
        }
        const auto t = static_cast<std::int64_t>(rows[0][1].item<float>());
        seen.insert(t);
        ASSERT_EQ(rows.size(0), t % 4);
        for (std::int64_t r = 0; r < t % 4; ++r) EXPECT_EQ(rows[r][0].item<float>(), static_cast<float>(1000 * t + r));
      }
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()) + empty, n) << "each observation once";
      EXPECT_GE(*seen.begin(), begin);
      EXPECT_LT(*seen.rbegin(), begin + n);
    }
  }
  // With equally many rows in every observation, the file needs no offsets.
  write_stored_npz(folder_ / "fixed.npz", {{"theta", numbered_theta(20)},
                                           {"x", torch::arange(20 * 4 * 3 * 2, torch::kFloat32).view({20, 4, 3, 2})}});
  const auto fixed = stored_task(folder_.path(), {"fixed.npz"}, stored_row_info(4));
  const Latents latents = latents_of(*fixed, 1, Purpose::test, 0, 1);
  const SetRange range[] = {{0, 0, 4}};
  const Observations x = fixed->observe(latents, 1, Purpose::test, range, torch::kCPU);
  EXPECT_TRUE(at::equal(x.offsets(), torch::arange(0, 13, 3, torch::kInt64)));
  EXPECT_EQ(x.rows().min().item<float>(), 24 * std::round(latents.theta[0][0].item<float>() * 1000));
}

TEST_F(StoredTaskTest, NuisancesAreReadWhereTheTaskNamesThem) {
  Arrays arrays = numbered_sets(50, 4);
  arrays["nu"] = at::cat({numbered_theta(50), numbered_theta(50) * 2}, 1);
  write_stored_npz(folder_ / "n.npz", arrays);
  TaskInfo info = stored_info(4);
  info.nuisances = {{"a", "a"}, {"b", "b"}};
  SimulationFiles names;
  names.files = {"n.npz"};
  names.psi = "nu";
  const auto task =
      make_stored_task(std::make_shared<const Simulations>(names, folder_.path(), simulation_shape(info)), info);
  const Latents latents = latents_of(*task, 1, Purpose::pretrain, 0, 10);
  EXPECT_TRUE(at::equal(latents.psi, at::cat({latents.theta, latents.theta * 2}, 1)));
  sets_of(*task, latents, 1, Purpose::pretrain, 0, 2);
  EXPECT_THAT(task->info().data_source, ::testing::MatchesRegex("50 stored sets \\(content [0-9a-f]{8}\\)"));
}

// What a task draws, to the bit: θ and x of many indices of every purpose.
std::string drawn(const Task& task) {
  std::string out = task.info().data_source;
  for (const Purpose purpose : {Purpose::pretrain, Purpose::finetune, Purpose::finetune_validation, Purpose::test}) {
    const Latents latents = latents_of(task, 1, purpose, 0, 100);
    const torch::Tensor x = sets_of(task, latents, 1, purpose, 0, 2).contiguous();
    out.append(static_cast<const char*>(latents.theta.const_data_ptr()), latents.theta.nbytes());
    out.append(static_cast<const char*>(x.const_data_ptr()), x.nbytes());
  }
  return out;
}

TEST_F(StoredTaskTest, NeitherNamesNorFilesNorTheirOrderChangeWhatIsDrawn) {
  const auto opened = [&](std::vector<std::string> files) {
    return stored_task(folder_.path(), files, stored_info(2));
  };
  const Arrays all = numbered_sets(500, 2);
  write_stored_npz(folder_ / "whole.npz", all);
  const std::string before = drawn(*opened({"whole.npz"}));
  std::filesystem::create_directories(folder_ / "moved");
  std::filesystem::rename(folder_ / "whole.npz", folder_ / "moved/renamed.npz");
  EXPECT_EQ(drawn(*opened({"moved/*.npz"})), before);
  EXPECT_EQ(drawn(*opened({"pairs/*.npz"})), before) << "the same sets in two files";
  EXPECT_EQ(drawn(*opened({"pairs/b.npz", "pairs/a.npz"})), before);
  EXPECT_EQ(drawn(*opened({"pairs/b.npz", "moved/*.npz"})), before) << "a part beside its whole";
  at::Generator generator = at::detail::createCPUGenerator(1);
  const torch::Tensor order = at::randperm(500, generator, torch::kInt64);
  Arrays mixed;
  for (const auto& [name, array] : all) mixed[name] = array.index_select(0, order);
  write_stored_npz(folder_ / "mixed.npz", mixed);
  EXPECT_EQ(drawn(*opened({"mixed.npz"})), before);
  mixed["x"] = mixed.at("x") + 1;  // simulated again
  write_stored_npz(folder_ / "other.npz", mixed);
  EXPECT_NE(opened({"other.npz"})->info().data_source, opened({"mixed.npz"})->info().data_source);
}

TEST_F(StoredTaskTest, WhatIsAddedMovesNoSetFromTrainingIntoTheTests) {
  const auto training = distinct(sets(*task_, Purpose::pretrain, 0, held(Purpose::pretrain, 2)));
  write_stored_npz(folder_ / "more.npz", numbered_sets(5000, 2, 600));
  const auto more = stored_task(folder_.path(), {"more.npz", "pairs/*.npz", "large.npz"}, stored_info(40));
  std::int64_t trained = 0;
  for (const std::int64_t set : sets(*more, Purpose::test, 0, more->stored()->sets(Purpose::test, 2)))
    trained += training.contains(set) ? 1 : 0;
  EXPECT_EQ(trained, 0);
}

TEST_F(StoredTaskTest, SetsOfOneThetaStayTogetherAndCopiesCountOnce) {
  EXPECT_TRUE(task_->stored()->notes().empty());
  // A design of 40 θ, each simulated 15 times.
  write_stored_npz(folder_ / "design.npz", {{"theta", numbered_theta(40).repeat({15, 1})}, {"x", numbered_x(600, 2)}});
  const auto design = stored_task(folder_.path(), {"design.npz"}, stored_info(2));
  std::set<std::int64_t> seen;
  std::int64_t all = 0;
  for (const Purpose purpose : {Purpose::pretrain, Purpose::pretrain_validation, Purpose::test}) {
    const std::int64_t count = design->stored()->sets(purpose, 2);
    for (const std::int64_t theta : distinct(sets(*design, purpose, 0, count)))
      EXPECT_TRUE(seen.insert(theta).second) << theta << " stands in two parts";
    all += count;
  }
  EXPECT_EQ(all, 600);
  EXPECT_EQ(seen.size(), 40u);
  EXPECT_THAT(
      design->stored()->notes(),
      ::testing::ElementsAre(HasSubstr("600 of the 600 stored sets have a θ that others have, too: there are 40")));
  // b is a less its first set.
  write_stored_npz(folder_ / "a.npz", numbered_sets(50, 2));
  write_stored_npz(folder_ / "b.npz", numbered_sets(49, 2, 1));
  const auto both = stored_task(folder_.path(), {"a.npz", "b.npz"}, stored_info(2));
  EXPECT_EQ(both->info().data_source, stored_task(folder_.path(), {"a.npz"}, stored_info(2))->info().data_source);
  EXPECT_THAT(both->stored()->notes(),
              ::testing::ElementsAre("49 sets are stored more than once (the same θ, ψ, size and observations) and "
                                     "used once: 49 of the 49 sets of b.npz stand in a.npz, too."));
  // Sets of whole numbers often begin alike, and are no copies.
  at::Generator generator = at::detail::createCPUGenerator(3);
  const torch::Tensor coins = at::randint(0, 2, {600, 30, 1}, generator, at::TensorOptions(at::kFloat));
  write_stored_npz(folder_ / "coins.npz", {{"theta", numbered_theta(40).repeat({15, 1})}, {"x", coins}});
  const auto discrete = stored_task(folder_.path(), {"coins.npz"}, stored_info(30));
  std::int64_t held = 0;
  for (const Purpose purpose : {Purpose::pretrain, Purpose::pretrain_validation, Purpose::test})
    held += discrete->stored()->sets(purpose, 30);
  EXPECT_EQ(held, 600);
  write_stored_npz(folder_ / "coins2.npz", {{"theta", numbered_theta(40)}, {"x", coins.slice(0, 0, 40)}});
  EXPECT_THAT(stored_task(folder_.path(), {"coins.npz", "coins2.npz"}, stored_info(30))->stored()->notes().front(),
              HasSubstr("40 of the 40 sets of coins2.npz"));
  // θ of three values at least.
  EXPECT_THAT(sentence_of([&] {
                write_stored_npz(folder_ / "two.npz",
                                 {{"theta", numbered_theta(2).repeat({50, 1})}, {"x", numbered_x(100, 2)}});
                (void)stored_task(folder_.path(), {"two.npz"}, stored_info(2));
              }),
              HasSubstr("hold 100 sets of 2 different θ, too few"));
  write_stored_npz(folder_ / "five.npz", numbered_sets(5, 20));
  const auto few = stored_task(folder_.path(), {"five.npz"}, stored_info(20));
  for (const Purpose purpose : {Purpose::pretrain, Purpose::pretrain_validation, Purpose::test})
    EXPECT_GE(few->stored()->sets(purpose, 20), 1);
  EXPECT_LE(statistics_sample(*few, 16).observations, 20) << "no sets larger than those that are stored";
}

}  // namespace
}  // namespace pairs
