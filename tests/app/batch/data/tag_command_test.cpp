#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/runs/run_about.h"
#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TagCommand : public testing::Test {
 protected:
  std::string run(const std::string& name) {
    RunConfig config;
    config.tasks = built_in_tasks();
    config.task = "bump-hunt";
    return create_run(config, folder_ / name).string();
  }
  TemporaryFolder folder_;
  std::string a_ = run("a"), b_ = run("b");
};

TEST_F(TagCommand, PutsTagsOnAndTakesThemOff) {
  const std::string before = read_file(std::filesystem::path(a_) / run_file::config);
  const Answer added = run_words({"tag", a_, b_, "--add", "paper", "--add", "wide", "--note", "first\nof two"});
  EXPECT_EQ(added.code, 0) << added.err;
  EXPECT_THAT(added.out, HasSubstr("paper wide  first of two"));
  EXPECT_THAT(load_about(a_).tags, ElementsAre("paper", "wide"));
  EXPECT_EQ(load_about(b_).note, "first\nof two");
  EXPECT_EQ(run_words({"tag", a_, "--remove", "wide", "--no-note", "--name", "best", "--archive"}).code, 0);
  EXPECT_EQ(load_about(a_), (RunAbout{"best", "", {"paper"}, true}));
  EXPECT_THAT(load_about(b_).tags, ElementsAre("paper", "wide"));
  EXPECT_EQ(run_words({"tag", a_, "--unarchive"}).code, 0);
  EXPECT_FALSE(load_about(a_).archived);
  EXPECT_EQ(read_file(std::filesystem::path(a_) / run_file::config), before) << "what decides the weights stays";
}

TEST_F(TagCommand, TellsWithoutChanging) {
  const Answer reported = run_words({"--json", "tag", a_, "shipped-is-none"});
  EXPECT_EQ(reported.code, 2);
  const Answer fine = run_words({"--json", "tag", a_});
  ASSERT_EQ(fine.code, 0) << fine.err;
  const auto document = nlohmann::json::parse(fine.out);
  EXPECT_EQ(document["runs"][0]["run"], a_);
  EXPECT_TRUE(document["runs"][0]["tags"].empty());
  EXPECT_FALSE(document["runs"][0]["archived"]);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(a_) / kAboutFile));
}

TEST_F(TagCommand, RefusesWithoutChangingAny) {
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), "tag");
    const Answer answer = run_words(words);
    EXPECT_NE(answer.code, 0) << why;
    EXPECT_THAT(answer.err, HasSubstr(why));
  };
  refused({a_, "--add", "two words"}, "a tag is one word");
  refused({a_, "bump-hunt", "--add", "paper"}, "came with the program");
  refused({a_, b_, "--name", "one"}, "--name is for one run");
  refused({a_, "--archive", "--unarchive"}, "excludes");
  refused({a_, "--note", "x", "--no-note"}, "excludes");
  refused({a_, (folder_ / "none").string(), "--add", "paper"}, "none");
  write_file(std::filesystem::path(b_) / kAboutFile, "tags = [");
  refused({a_, b_, "--add", "paper"}, kAboutFile);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(a_) / kAboutFile));
}

}  // namespace
}  // namespace pairs::batch
