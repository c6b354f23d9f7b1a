#include "app/runs/run_about.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RunAbout, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_about(folder.path()), RunAbout());
  const RunAbout about{"first \"good\" one", "Two\nlines", {"paper", "größer"}, true};
  write_about(folder.path(), about);
  EXPECT_EQ(load_about(folder.path()), about);
}

// A person who edits the file needs no more than the keys that are used.
TEST(RunAbout, ReadsWhatPeopleWrite) {
  const TemporaryFolder folder;
  write_file(folder / kAboutFile, "tags = \"  paper wide  Paper \"\n");
  EXPECT_THAT(load_about(folder.path()).tags, ElementsAre("paper", "wide"));
  write_file(folder / kAboutFile, "tags = 3\n");
  EXPECT_EQ(read_about(folder.path()), RunAbout());
  EXPECT_THROW(load_about(folder.path()), Error);
}

TEST(RunAbout, TagsAreChangedRegardlessOfCapitals) {
  RunAbout about;
  change_tags(about, {"Paper", "wide", "paper"}, {});
  EXPECT_THAT(about.tags, ElementsAre("Paper", "wide"));
  EXPECT_TRUE(about.tagged("PAPER"));
  change_tags(about, {"late"}, {"paper", "nowhere"});
  EXPECT_THAT(about.tags, ElementsAre("wide", "late"));
}

TEST(RunAbout, SaysWhatIsNoTag) {
  const auto refused = [](const std::string& tag) -> std::string {
    try {
      check_tag(tag);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage ? error.what() : "another kind";
    }
    return "";
  };
  EXPECT_THAT(refused(""), HasSubstr("this one is empty"));
  EXPECT_THAT(refused("two words"), HasSubstr("a tag is one word"));
  EXPECT_THAT(refused("gap<3"), HasSubstr("holds \"<\""));
  EXPECT_THAT(refused("-paper"), HasSubstr("\"not\" in a filter"));
  EXPECT_THAT(refused(std::string(41, 'x')), HasSubstr("longer than 40 bytes"));
  EXPECT_THAT(refused("a\x01"), HasSubstr("no text"));
  EXPECT_EQ(refused("größe-2.1_b"), "");
  RunAbout about;
  EXPECT_THROW(change_tags(about, {"good", "not good"}, {}), Error);
  EXPECT_TRUE(about.tags.empty());
}

TEST(RunAbout, TextsAreTidy) {
  EXPECT_EQ(tidy_text("  a\nb  ", false), "a b");
  EXPECT_EQ(tidy_text(" a\nb \n", true), "a\nb");
  EXPECT_EQ(tidy_text(std::string(1999, 'x') + "ö", false), std::string(1999, 'x')) << "cut between characters";
}

TEST(RunAbout, NewRunsHaveNamesThatPeopleCanTellApart) {
  const TemporaryFolder folder;
  RunConfig config;
  config.task = "bump-hunt";
  config.preset = "quick";
  config.strategy = "pairs";
  const auto named = [&](const std::string& name) {
    std::filesystem::create_directories(folder / name);
    name_new_run(folder / name, config);
    return load_about(folder / name).name;
  };
  EXPECT_EQ(named("bump-hunt-20261126-052311"), "bump-hunt quick #1 · pairs · 05:23");
  EXPECT_EQ(named("bump-hunt-20261126-052311-2"), "bump-hunt quick #2 · pairs · 05:23");
  EXPECT_EQ(named("mine"), "") << "a person has named it";
  EXPECT_EQ(named("bump-hunt-2026"), "");
  config.strategy = "n1";
  config.preset = "small";
  EXPECT_EQ(named("bump-hunt-20261127-140001"), "bump-hunt small #1 · n1 · 14:00");
  config.preset = "quick";
  std::filesystem::remove_all(folder / "bump-hunt-20261126-052311");
  EXPECT_EQ(named("bump-hunt-20261128-000000"), "bump-hunt quick #3 · n1 · 00:00") << "a number is given once";
  EXPECT_EQ(named("bump-hunt-20261126-052311-2"), "bump-hunt quick #2 · pairs · 05:23") << "it keeps its name";
}

TEST(RunAbout, ChangesOfManyAtOnceAreAllKept) {
  const TemporaryFolder folder;
  {
    std::vector<std::jthread> writers;
    for (int k = 0; k < 16; ++k)
      writers.emplace_back([&, k] {
        change_about(folder.path(), [&](RunAbout& about) { change_tags(about, {fmt::format("tag{}", k)}, {}); });
      });
  }
  EXPECT_EQ(load_about(folder.path()).tags.size(), 16u);
}

}  // namespace
}  // namespace pairs
