#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "app/posterior/set/set_embeddings.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/tables/table_writers.h"

// A set that is read a part at a time has the posterior of one that is held, to the bit.

namespace pairs {
namespace {

class StreamedSet : public ::testing::Test {
 protected:
  // 3,000 masses; false where this build reads no FITS files.
  bool write() {
    std::vector<double> mass;
    for (int i = 0; i < 3000; ++i) mass.push_back(10 * std::fmod(0.6180339887498949 * i, 1.0));
    pairs::table_files::write_fits(file_, mass, std::vector<std::int16_t>(3000, 0));
    try {
      (void)set(1 << 20);
    } catch (const Error& error) {
      return std::string(error.what()).find("-DPAIRS_FITS=ON") == std::string::npos;
    }
    return true;
  }
  std::shared_ptr<ObservedSet> set(std::int64_t held, std::optional<std::uint64_t> random = {}) const {
    SetChoice choice;
    choice.file = file_;
    choice.columns = {"energy"};
    choice.held = held;
    choice.random = random;
    return std::make_shared<ObservedSet>(run_.task, choice);
  }
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "masses.fits";
  LoadedRun run_ = load_run(built_in_tasks(), "bump-hunt", "", "cpu");
};

TEST_F(StreamedSet, HasTheSamePosteriorToTheBit) {
  if (!write()) GTEST_SKIP() << "this build reads no FITS files";
  const auto held = set(kHeldNumbers), parts = set(50);
  ASSERT_EQ(parts->size(), held->size());
  EXPECT_EQ(parts->held(), 3000);
  EXPECT_EQ(parts->taken(), std::vector<std::string>{"energy"});
  EXPECT_TRUE(parts->first(70).block().equal(held->first(70).block()));
  EXPECT_TRUE(parts->part(33, 71).block().equal(held->part(33, 71).block()));
  EXPECT_THROW((void)parts->part(0, parts->size() + 1), Error);
  const std::int64_t n = std::min<std::int64_t>(held->size(), 90);
  const SetEmbeddings one = embed_set(run_, *held, {1, n / 2, n}), other = embed_set(run_, *parts, {1, n / 2, n});
  EXPECT_TRUE(one.embeddings.equal(other.embeddings));
  EXPECT_TRUE(one.aggregates.equal(other.aggregates));
  const auto samples = [&](const std::shared_ptr<ObservedSet>& observed) {
    SetPosterior posterior(observed, {{run_}});
    posterior.embed_until(n);
    return posterior.samples(posterior.answer(n), 200, 1);
  };
  EXPECT_TRUE(samples(held).equal(samples(parts)));
}

TEST_F(StreamedSet, DrawsTheSameRandomSubset) {
  if (!write()) GTEST_SKIP() << "this build reads no FITS files";
  const auto held = set(kHeldNumbers, 5), parts = set(50, 5), others = set(50, 6);
  ASSERT_EQ(parts->size(), held->size());
  EXPECT_TRUE(parts->first(50).block().equal(held->first(50).block()));
  EXPECT_FALSE(parts->first(50).block().equal(others->first(50).block()));
}

}  // namespace
}  // namespace pairs
