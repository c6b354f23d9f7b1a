#include "app/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SessionFile : public ::testing::Test {
 protected:
  SessionFile() {
    fs::create_directories(home_ / "runs/a");
    write_file(home_ / "events.csv", "x\n1\n2\n3\n");
    RunConfig config;
    config.tasks = tasks_;
    config.task = "bump-hunt";
    fs::remove(home_ / "runs/a");
    create_run(config, home_ / "runs/a");
    write_file(home_ / "runs/a" / run_file::cache, "only training reads this");
  }
  SavedSession full() const {
    SavedSession session;
    session.task = "bump-hunt";
    session.tab = "evaluate";
    session.question.run = (home_ / "runs/a").string();
    session.note = "first\nof \"two\" – ψ\nends";
    session.question.set.file = home_ / "events.csv";
    session.question.set.random = 7;
    session.question.set.columns = {"x"};
    session.question.set.given = "t=2";
    session.question.n = 2;
    session.set_note = "taken on a Friday";
    session.question.interval = IntervalKind::upper_limit;
    session.question.learned_product = true;
    session.question.derived = {"twice = 2*theta"};
    session.question.others = {"bump-hunt"};
    session.compared = {"bump-hunt", (home_ / "runs/a").string()};
    SetChoice pinned{.index = 3, .theta = {0.1}, .psi = {1.0 / 3}};
    session.question.pinned = {{"N = 10, set 3", "bump-hunt", pinned, 10},
                               {"mine", session.question.run, session.question.set, 2}};
    return session;
  }
  std::string refusal(const std::string& text) const {
    write_file(home_ / "s.pairs", text);
    try {
      read_session(home_ / "s.pairs");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::failed) << error.what();
      return error.what();
    }
    return "";
  }

  Catalog tasks_ = built_in_tasks();
  TemporaryFolder folder_;
  fs::path home_ = folder_ / "home";
};

TEST_F(SessionFile, IsReadAsItWasWrittenWhereverItsFolderIs) {
  write_session(home_ / "s.pairs", full());
  const std::string text = read_file(home_ / "s.pairs");
  EXPECT_THAT(text, HasSubstr("run = './runs/a'"));
  EXPECT_THAT(text, Not(HasSubstr(home_.string())));
  fs::rename(home_, folder_ / "moved");
  const SavedSession read = read_session(folder_ / "moved/s.pairs");
  const SavedSession was = full();
  EXPECT_EQ(read.question.run, (folder_ / "moved/runs/a").string());
  EXPECT_EQ(read.question.set.file, folder_ / "moved/events.csv");
  EXPECT_EQ(read.note, was.note);
  EXPECT_EQ(read.set_note, was.set_note);
  EXPECT_EQ(read.tab, "evaluate");
  EXPECT_EQ(read.question.set.random, 7);
  EXPECT_EQ(read.question.set.given, "t=2");
  EXPECT_THAT(read.question.set.columns, ElementsAre("x"));
  EXPECT_EQ(read.question.n, 2);
  EXPECT_EQ(read.question.interval, IntervalKind::upper_limit);
  EXPECT_TRUE(read.question.learned_product);
  EXPECT_EQ(read.question.derived, was.question.derived);
  EXPECT_THAT(read.compared, ElementsAre("bump-hunt", read.question.run));
  ASSERT_EQ(read.question.pinned.size(), 2u);
  EXPECT_EQ(read.question.pinned[0].set.psi, was.question.pinned[0].set.psi) << "to the bit";
  EXPECT_EQ(read.question.pinned[0].run, "bump-hunt");
  EXPECT_EQ(read.question.pinned[1].set.file, read.question.set.file);
  // Written again at its new place it is the same file.
  write_session(folder_ / "moved/again.pairs", read);
  EXPECT_EQ(read_file(folder_ / "moved/again.pairs"), text);
}

TEST_F(SessionFile, WhatLiesElsewhereIsNamedWhole) {
  fs::create_directory(folder_ / "other");
  write_session(folder_ / "other/s.pairs", full());
  EXPECT_EQ(read_session(folder_ / "other/s.pairs").question.run, full().question.run);
}

TEST_F(SessionFile, ByHandPathsNeedNoDot) {
  write_file(home_ / "s.pairs", "session = 1\ntask = \"bump-hunt\"\nrun = \"runs/a\"\n[set]\nfile = \"events.csv\"\n");
  EXPECT_EQ(read_session(home_ / "s.pairs").question.run, full().question.run);
  EXPECT_EQ(read_session(home_ / "s.pairs").question.set.file, full().question.set.file);
}

TEST_F(SessionFile, RefusesWhatIsNone) {
  const std::string good = "session = 1\ntask = \"bump-hunt\"\n";
  EXPECT_EQ(refusal(good), "");
  EXPECT_THAT(refusal(""), HasSubstr("this is no session"));
  EXPECT_THAT(refusal("x,y\n1,2\n"), HasSubstr("s.pairs, line 1: this is not TOML"));
  EXPECT_THAT(refusal("session = 2\ntask = \"x\"\n"), HasSubstr("of version 2, and this program reads version 1"));
  EXPECT_THAT(refusal("session = 1\n"), HasSubstr("'task' is missing"));
  EXPECT_THAT(refusal(good + "noet = \"x\"\n"), HasSubstr("s.pairs, line 3: unknown key 'noet'; did you mean 'note'?"));
  EXPECT_THAT(refusal(good + "note = 3\n"), HasSubstr("'note' must be a text"));
  EXPECT_THAT(refusal(good + "interval = \"wide\"\n"), HasSubstr("wide is no kind of interval"));
  EXPECT_THAT(refusal(good + "set = 3\n"), HasSubstr("'set' must be a table"));
  EXPECT_THAT(refusal(good + "[set]\nn = -1\n"), HasSubstr("s.pairs, line 4: 'set.n' must be a whole number from 1"));
  EXPECT_THAT(refusal(good + "[set]\nindex = -1\n"), HasSubstr("'set.index'"));
  EXPECT_THAT(refusal(good + "[set]\nmany = true\n"), HasSubstr("'set.file' is missing"));
  EXPECT_THAT(refusal(good + "[set]\nfile = \"a.csv\"\ntheta = [1]\n"), HasSubstr("those of a simulated set"));
  EXPECT_THAT(refusal(good + "[[pinned]]\nn = 3\n"), HasSubstr("'pinned.run' is missing"));
  EXPECT_THAT(refusal(good + "pinned = 3\n"), HasSubstr("[[pinned]]"));
  EXPECT_THROW(read_session(home_ / "none.pairs"), Error);
}

TEST_F(SessionFile, NotesAreKeptAsTextAndNoLongerThanTheyMayBe) {
  EXPECT_EQ(tidy_note("  a\n\x01 b \n"), "a\n b");
  EXPECT_EQ(tidy_note(" \n "), "");
  EXPECT_EQ(tidy_note(std::string(30000, 'x')).size(), kLongestNote);
}

TEST_F(SessionFile, TellsWhatIsMissingOrAnother) {
  SavedSession session = full();
  session.question.run = "bump-hunt";
  session.compared = session.question.others = {"bump-hunt"};
  session.question.pinned.clear();
  stamp_session(session, tasks_, "");
  EXPECT_EQ(session.sha256.size(), 64u);
  EXPECT_FALSE(session.weights.empty());
  EXPECT_THAT(session_problems(session, tasks_, ""), IsEmpty());
  write_file(home_ / "events.csv", "x\n1\n2\n4\n");
  EXPECT_THAT(session_problems(session, tasks_, ""), ElementsAre(HasSubstr("holds other data")));
  fs::remove(home_ / "events.csv");
  session.weights = "ffffffff";
  session.question.others.push_back((home_ / "runs/gone").string());
  EXPECT_THAT(session_problems(session, tasks_, ""),
              ElementsAre(HasSubstr("runs/gone is missing"), HasSubstr("events.csv are missing"),
                          HasSubstr("weights of bump-hunt are others")));
  session = full();
  session.question.run.clear();
  session.compared = session.question.others = {};
  session.question.set = {};
  session.question.pinned = {{"before", "bump-hunt", {}, 3, "ffffffff", ""}};
  EXPECT_THAT(session_problems(session, tasks_, ""), ElementsAre(HasSubstr("weights of bump-hunt are others")));
  session = {};
  session.task = "none";
  EXPECT_THAT(session_problems(session, tasks_, ""), ElementsAre(HasSubstr("no task none")));
}

TEST_F(SessionFile, IsPackedWithItsRunsAndData) {
  SavedSession session = full();
  fs::create_directories(folder_ / "more/events.csv");  // a folder of the same name
  write_file(folder_ / "more/events.csv/a.csv", "x\n5\n");
  session.question.pinned[1].set.file = folder_ / "more/events.csv";
  write_file(home_ / "runs/a/secret.csv", "of another set\n");
  const fs::path packed = folder_ / "packed";
  pack_session(session, packed);
  EXPECT_TRUE(is_session(packed));
  fs::rename(packed, folder_ / "sent");
  fs::remove_all(home_);
  const SavedSession read = read_session(folder_ / "sent");
  EXPECT_EQ(read.question.run, (folder_ / "sent/runs/a").string());
  EXPECT_EQ(read_file(read.question.set.file), "x\n1\n2\n3\n");
  EXPECT_EQ(read_file(read.question.pinned[1].set.file / "a.csv"), "x\n5\n");
  EXPECT_NE(read.question.pinned[1].set.file, read.question.set.file);
  EXPECT_THAT(read.compared, ElementsAre("bump-hunt", read.question.run));
  EXPECT_TRUE(fs::exists(folder_ / "sent/runs/a" / run_file::config));
  EXPECT_FALSE(fs::exists(folder_ / "sent/runs/a" / run_file::cache));
  EXPECT_FALSE(fs::exists(folder_ / "sent/runs/a/secret.csv")) << "nothing of a person's own goes along";
}

TEST_F(SessionFile, IsPackedIntoANewFolderOrNowhere) {
  fs::create_directory(folder_ / "full");
  write_file(folder_ / "full/mine", "x");
  EXPECT_THROW(pack_session(full(), folder_ / "full"), Error);
  EXPECT_THROW(pack_session(full(), folder_ / "no/such/place"), Error);
  fs::create_directory(folder_ / "empty");
  EXPECT_NO_THROW(pack_session(full(), folder_ / "empty"));
  EXPECT_THROW(pack_session(full(), folder_ / "stopped", [] { return false; }), Stopped);
  EXPECT_FALSE(fs::exists(folder_ / "stopped"));
  SavedSession missing = full();
  missing.question.set.file = home_ / "gone.csv";
  EXPECT_THROW(pack_session(missing, folder_ / "missing"), Error);
  EXPECT_FALSE(fs::exists(folder_ / "missing"));
  EXPECT_EQ(read_file(folder_ / "full/mine"), "x");
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_THAT(entry.path().filename().string(), ::testing::AnyOf("home", "full", "empty")) << "nothing is left";
}

TEST_F(SessionFile, IsNotPackedIntoTheDataThatGoAlong) {
  fs::create_directory(home_ / "sets");
  write_file(home_ / "sets/a.csv", "x\n1\n");
  SavedSession session = full();
  session.question.set.file = home_ / "sets";
  session.question.set.columns.clear();
  try {
    pack_session(session, home_ / "sets/packed");
    ADD_FAILURE() << "it was packed into its own data";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("choose a folder outside of that"));
  }
  EXPECT_FALSE(fs::exists(home_ / "sets/packed"));
}

TEST_F(SessionFile, NoByteOfItChangesUnnoticed) {
  write_session(home_ / "s.pairs", full());
  const std::string text = read_file(home_ / "s.pairs");
  const std::size_t seal = text.rfind("# checksum ");
  ASSERT_NE(seal, std::string::npos);
  for (std::size_t at = 0; at < seal; at += 3) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_NE(refusal(changed), "") << at;
  }
  EXPECT_THAT(refusal(text.substr(0, seal)), HasSubstr("was cut short"));
  const std::size_t first = text.find('\n') + 1;
  EXPECT_EQ(refusal(text.substr(first, seal - first)), "") << "a person may take the lines out";
}

}  // namespace
}  // namespace pairs
