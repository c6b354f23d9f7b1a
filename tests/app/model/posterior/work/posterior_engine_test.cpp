#include "app/model/posterior/work/posterior_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tasks/registry.h"
#include "tests/app/compared_run.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

// A run that has compared its own posterior with the one that its learned likelihood refines.
class ComparedRun : public testing::Test {
 protected:
  ComparedRun() {
    make_compared_run(folder_ / "run");
    request_.tasks = built_in_tasks();
    request_.scene = 1;
    request_.set.id = 1;
    request_.asked.run = (folder_ / "run").string();
  }
  // The shown posterior of n observations, and the snapshot that it is part of.
  const PosteriorNumbers& shown(std::int64_t n) {
    request_.asked.n = n;
    engine_.work(request_, [] { return false; });
    result_ = engine_.result();
    EXPECT_EQ(result_.failure, "");
    return result_.snapshot->series.front();
  }

  TemporaryFolder folder_;
  PosteriorRequest request_;
  PosteriorEngine engine_{[] {}};
  PosteriorResult result_;
};

TEST_F(ComparedRun, ShowsTheBetterPosteriorFirst) {
  const std::string own = shown(1).name;
  EXPECT_NE(own, kRefined);
  EXPECT_TRUE(result_.scene->compared);
  EXPECT_EQ(shown(20).name, kRefined);
  EXPECT_THAT(result_.snapshot->why_first, testing::HasSubstr("at N = 20 it gains"));
  EXPECT_THAT(result_.snapshot->sentence, testing::HasSubstr("interval"));
  request_.asked.source = SourceWish::run;
  EXPECT_EQ(shown(20).name, own);
  EXPECT_EQ(result_.snapshot->why_first, "");
  request_.asked.source = SourceWish::both;
  EXPECT_EQ(shown(20).name, own);
  EXPECT_TRUE(std::any_of(result_.snapshot->series.begin(), result_.snapshot->series.end(),
                          [](const PosteriorNumbers& one) { return one.name == kRefined; }));
}

// One that takes long waits for a click, which counts for this set and N alone.
TEST_F(ComparedRun, AsksBeforeItTakesLong) {
  request_.at_once = 0;
  EXPECT_NE(shown(20).name, kRefined);
  EXPECT_GT(result_.snapshot->refine_seconds, 0);
  request_.refined_set = result_.snapshot->set;
  request_.refined_n = 20;
  EXPECT_EQ(shown(20).name, kRefined);
  EXPECT_EQ(result_.snapshot->refine_seconds, 0);
  EXPECT_NE(shown(30).name, kRefined);
  EXPECT_GT(result_.snapshot->refine_seconds, 0);
  EXPECT_NE(shown(1).name, kRefined);
  EXPECT_EQ(result_.snapshot->refine_seconds, 0) << "the run's own is better there, and nothing waits";
}

// A likelihood that is learned, or compared, while its run is shown is taken up by the next request.
TEST_F(ComparedRun, TakesUpAnotherComparison) {
  const std::filesystem::path file = folder_ / "run/likelihood/comparison.json", away = folder_ / "comparison.json";
  std::filesystem::rename(file, away);
  EXPECT_NE(shown(20).name, kRefined);
  EXPECT_FALSE(result_.scene->compared);
  std::filesystem::rename(away, file);
  EXPECT_EQ(shown(20).name, kRefined);
  EXPECT_TRUE(result_.scene->compared);
}

}  // namespace
}  // namespace pairs::model
