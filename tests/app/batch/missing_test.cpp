// Observations with a missing value: refused with their count and the first place, or left out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class MissingValues : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    write_file(folder_ / name, text);
    return path(name);
  }
  Answer infer(const std::string& data, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"infer", "gaussian", "--data", data, "--out", path("out.npz"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }
  json answer(const std::string& data, const std::vector<std::string>& more = {}) const {
    const Answer said = infer(data, more);
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    return json::parse(said.out);
  }
  // Refused by default with count and place; without the rows it is what the whole rows answer.
  void expect_dropped(const std::string& data, std::int64_t dropped, const std::string& place,
                      const std::vector<std::string>& more = {}) const {
    SCOPED_TRACE(data);
    const Answer refused = infer(data, more);
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.out, AllOf(HasSubstr(place), HasSubstr("--missing drop")));
    std::vector<std::string> words = more;
    words.insert(words.end(), {"--missing", "drop"});
    const Answer said = infer(data, words);
    ASSERT_EQ(said.code, 0) << said.out;
    EXPECT_THAT(said.err, HasSubstr("missing at random"));
    const json left = json::parse(said.out), whole = answer(whole_);
    EXPECT_EQ(left["n"], whole["n"]);
    EXPECT_EQ(left["dropped"], dropped);
    EXPECT_EQ(left["mean"], whole["mean"]);
    EXPECT_EQ(left["quantiles"], whole["quantiles"]);
    EXPECT_THAT(left["warnings"].dump(), HasSubstr("missing at random"));
  }

  TemporaryFolder folder_;
  const std::string whole_ = file("whole.csv", "x1,x2\n-1,2\n-0.8,2.2\n-1.3,1.7\n-1.1,2.4\n");
};

TEST_F(MissingValues, OfTextsAreLeftOut) {
  expect_dropped(file("a.csv", "x1,x2\n-1,2\n-0.8,2.2\nNA,1\n-1.3,1.7\n-1.1,2.4\n3,\n"), 2, "a.csv, line 4");
  expect_dropped(file("b.csv", "note,x2,x1\nNA,2,-1\nNA,inf,-1\n,2.2,-0.8\nx,1.7,-1.3\nNA,2.4,-1.1\n"), 1,
                 "b.csv, line 3");
  const json clean = answer(file("c.csv", "x1,x2,note\n-1,2,NA\n-0.8,2.2,\n-1.3,1.7,x\n-1.1,2.4,\n"));
  EXPECT_FALSE(clean.contains("dropped")) << "columns that nobody needs may lack values";
  EXPECT_EQ(answer(whole_, {"--missing", "drop"})["dropped"], 0);
  const Answer none = infer(file("none.csv", "x1,x2\nNA,1\n1,NA\n"), {"--missing", "drop"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.out, HasSubstr("none is left"));
}

TEST_F(MissingValues, OfArraysAreLeftOut) {
  const torch::Tensor x =
      torch::tensor({{-1.0, 2.0}, {kNone, 1.0}, {-0.8, 2.2}, {-1.3, 1.7}, {-1.1, 2.4}}, torch::kFloat64);
  write_npz(folder_ / "x.npz", {{"x", x}});
  expect_dropped(path("x.npz"), 1, "column x1 of row 2");
  write_npz(folder_ / "columns.npz", {{"x1", x.select(1, 0).contiguous()}, {"x2", x.select(1, 1).contiguous()}});
  expect_dropped(path("columns.npz"), 1, "column x1 of row 2");
  EXPECT_EQ(answer(path("x.npz"), {"--n", "3", "--missing", "drop"})["n"], 3) << "N counts those that are whole";
}

TEST_F(MissingValues, OfManySetsAreLeftOutSetBySet) {
  const std::string table =
      "species,x1,x2\na,-1,2\na,-0.8,2.2\nb,1,1\na,NA,5\na,-1.3,1.7\nb,NA,NA\na,-1.1,2.4\nc,0,0\n";
  file("many.csv", table);
  torch::Tensor x = torch::tensor(
      {{-1.0, 2.0}, {-0.8, 2.2}, {1.0, 1.0}, {kNone, 5.0}, {-1.3, 1.7}, {kNone, kNone}, {-1.1, 2.4}, {0.0, 0.0}},
      torch::kFloat64);
  write_npz(folder_ / "many.npz", {{"x", x}, {"species", torch::tensor({0, 0, 1, 0, 0, 1, 0, 2}, torch::kInt64)}});
  std::filesystem::create_directories(folder_ / "many");
  write_file(folder_ / "many/a.csv", "x1,x2\n-1,2\n-0.8,2.2\nNA,5\n-1.3,1.7\n-1.1,2.4\n");
  write_file(folder_ / "many/b.csv", "x1,x2\n1,1\nNA,NA\n");
  write_file(folder_ / "many/c.csv", "x1,x2\n0,0\n");
  const json whole = answer(whole_);
  for (const std::string& data : {path("many.csv"), path("many.npz"), path("many")}) {
    SCOPED_TRACE(data);
    std::vector<std::string> words = {"infer", "gaussian", "--data", data, "--out", path("rows.json"), "--json"};
    if (data != path("many")) words.insert(words.end(), {"--group", "species"});
    const Answer refused = run_words(words);
    EXPECT_EQ(refused.code, 1);
    const json some = json::parse(refused.out);
    EXPECT_EQ(some["answered"], 1);
    for (const json& row : some["sets"])
      if (row.contains("error")) {
        EXPECT_THAT(row["error"].get<std::string>(), HasSubstr("--missing drop"));
      }
    words.insert(words.end(), {"--missing", "drop"});
    const Answer said = run_words(words);
    ASSERT_EQ(said.code, 0) << said.out << said.err;
    EXPECT_THAT(said.err, HasSubstr("2 observations of 2 sets have a value that is missing"));
    const json all = json::parse(said.out);
    EXPECT_EQ(all["answered"], 3);
    EXPECT_EQ(all["dropped"], 2);
    EXPECT_EQ(all["sets"][0]["n"], 4);
    EXPECT_EQ(all["sets"][0]["dropped"], 1);
    EXPECT_EQ(all["sets"][0]["mean"], whole["mean"]);
    EXPECT_THAT(all["sets"][0]["warnings"].dump(), HasSubstr("missing at random"));
    EXPECT_EQ(all["sets"][1]["n"], 1);
    EXPECT_FALSE(all["sets"][2].contains("dropped"));
    if (data == path("many")) continue;
    const json alone =
        answer(data, {"--group", "species", "--member", data == path("many.csv") ? "a" : "0", "--missing", "drop"});
    EXPECT_EQ(alone["mean"], whole["mean"]);
    EXPECT_EQ(alone["dropped"], 1);
  }
}

TEST_F(MissingValues, OfImagesAndItemsAreRefusedInASentence) {
  write_npz(folder_ / "images.npz", {{"x", torch::rand({3, 1, 28, 28})}});
  const Answer images =
      run_words({"infer", "digits", "--data", path("images.npz"), "--missing", "drop", "--out", path("i.npz")});
  EXPECT_EQ(images.code, 2);
  EXPECT_THAT(images.err, HasSubstr("--missing drop leaves out rows, and observations of task digits are images"));
  const Answer table = infer(whole_, {"--table", "EVENTS"});
  EXPECT_EQ(table.code, 2);
  EXPECT_THAT(table.out, HasSubstr("--table names one of the tables"));
}

TEST_F(MissingValues, OfAFileOfOtherColumnsTheSentenceNamesTheOption) {
  const Answer other = infer(file("other.csv", "u,v\n1,2\n"));
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.out, HasSubstr("--columns"));
  EXPECT_THAT(other.out, Not(HasSubstr("drop the first line")));
}

}  // namespace
}  // namespace pairs::batch
