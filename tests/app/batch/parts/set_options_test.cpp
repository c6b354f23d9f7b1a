// Options that name a set: every command that takes a set has all of them, or explains why not.
#include "app/batch/parts/set_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/posterior/question/set_arguments.h"
#include "app/posterior/question/set_fields.h"
#include "core/base/text/error.h"
#include "tasks/program_table.h"
#include "tests/app/batch/action.h"
#include "tests/app/batch/program.h"
#include "tests/app/posterior/question/varied_set.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;

SetChoice parsed(const std::string& words) {
  CLI::App app;
  SetOptions options;
  add_set_options(app, options, {});
  std::vector<std::string> given = words_of_command(words);
  std::reverse(given.begin(), given.end());  // as CLI11 takes them
  app.parse(given);
  return options.choice();
}

TEST(SetOptions, CopiedWordsAreTheSet) {
  const SetChoice own = varied_set(true);
  EXPECT_TRUE(parsed(set_arguments(own, SetCommand::figure)) == own) << set_arguments(own, SetCommand::figure);
  const SetChoice simulated = varied_set(false);
  EXPECT_TRUE(parsed(set_arguments(simulated, SetCommand::figure)) == simulated);
  // One field alone, so that none hides behind another.
  for (const SetField& field : set_fields()) {
    if (!field.own() || std::string_view(field.key) == "file") continue;
    SetChoice one;
    one.file = "events.csv";
    vary_field(field, one);
    EXPECT_TRUE(parsed(set_arguments(one, SetCommand::figure)) == one) << field.key;
  }
}

TEST(SetOptions, ARandomSubsetNeedsNoSeed) {
  CLI::App app;
  SetOptions options;
  add_set_options(app, options, {});
  app.parse("--data events.csv --random", false);
  EXPECT_EQ(options.choice(9).random, 9u);
  EXPECT_EQ(parsed("--random=4 --data events.csv").random, 4u);
  EXPECT_FALSE(parsed("--data events.csv").random);
}

TEST(SetOptions, EveryCommandHasThemOrSaysWhyNot) {
  struct Command {
    const char* name;
    Action (*add)(CLI::App&, const Catalog&);
    std::vector<std::string> words;
  };
  const Command commands[] = {{"infer", add_infer, {"bump-hunt"}},
                              {"report", add_report, {"bump-hunt", "--out", "x.html"}},
                              {"figure", add_figure, {"posterior", "bump-hunt"}},
                              {"frequentist", add_frequentist, {"bump-hunt"}},
                              {"embed", add_embed, {"bump-hunt", "--out", "x.npz"}}};
  for (const Command& command : commands)
    for (const SetField& field : set_fields()) {
      SCOPED_TRACE(std::string(command.name) + " --" + field.option);
      CLI::App app;
      const Action action = command.add(app, built_in_tasks());
      const CLI::Option* const option = app.get_option_no_throw(std::string("--") + field.option);
      ASSERT_NE(option, nullptr);
      if (!option->get_group().empty()) continue;
      // It is not listed: whoever gives it reads why.
      std::vector<std::string> words = command.words;
      words.insert(words.end(), {std::string("--") + field.option, field.key == std::string("index") ? "1" : "0.5"});
      if (field.option != std::string("data") && !field.of(SetKind::simulated))
        words.insert(words.end(), {"--data", "x.csv"});
      if (command.name == std::string("infer") || command.name == std::string("report"))
        words.insert(words.end(), {"--data", "x.csv"});
      const Acted refused = act(command.add, words);
      EXPECT_EQ(refused.code, 2);
      EXPECT_THAT(refused.err, HasSubstr(std::string("--") + field.option + ": "));
    }
}

TEST(SetOptions, WhatBelongsToAFileNeedsOne) {
  for (const char* words : {"--random 3", "--columns a", "--table T", "--missing drop", "--up y", "--group g"})
    EXPECT_THROW(parsed(words), Error) << words;
  EXPECT_THROW(parsed("--data x.csv --index 3"), Error);
  EXPECT_THROW(parsed("--data x.csv --theta=1"), Error);
}

}  // namespace
}  // namespace pairs::batch
