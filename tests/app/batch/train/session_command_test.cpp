#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "app/session/session.h"
#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using testing::HasSubstr;

class SessionCommand : public testing::Test {
 protected:
  SessionCommand() {
    write_file(folder_ / "events.csv", "x\n0.1\n0.7\n-0.3\n");
    SavedSession session;
    session.task = session.question.run = "bump-hunt";
    session.question.set.file = folder_ / "events.csv";
    session.question.n = 2;
    session.question.prior = "beta(2, 8)";
    session.question.tests = {"local", "predictive"};
    session.note = "two\nlines";
    session.question.pinned = {{"N = 10, set 3", "bump-hunt", {.index = 3}, 10}};
    stamp_session(session, built_in_tasks(), "");
    write_session(file_, session);
  }
  TemporaryFolder folder_;
  std::string file_ = (folder_ / "s.pairs").string();
};

TEST_F(SessionCommand, SaysWhatASessionHoldsAndTheCommandThatDrawsIt) {
  const Answer reported = run_words({"session", file_});
  EXPECT_EQ(reported.code, 0) << reported.err;
  EXPECT_THAT(reported.out, HasSubstr("note        two\n            lines\n"));
  EXPECT_THAT(reported.out, HasSubstr("prior       beta(2, 8)\ntests       local, predictive\n"));
  EXPECT_THAT(reported.out, HasSubstr("pinned      N = 10, set 3\n"));
  EXPECT_THAT(reported.out, HasSubstr("pairs --batch figure posterior bump-hunt --data " +
                                      (folder_ / "events.csv").string() + " --n 2\n"));
  const auto document = nlohmann::json::parse(run_words({"session", file_, "--json"}).out);
  EXPECT_EQ(document["pinned"][0]["command"], "pairs --batch figure posterior bump-hunt --index 3 --n 10");
  EXPECT_TRUE(document["problems"].empty());
}

TEST_F(SessionCommand, SaysWhatIsMissingAndPacksNothingThen) {
  std::filesystem::remove(folder_ / "events.csv");
  const Answer reported = run_words({"session", file_});
  EXPECT_EQ(reported.code, 1);
  EXPECT_THAT(reported.out, HasSubstr("problem: The data"));
  const Answer packed = run_words({"session", file_, "--pack", (folder_ / "out").string()});
  EXPECT_EQ(packed.code, 1);
  EXPECT_THAT(packed.err, HasSubstr("nothing was packed"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

// A run that is there and cannot be opened is a problem, too.
TEST_F(SessionCommand, SaysWhichRunCannotBeOpened) {
  const RunFolder shipped = find_run(built_in_tasks(), "bump-hunt");
  const std::filesystem::path run = folder_ / "run";
  std::filesystem::copy(shipped.folder, run, std::filesystem::copy_options::recursive);
  SavedSession session;
  session.task = "bump-hunt";
  session.question.run = run.string();
  stamp_session(session, built_in_tasks(), "");
  write_session(file_, session);
  EXPECT_EQ(run_words({"session", file_}).code, 0);
  write_file(run / run_file::config, "task = \"bump-hunt\"\n[[\n");
  const Answer reported = run_words({"session", file_});
  EXPECT_EQ(reported.code, 1);
  EXPECT_THAT(reported.out, HasSubstr("problem: The run " + run.string() + " cannot be opened: "));
  EXPECT_THAT(reported.out, HasSubstr("run.toml"));
  const Answer packed = run_words({"session", file_, "--pack", (folder_ / "out").string()});
  EXPECT_EQ(packed.code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

// What the run cannot answer is a problem before the session is opened.
TEST_F(SessionCommand, SaysWhatOfTheQuestionCannotBeShown) {
  const std::pair<std::function<void(SavedSession&)>, const char*> changes[] = {
      {[](SavedSession& s) {
         s.question.derived = {"twice = 2*theta", "a = (("};
       },
       "The derived quantities"},
      {[](SavedSession& s) { s.question.prior = "normal(0"; }, "The other prior"},
      {[](SavedSession& s) { s.question.n = 4; }, "The set cannot be opened: --n"},
      {[](SavedSession& s) { s.question.set.columns = {"y"}; }, "The set cannot be opened: "},
      {[](SavedSession& s) { s.question.set.up = "y"; }, "--up belongs to items"},
      {[](SavedSession& s) { s.question.set.member = "a"; }, "--member names one of many sets"},
      {[](SavedSession& s) { s.question.pinned[0].n = 999999; }, "The pin N = 10, set 3 is of N = 999,999"},
      {[](SavedSession& s) { s.question.run = "gaussian"; }, "is of task gaussian, and the session of bump-hunt"},
  };
  for (const auto& [change, text] : changes) {
    SavedSession session = read_session(file_);
    change(session);
    stamp_session(session, built_in_tasks(), "");
    write_session(folder_ / "changed.pairs", session);
    const Answer reported = run_words({"session", (folder_ / "changed.pairs").string()});
    EXPECT_EQ(reported.code, 1) << text;
    EXPECT_THAT(reported.out, HasSubstr(text));
  }
}

TEST_F(SessionCommand, PacksWhatThenStandsAlone) {
  const std::string out = (folder_ / "out").string();
  EXPECT_EQ(run_words({"session", file_, "--pack", out}).code, 0);
  std::filesystem::remove(folder_ / "events.csv");
  EXPECT_EQ(run_words({"session", out}).code, 0);
  const Answer again = run_words({"session", out, "--pack", out});
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("holds something already"));
}

TEST_F(SessionCommand, RefusesWhatIsNoSession) {
  EXPECT_EQ(run_words({"session", (folder_ / "none.pairs").string()}).code, 1);
  write_file(folder_ / "bad.pairs", "session = 1\n[[");
  const Answer bad = run_words({"session", (folder_ / "bad.pairs").string()});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.pairs, line 2"));
  EXPECT_EQ(run_words({"session"}).code, 2);
}

}  // namespace
}  // namespace pairs::batch
