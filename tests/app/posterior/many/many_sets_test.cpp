#include "app/posterior/many/many_sets.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/posterior/set/embedded_set.h"
#include "core/base/text/error.h"
#include "core/base/threads/one_thread.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

// Sets made as they are asked for, which knows how many of them are held at a time.
class CountedSets final : public SetStream {
 public:
  CountedSets(std::int64_t count, std::int64_t bytes) : count_(count), bytes_(bytes) {}
  std::int64_t count() const override { return count_; }
  bool next(ComingSet& set) override {
    if (made_ == count_) return false;
    const auto held = std::shared_ptr<void>(nullptr, [this](void*) { --held_; });
    most_ = std::max(most_, ++held_);
    set = {std::to_string(made_), bytes_, [held, k = made_] {
             return Observed{torch::full({1, 1}, 0.01f * static_cast<float>(k % 7)), 1, {}};
           }};
    ++made_;
    return true;
  }
  std::int64_t most() const { return most_; }
  std::int64_t made() const { return made_; }

 private:
  std::int64_t count_, bytes_, made_ = 0, most_ = 0;
  std::atomic<std::int64_t> held_ = 0;
};

class ManySetsTest : public ::testing::Test {
 protected:
  ManySetsTest() { run_.loaded = load_run(built_in_tasks(), "bump-hunt", "", "cpu"); }
  static ManySetsQuestion all() {
    ManySetsQuestion question;
    question.size = [](const std::string&, std::int64_t held) { return held; };
    return question;
  }
  // Refuses every set, so that many of them take no time.
  static ManySetsQuestion none() {
    ManySetsQuestion question;
    question.size = [](const std::string&, std::int64_t) -> std::int64_t { fail("not this one"); };
    return question;
  }
  AskedRun run_;
};

TEST_F(ManySetsTest, HoldsNoMoreSetsHoweverManyThereAre) {
  std::int64_t most = 0;
  for (const std::int64_t count : {700, 5000, 40000}) {
    CountedSets sets(count, 100);
    std::int64_t next = 0;
    answer_sets(run_, sets, none(), [&](const SetRow& row) {
      EXPECT_EQ(row.name, std::to_string(next++));
      EXPECT_EQ(row.problem, "not this one");
    });
    EXPECT_EQ(next, count);
    most = std::max(most, sets.most());
  }
  EXPECT_LE(most, 512);
  CountedSets large(200, 10 << 20);
  answer_sets(run_, large, none(), [](const SetRow&) {});
  EXPECT_LE(large.most() * 10, 32 + 10);  // MiB: one more than fit
}

TEST_F(ManySetsTest, StopsBetweenBatches) {
  CountedSets sets(5000, 100);
  std::int64_t reported = 0;
  EXPECT_THROW(answer_sets(
                   run_, sets, none(), [&](const SetRow&) { ++reported; }, [&] { return reported < 600; }),
               Stopped);
  EXPECT_LT(reported, 5000);
  EXPECT_EQ(reported, sets.made());
}

// So that progress is reported truly: whoever counts rows has those of all sets that are answered.
TEST_F(ManySetsTest, AsksOftenWhetherToGoOnWhenAllRowsAreHandedOn) {
  for (const std::int64_t count : {200, 5000}) {
    CountedSets sets(count, 100);
    std::int64_t rows = 0;
    std::vector<std::int64_t> done;
    answer_sets(
        run_, sets, none(), [&](const SetRow&) { ++rows; },
        [&] {
          EXPECT_EQ(rows, sets.made());
          done.push_back(rows);
          return true;
        });
    EXPECT_EQ(rows, count);
    ASSERT_GE(done.size(), 3u) << count;
    EXPECT_LE(done[1], 2 * at::get_num_threads()) << "sets may take long";
    for (std::size_t k = 1; k < done.size(); ++k) EXPECT_LE(done[k] - done[k - 1], 512);
  }
}

TEST_F(ManySetsTest, SaysOfEachWhatItsPosteriorSays) {
  ManySetsQuestion question = all();
  question.kept = 5;
  CountedSets sets(7, 100);
  std::int64_t k = 0;
  answer_sets(run_, sets, question, [&](const SetRow& row) {
    ASSERT_EQ(row.problem, "");
    const OneThread one_thread;  // as every answer about one set
    const auto x = torch::full({1, 1}, 0.01f * static_cast<float>(k++));
    EmbeddedSet embedded(run_.loaded.estimator, 1);
    embedded.add(x);
    PosteriorAnswer answer;
    ask(run_, 1, true, {[&] { return embedded.aggregate(1, x); }, 1, 1}, answer);
    EXPECT_EQ(row.numbers.front().mean, answer.shown_numbers(*run_.loaded.task, run_).front().mean);
    EXPECT_EQ(row.typicality.distance, answer.typicality.distance) << "though its factor is kept";
    EXPECT_EQ(row.typicality.percentile, answer.typicality.percentile);
    const torch::Tensor samples = answer.sources.front().sample(1000, 1);
    EXPECT_TRUE(torch::equal(row.samples, samples.slice(0, 0, 5)));
  });
  EXPECT_EQ(k, 7);
}

}  // namespace
}  // namespace pairs
