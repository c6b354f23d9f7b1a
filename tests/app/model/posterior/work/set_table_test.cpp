// Many sets in the window: their table agrees with `infer --group`, to the byte of the exported file.
#include "app/model/posterior/work/set_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/model/posterior/posterior.h"
#include "app/model/posterior/work/report_saving.h"
#include "app/model/posterior/work/sample_saving.h"
#include "core/base/files/files.h"
#include "core/report/shades.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/app/compared_run.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

using testing::HasSubstr;

constexpr double kLongEnough = 120;

class SetTableTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // Sets "1" to "9", of which "4" has a wrong line, and "10", whose rows stand in no order.
  std::string sets() const {
    std::string text = "run,x\n";
    for (int row = 0; row < 12; ++row)
      for (int set = 1; set <= 10; ++set)
        if (row < 2 * set) text += fmt::format("{},{:.3f}\n", set, 2 * std::sin(1.7 * set + 2.3 * row));
    write_file(path("sets.csv"), text + "4,zero\n");
    return path("sets.csv");
  }
  void settle() { ASSERT_TRUE(posterior_.wait(kLongEnough)) << posterior_.activity(); }
  void open() {
    posterior_.open("bump-hunt");
    settle();
    posterior_.sets.open(sets(), "run");
    settle();
  }
  // Names from the top.
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const std::size_t row : table().order()) all.push_back(table().row(row).name);
    return all;
  }
  SetTable& table() { return posterior_.sets.table(); }
  std::size_t place(const std::string& name) {
    const std::vector<std::string> all = names();
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin());
  }
  std::size_t column(SetColumn::Kind kind) {
    std::size_t k = 0;
    while (table().columns()[k].kind != kind) ++k;
    return k;
  }
  void choose(const std::string& name, SetClick click = SetClick::alone) {
    posterior_.sets.choose(place(name), click);
    settle();
  }

  Hub hub_{built_in_tasks()};
  TemporaryFolder folder_;
  Posterior posterior_{hub_};
};

TEST_F(SetTableTest, ExportsTheFilesOfInferToTheByte) {
  open();
  EXPECT_EQ(table().rows(), 10u);
  EXPECT_EQ(table().failed(), 1);
  EXPECT_EQ(table().progress_text(), "10 sets, 1 not answered");
  for (const std::string ending : {".csv", ".json", ".npz", ".tex"}) {
    ASSERT_EQ(table().save(path("window" + ending)), "");
    settle();
    ASSERT_EQ(table().job().take()->failure, "") << ending;
    const batch::Answer answer = batch::run_words(
        {"infer", "bump-hunt", "--data", path("sets.csv"), "--group", "run", "--out", path("infer" + ending)});
    EXPECT_EQ(answer.code, 1) << "one set is bad: " << answer.err;
    EXPECT_TRUE(read_file(path("window" + ending)) == read_file(path("infer" + ending))) << ending;
  }
  EXPECT_THAT(table().save(path("window.nc")), HasSubstr("holds samples"));
  EXPECT_EQ(table().save(path("window.xlsx")), "The file's name must end in .csv, .json, .npz or .tex");
}

TEST_F(SetTableTest, ExactPosteriorsStandBesideWhereTheyAreAskedFor) {
  open();
  EXPECT_EQ(table().no_exact(), "");
  const std::size_t before = table().columns().size();
  table().set_exact(true);
  settle();
  EXPECT_EQ(table().columns().size(), before + 3);
  const SetRow& row = table().row(6);
  const batch::Answer answer = batch::run_words(
      {"infer", "bump-hunt", "--data", path("sets.csv"), "--group", "run", "--exact", "--out", path("infer.csv")});
  EXPECT_EQ(answer.code, 1) << "one set is bad: " << answer.err;
  ASSERT_EQ(row.exact.size(), 1u);
  EXPECT_EQ(table().cell(row, table().columns()[column(SetColumn::Kind::exact_mean)]),
            fmt::format("{:.5g}", row.exact[0].mean));
  EXPECT_EQ(table().cell(row, table().columns()[column(SetColumn::Kind::kl)]), fmt::format("{:.3g}", row.kl));
  EXPECT_EQ(table().cell(table().row(3), table().columns()[column(SetColumn::Kind::kl)]), "–") << "not answered";
  table().sort_by(column(SetColumn::Kind::kl));
  EXPECT_LE(table().row(table().order()[0]).kl, table().row(table().order()[1]).kl);
  ASSERT_EQ(table().save(path("window.csv")), "");
  settle();
  ASSERT_EQ(table().job().take()->failure, "");
  EXPECT_TRUE(read_file(path("window.csv")) == read_file(path("infer.csv")));
  table().set_exact(false);
  settle();
  EXPECT_EQ(table().columns().size(), before);
}

// Every set is answered by the run at once, and then by its likelihood where that is better at the set's N.
TEST_F(SetTableTest, SetsAreRefinedWhereThatIsBetter) {
  make_compared_run(path("run"));
  posterior_.open(path("run"));
  settle();
  posterior_.sets.open(sets(), "run");
  settle();
  ASSERT_TRUE(table().result().refines);
  EXPECT_EQ(table().progress_text(), "10 sets, 1 not answered");
  const std::size_t by = column(SetColumn::Kind::source);
  const auto source_of = [&](std::size_t row) { return table().cell(table().row(row), table().columns()[by]); };
  EXPECT_EQ(source_of(0), "run") << "N = 2";
  EXPECT_EQ(source_of(3), "–") << "not answered";
  EXPECT_EQ(source_of(9), "likelihood") << "N = 20";
  const double refined = table().row(9).numbers[0].mean;
  const auto exported = [&](const std::vector<std::string>& more) {
    ASSERT_EQ(table().save(path("window.csv")), "");
    settle();
    ASSERT_EQ(table().job().take()->failure, "");
    std::vector<std::string> words = {"infer",   path("run"), "--data", path("sets.csv"),
                                      "--group", "run",       "--out",  path("infer.csv")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(batch::run_words(words).code, 1) << "one set is bad";
    EXPECT_EQ(read_file(path("window.csv")), read_file(path("infer.csv")));
  };
  exported({});
  posterior_.options.set_source(SourceWish::both);
  settle();
  EXPECT_NEAR(table().row(9).refined[0].mean, refined, 1e-9);
  EXPECT_NE(table().row(9).numbers[0].mean, refined);
  EXPECT_EQ(table().cell(table().row(9), table().columns()[column(SetColumn::Kind::refined_mean)]),
            fmt::format("{:.5g}", refined));
  exported({"--refine"});
  posterior_.options.set_source(SourceWish::run);
  settle();
  EXPECT_FALSE(table().result().refines);
  exported({"--source", "run"});
}

// The window refuses what infer refuses, in the same words, until the user selects the observations.
TEST_F(SetTableTest, AFileOfMoreThanCanBeAskedAboutIsRefusedAsByInfer) {
  posterior_.open("bump-hunt");
  settle();
  std::string rows = "run,x\n";
  for (int i = 0; i < 150; ++i) rows += fmt::format("{},{}\n", i % 3, 0.01 * i);
  write_file(path("large.csv"), rows);
  posterior_.set.open_file(path("large.csv"));
  settle();
  const auto large = posterior_.set.take_large_set();
  ASSERT_TRUE(large);
  EXPECT_FALSE(posterior_.set.take_large_set()) << "once";
  EXPECT_FALSE(posterior_.set.take_broken_table());
  EXPECT_EQ(large->held, 150);
  EXPECT_EQ(large->most, 100);
  EXPECT_THAT(large->spare, testing::ElementsAre("run"));
  EXPECT_TRUE(posterior_.scene()->simulated) << "nothing of it is answered";
  const batch::Answer answer = batch::run_words({"infer", "bump-hunt", "--data", path("large.csv")});
  EXPECT_NE(answer.code, 0);
  EXPECT_THAT(answer.err, HasSubstr(large->sentence));
  posterior_.set.open_part(large->choice, 7);
  settle();
  EXPECT_EQ(posterior_.scene()->set_size, 150);
  EXPECT_EQ(posterior_.scene()->choice.random, 7u);
  posterior_.set.choose_random({});
  settle();
  EXPECT_FALSE(posterior_.scene()->choice.random) << "what was chosen once may be chosen otherwise";
  EXPECT_EQ(posterior_.set.failure(), "");
  // As many as can be asked about are no question.
  rows.resize(rows.find("\n1,1\n") + 1);
  write_file(path("hundred.csv"), rows);
  posterior_.set.open_file(path("hundred.csv"));
  settle();
  EXPECT_FALSE(posterior_.set.take_large_set());
  EXPECT_EQ(posterior_.scene()->set_size, 100);
}

// A wrong row keeps a table from being one set; as many sets it loses one, as on the command line.
TEST_F(SetTableTest, OneWrongRowLosesItsSetAlone) {
  posterior_.open("bump-hunt");
  settle();
  posterior_.set.open_file(sets());
  settle();
  const auto broken = posterior_.set.take_broken_table();
  ASSERT_TRUE(broken);
  EXPECT_EQ(broken->file, path("sets.csv"));
  EXPECT_THAT(broken->spare, testing::ElementsAre("run"));
  EXPECT_THAT(broken->sentence, HasSubstr("zero"));
  EXPECT_FALSE(posterior_.set.take_broken_table()) << "once";
  EXPECT_EQ(posterior_.set.failure(), "");
  EXPECT_TRUE(posterior_.scene()->simulated) << "the set before it stays";
  posterior_.sets.open(broken->file, broken->spare.front(), broken->columns);
  settle();
  EXPECT_EQ(table().failed(), 1);
  EXPECT_THAT(table().row(table().order()[place("4")]).problem, HasSubstr("zero"));
  // Without another column, nothing can identify the sets.
  write_file(path("one.csv"), "x\n1\ntwo\n");
  posterior_.set.open_file(path("one.csv"));
  settle();
  EXPECT_FALSE(posterior_.set.take_broken_table());
  EXPECT_THAT(posterior_.set.failure(), HasSubstr("two"));
  // Columns that the user selected for x cannot identify the sets.
  write_file(path("other.csv"), "run,energy\n1,0.5\n1,oops\n2,0.7\n");
  posterior_.set.open_file(path("other.csv"), {"energy"});
  settle();
  const auto other = posterior_.set.take_broken_table();
  ASSERT_TRUE(other);
  EXPECT_THAT(other->spare, testing::ElementsAre("run"));
  EXPECT_THAT(other->columns, testing::ElementsAre("energy"));
}

TEST_F(SetTableTest, TheChosenSetIsShownAsInferAnswersItAlone) {
  open();
  ASSERT_EQ(table().chosen(), std::vector<std::size_t>{0}) << "the first, by itself";
  for (const std::string name : {"1", "7", "10"}) {
    choose(name);
    EXPECT_EQ(posterior_.scene()->set_name, name);
    const SetRow& row = table().row(table().chosen().front());
    ASSERT_EQ(posterior_.shown()->n, row.n);
    const TargetNumbers &shown = posterior_.shown()->series.front().targets[0], &reported = row.numbers[0];
    EXPECT_EQ(shown.mean, reported.mean) << name;
    EXPECT_EQ(shown.sd, reported.sd) << name;
    EXPECT_EQ(shown.quantiles, reported.quantiles) << name;
    EXPECT_EQ(posterior_.shown()->typicality.distance, row.typicality.distance) << name;
  }
  EXPECT_THAT(posterior_.batch_command(), HasSubstr("--group run --member 10"));
  EXPECT_FALSE(posterior_.files.report_asked());
  ASSERT_TRUE(posterior_.files.samples_asked());
  EXPECT_EQ(posterior_.files.samples_asked()->question.set.member, "10");
}

TEST_F(SetTableTest, OthersStandBesideItUnderTheirNames) {
  open();
  choose("7");
  choose("2", SetClick::toggled);
  choose("9", SetClick::toggled);
  const auto series = [&] {
    std::vector<std::string> all;
    for (const PosteriorNumbers& one : posterior_.shown()->series)
      if (base_role(one.role) == SeriesRole::ghost) all.push_back(one.name);
    return all;
  };
  EXPECT_EQ(series(), (std::vector<std::string>{"2", "9"}));
  for (const PosteriorNumbers& one : posterior_.shown()->series)
    if (base_role(one.role) == SeriesRole::ghost) {
      const TargetNumbers& reported = table().row(table().order()[place(one.name)]).numbers[0];
      EXPECT_EQ(one.targets[0].mean, reported.mean) << one.name;
      EXPECT_EQ(one.targets[0].sd, reported.sd) << one.name;
    }
  EXPECT_EQ(posterior_.scene()->set_name, "7");
  choose("2", SetClick::toggled);
  EXPECT_EQ(series(), std::vector<std::string>{"9"});
  choose("1");
  EXPECT_TRUE(series().empty());
  choose("10", SetClick::range);
  EXPECT_EQ(table().chosen().size(), 1 + SetTable::most_shown_with) << "no more than can be told apart";
}

TEST_F(SetTableTest, ASetThatCannotBeReadLeavesTheShownOneChosen) {
  open();
  choose("7");
  choose("2", SetClick::toggled);
  choose("4", SetClick::toggled);
  EXPECT_EQ(table().chosen(), (std::vector<std::size_t>{place("7"), place("2")})) << "nothing of it can stand beside";
  choose("4");
  EXPECT_NE(posterior_.set.failure(), "");
  EXPECT_EQ(posterior_.scene()->set_name, "7");
  EXPECT_EQ(table().chosen(), std::vector<std::size_t>{place("7")});
  choose("9", SetClick::toggled);
  EXPECT_EQ(table().chosen(), (std::vector<std::size_t>{place("7"), place("9")}));
  EXPECT_NE(posterior_.set.failure(), "") << "until another set is there, or it is dismissed";
  choose("1");
  EXPECT_EQ(posterior_.set.failure(), "");
  EXPECT_EQ(posterior_.scene()->set_name, "1");
}

TEST_F(SetTableTest, AFileThatVanishedIsNotChosen) {
  std::filesystem::create_directories(folder_ / "sets");
  for (int set = 0; set < 3; ++set)
    write_file(folder_ / fmt::format("sets/{}.csv", set), fmt::format("0.{}\n1.2\n", set));
  posterior_.open("bump-hunt");
  settle();
  posterior_.sets.open(folder_ / "sets", "");
  settle();
  std::filesystem::remove(folder_ / "sets/1.csv");
  choose("1.csv");
  EXPECT_NE(posterior_.set.failure(), "");
  EXPECT_EQ(posterior_.scene()->set_name, "0.csv");
  EXPECT_EQ(table().chosen(), std::vector<std::size_t>{0});
  // Opening other sets clears the error of the removed one.
  posterior_.sets.open(sets(), "run");
  EXPECT_EQ(posterior_.set.failure(), "");
  settle();
  EXPECT_EQ(posterior_.set.failure(), "");
  EXPECT_EQ(posterior_.scene()->set_name, "1");
}

TEST_F(SetTableTest, IsSortedByAnyColumn) {
  open();
  const std::vector<std::string> file = names();
  EXPECT_EQ(file.front(), "1");
  table().sort_by(column(SetColumn::Kind::name));
  EXPECT_EQ(names(), (std::vector<std::string>{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}))
      << "numbers by their size";
  using Kind = SetColumn::Kind;
  const auto number = [&](std::size_t row, Kind kind) {
    const SetRow& one = table().row(row);
    return kind == Kind::n          ? static_cast<double>(one.n)
           : kind == Kind::mean     ? one.numbers[0].mean
           : kind == Kind::sd       ? one.numbers[0].sd
           : kind == Kind::interval ? one.numbers[0].most(IntervalKind::central).low
                                    : one.typicality.percentile;
  };
  for (const Kind kind : {Kind::n, Kind::mean, Kind::sd, Kind::interval, Kind::percentile})
    for (const bool down : {false, true}) {
      table().sort_by(column(kind));
      ASSERT_EQ(table().down(), down);
      const std::vector<std::size_t>& rows = table().order();
      EXPECT_EQ(table().row(rows.back()).name, "4") << "without numbers, last";
      for (std::size_t k = 0; k + 2 < rows.size(); ++k) {
        const double a = number(rows[k], kind), b = number(rows[k + 1], kind);
        EXPECT_TRUE(down ? a >= b : a <= b) << static_cast<int>(kind) << " " << down << " " << k;
      }
    }
  table().sort_by(column(Kind::percentile));
  EXPECT_EQ(names(), file) << "the third time as in the file";
  const SetColumn check = table().columns()[column(Kind::check)];
  table().sort_by(column(Kind::check));
  table().sort_by(column(Kind::check));
  for (std::size_t k = 0; k + 1 < names().size(); ++k)
    EXPECT_GE(table().cell(table().row(table().order()[k]), check),
              table().cell(table().row(table().order()[k + 1]), check));
  EXPECT_THAT(table().cell(table().row(3), check), HasSubstr("not answered: "));
  const auto drawn = table().forest();
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->plots[0].y.names.size(), 9u);
}

TEST_F(SetTableTest, AFolderIsATableOfItsFiles) {
  std::filesystem::create_directories(folder_ / "sets");
  for (int set = 0; set < 3; ++set)
    write_file(folder_ / fmt::format("sets/{}.csv", set), fmt::format("0.{}\n1.2\n", set));
  posterior_.open("bump-hunt");
  settle();
  posterior_.set.open_file(folder_ / "sets");
  settle();
  EXPECT_EQ(names(), (std::vector<std::string>{"0.csv", "1.csv", "2.csv"}));
  EXPECT_EQ(posterior_.scene()->set_name, "0.csv");
  // It is there again after a visit to another task, and after a restart.
  const Question remembered = posterior_.question();
  EXPECT_TRUE(remembered.many);
  posterior_.open("gaussian");
  settle();
  EXPECT_FALSE(table().is_open());
  posterior_.open("bump-hunt");
  settle();
  EXPECT_EQ(posterior_.scene()->set_name, "0.csv");
  EXPECT_EQ(names().size(), 3u);
  Posterior later(hub_);
  later.open("bump-hunt");
  later.restore(remembered);
  ASSERT_TRUE(later.wait(kLongEnough));
  EXPECT_EQ(later.sets.table().rows(), 3u);
  EXPECT_EQ(later.scene()->set_name, "0.csv");
  posterior_.sets.close();
  settle();
  EXPECT_FALSE(table().is_open());
  EXPECT_TRUE(posterior_.scene()->simulated);
}

TEST_F(SetTableTest, ClosedTheFileIsOneSet) {
  open();
  choose("3");
  write_file(path("sets.csv"), "run,x\n1,0.5\n2,0.7\n");
  posterior_.sets.close();
  settle();
  EXPECT_FALSE(table().is_open());
  EXPECT_EQ(posterior_.scene()->set_size, 2);
  EXPECT_EQ(posterior_.scene()->choice.member, "");
}

TEST_F(SetTableTest, SaysWhyThereAreNoSets) {
  posterior_.open("bump-hunt");
  settle();
  posterior_.sets.open(sets(), "day");
  settle();
  EXPECT_THAT(table().result().failure, HasSubstr("has no column day to separate sets by"));
  EXPECT_TRUE(posterior_.scene()->simulated) << "the set before it stays";
}

}  // namespace
}  // namespace pairs::model
