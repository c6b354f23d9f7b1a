#include "app/posterior/set/set_stream.h"

#if __has_include(<hdf5.h>)
#define H5_USE_110_API
#include <hdf5.h>
#endif

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

// Two numbers an observation, which files call otherwise and write in other units.
class SetStreamTest : public ::testing::Test {
 protected:
  SetStreamTest() {
    info_.name = "toy";
    info_.kind = ObservationKind::points;
    info_.observation_columns = {"U", "t"};
    info_.observation_shape = {2};
    info_.max_n = 100;
  }
  std::map<std::string, Observed> sets(const std::filesystem::path& file, const TableColumns& columns = {}) const {
    const auto stream = open_sets({.data = file, .group = "run", .columns = columns}, info_);
    std::map<std::string, Observed> all;
    ComingSet set;
    while (stream->next(set)) all[set.name] = set.read();
    EXPECT_EQ(static_cast<std::int64_t>(all.size()), stream->count());
    return all;
  }
  TaskInfo info_;
  TemporaryFolder folder_;
};

TEST_F(SetStreamTest, ConvertsTheColumnsOfEachSetAsThoseOfAFileOfItsOwn) {
  const TableColumns columns{.files = {{"U [mV]", 5, 1000, false, "V"}, {"time", 0, 2, true}}};
  const std::string rows[] = {"12.5,3\n-7,0.25\n", "1e3,8\n"};
  write_file(folder_ / "a.csv", "U [mV],time\n" + rows[0]);
  write_file(folder_ / "b.csv", "U [mV],time\n" + rows[1]);
  write_file(folder_ / "all.csv", "run,U [mV],time\na,12.5,3\nb,1e3,8\na,-7,0.25\n");
  const std::map<std::string, Observed> all = sets(folder_ / "all.csv", columns);
  for (const std::string name : {"a", "b"}) {
    const Observed own = read_observed_columns(folder_ / (name + ".csv"), info_, 100, columns);
    EXPECT_TRUE(torch::equal(all.at(name).x.block(), own.x.block())) << name;
    EXPECT_EQ(all.at(name).held, own.held);
  }
  EXPECT_FLOAT_EQ(all.at("a").x.block()[0][1].item<float>(), std::log(1.5f));
  write_file(folder_ / "bad.csv", "run,U [mV],time\na,1,-3\n");
  EXPECT_THROW(sets(folder_ / "bad.csv", columns), Error);
}

TEST_F(SetStreamTest, NamesOfSetsMayHoldQuotesAndMarks) {
  write_file(folder_ / "all.csv",
             "run,U,t\n\"the \"\"first\"\"\",1,2 # a comment\n\"b #2, c\",3,4\n\"the \"\"first\"\"\",5,6\n");
  const std::map<std::string, Observed> all = sets(folder_ / "all.csv");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at("the \"first\"").x.count(), 2);
  EXPECT_EQ(all.at("b #2, c").x.block()[0][1].item<double>(), 4);
}

TEST_F(SetStreamTest, BlanksBetweenQuotesBelongToTheNameOfASet) {
  write_file(folder_ / "all.csv", "run,U,t\n\"a\",1,2\n\"a \",3,4\n a ,5,6\n\" a\",\"7 \",\" 8\"\n");
  const std::map<std::string, Observed> all = sets(folder_ / "all.csv");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at("a").x.count(), 2);
  EXPECT_EQ(all.at("a ").x.block()[0][1].item<float>(), 4);
  EXPECT_EQ(all.at(" a").x.block()[0][0].item<float>(), 7);
  write_file(folder_ / "blank.csv", "run,U,t\na,1,2\n\" \",3,4\n");
  EXPECT_THROW(sets(folder_ / "blank.csv"), Error) << "a row of no set";
}

TEST_F(SetStreamTest, OneSetIsReadByItsName) {
  write_file(folder_ / "all.csv", "run,U,t\na,1,2\nb,3,4\na,5,6\n");
  const ManySets all{folder_ / "all.csv", "run"};
  EXPECT_EQ(read_one_set(all, "a", info_).x.count(), 2);
  EXPECT_EQ(read_one_set(all, "b", info_).x.block()[0][0].item<double>(), 3);
  EXPECT_THROW(read_one_set(all, "c", info_), Error);
  EXPECT_THROW(read_one_set({folder_ / "all.csv", ""}, "a", info_), Error);
}

#ifdef H5_USE_110_API

class Hdf5SetsTest : public SetStreamTest {
 protected:
  template <class Number>
  static void put(hid_t file, const std::string& name, hid_t type, const std::vector<hsize_t>& shape,
                  const std::vector<Number>& values) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t set = H5Dcreate2(file, name.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(set);
    H5Pclose(links);
    H5Sclose(space);
  }
  hid_t create(const std::string& name) const {
    return H5Fcreate((folder_ / name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  }
  static void expect_same_sets(const std::map<std::string, Observed>& read,
                               const std::map<std::string, Observed>& csv) {
    ASSERT_EQ(read.size(), csv.size());
    for (const auto& [name, set] : csv) {
      ASSERT_TRUE(read.contains(name)) << name;
      EXPECT_EQ(read.at(name).held, set.held) << name;
      EXPECT_TRUE(torch::equal(read.at(name).x.block(), set.x.block())) << name;
    }
  }
};

// Tables of numbers and of texts, together and scattered, hold what CSV files of the same values do.
TEST_F(Hdf5SetsTest, ATableIsReadAsTheCsvFileOfItsValues) {
  const TableColumns columns{.files = {{"U [mV]", 5, 1000, false, "V"}, {"time", 0, 2, true}}};
  const std::int64_t big = 9007199254740992;  // whole numbers of which a double tells no two apart
  for (const bool scattered : {false, true}) {
    std::string text = "U [mV],run,time,word\n", other = text;
    std::vector<double> u, t;
    std::vector<std::int64_t> run;
    std::vector<const char*> words;
    for (int k = 0; k < 300; ++k) {
      const int set = scattered ? k * k % 7 : k / 50;
      u.push_back(0.1 * k - 3.7);
      t.push_back(0.01 + k);
      run.push_back(big + set);
      words.push_back(set % 2 == 0 ? "even" : "odd");
      text += fmt::format("{},{},{},{}\n", u.back(), run.back(), t.back(), words.back());
    }
    write_file(folder_ / "all.csv", text);
    const hid_t file = create("all.h5");
    put(file, "U [mV]", H5T_NATIVE_DOUBLE, {300}, u);
    put(file, "time", H5T_NATIVE_DOUBLE, {300}, t);
    put(file, "run", H5T_NATIVE_INT64, {300}, run);
    const hid_t text_type = H5Tcopy(H5T_C_S1);
    H5Tset_size(text_type, H5T_VARIABLE);
    put(file, "word", text_type, {300}, words);
    H5Tclose(text_type);
    H5Fclose(file);
    for (const std::string group : {"run", "word"}) {
      const auto by = [&](const char* name) {
        const auto stream = open_sets({folder_ / name, group, columns}, info_);
        std::map<std::string, Observed> all;
        for (ComingSet set; stream->next(set);) all[set.name] = set.read();
        EXPECT_EQ(static_cast<std::int64_t>(all.size()), stream->count());
        return all;
      };
      expect_same_sets(by("all.h5"), by("all.csv"));
    }
    EXPECT_EQ(sets(folder_ / "all.h5", columns).size(), scattered ? 4u : 6u);
  }
  EXPECT_THROW(open_sets({folder_ / "all.h5", "day", columns}, info_), Error);
  EXPECT_THROW(open_sets({folder_ / "all.h5", "time", columns}, info_), Error);
}

TEST_F(Hdf5SetsTest, AFaultIsToldOfItsSetAlone) {
  const hid_t file = create("all.h5");
  put<double>(file, "U", H5T_NATIVE_DOUBLE, {5}, {1, 2, NAN, 4, 5});
  put<double>(file, "t", H5T_NATIVE_DOUBLE, {5}, {1, 2, 3, 4, 5});
  put<double>(file, "run", H5T_NATIVE_DOUBLE, {5}, {1, 2, 2, 1, NAN});
  H5Fclose(file);
  const auto stream = open_sets({folder_ / "all.h5", "run"}, info_);
  std::map<std::string, std::string> said;
  for (ComingSet set; stream->next(set);) {
    try {
      said[set.name] = fmt::format("{}", set.read().x.count());
    } catch (const Error& error) {
      said[set.name] = error.what();
    }
  }
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said.at("1"), "2");
  EXPECT_NE(said.at("2").find("the first in column U of row 3"), std::string::npos) << said.at("2");
  EXPECT_NE(said.at("(none)").find("row 5 does not name the set it belongs to"), std::string::npos);
}

TEST_F(Hdf5SetsTest, GroupsAreSets) {
  const hid_t file = create("all.h5");
  std::string text = "run,U,t\n";
  for (int set = 0; set < 4; ++set) {
    std::vector<double> u, t, both;
    const int rows = 3 + set;
    for (int k = 0; k < rows; ++k) {
      u.push_back(0.1 * k + set);
      t.push_back(0.7 * k - set);
      both.insert(both.end(), {u.back(), t.back()});
      text += fmt::format("day/{},{},{}\n", set, u.back(), t.back());
    }
    const std::string group = fmt::format("day/{}/", set);
    const auto count = static_cast<hsize_t>(rows);
    if (set % 2 == 0) {
      put(file, group + "x", H5T_NATIVE_DOUBLE, {count, 2}, both);
    } else {
      put(file, group + "U", H5T_NATIVE_DOUBLE, {count}, u);
      put(file, group + "t", H5T_NATIVE_DOUBLE, {count}, t);
      put(file, group + "weight", H5T_NATIVE_DOUBLE, {count}, t);
    }
  }
  put<double>(file, "about/version", H5T_NATIVE_DOUBLE, {1}, {2});
  H5Fclose(file);
  write_file(folder_ / "all.csv", text);
  const ManySets many{folder_ / "all.h5"};
  EXPECT_TRUE(holds_sets(many, info_));
  const auto stream = open_sets(many, info_);
  std::map<std::string, Observed> all;
  for (ComingSet set; stream->next(set);) all[set.name] = set.read();
  expect_same_sets(all, sets(folder_ / "all.csv"));
  EXPECT_EQ(left_out_text(*stream), "about is left out: no observations are read of it");
  EXPECT_FALSE(holds_sets({folder_ / "all.csv"}, info_));
  EXPECT_THAT(message_of([&] {
                (void)open_sets({folder_ / "all.h5", "run"}, info_);
              }),
              ::testing::AllOf(::testing::HasSubstr("holds 4 groups (day/0, ...), each of which is a set"),
                               ::testing::HasSubstr("leave --group out")));
}

#endif

TEST_F(SetStreamTest, AnEmptyFolderHoldsNothing) {
  std::filesystem::create_directory(folder_ / "sets");
  EXPECT_THAT(message_of([&] { (void)holds_sets({folder_ / "sets"}, info_); }),
              ::testing::HasSubstr("is an empty folder: put the observations into it, a file for each set"));
}

TEST_F(SetStreamTest, WhatFilesTellIsGivenIsReadBesideWhatIsKnownOfAll) {
  info_.given = {{"exposure", "exposure"}};
  write_file(folder_ / "told.csv", "run,U,t,exposure\na,1,2,3\nb,3,4,5\n");
  write_file(folder_ / "silent.csv", "run,U,t\na,1,2\nb,3,4\n");
  const auto given = [&](const std::filesystem::path& file) {
    const auto stream = open_sets({.data = file, .group = "run", .given_known = true}, info_);
    ComingSet set;
    return stream->next(set) ? set.read().given : torch::Tensor();
  };
  EXPECT_EQ(given(folder_ / "told.csv").item<double>(), 3);
  EXPECT_FALSE(given(folder_ / "silent.csv").defined());
}

TEST_F(SetStreamTest, CountsRowsBeyondThoseThatAreRead) {
  std::string text = "run,U,t\n";
  for (int k = 0; k < 7; ++k) text += fmt::format("a,{},1\n", k);
  write_file(folder_ / "all.csv", text);
  const auto stream = open_sets({.data = folder_ / "all.csv", .group = "run", .most = 3}, info_);
  ComingSet set;
  ASSERT_TRUE(stream->next(set));
  const Observed read = set.read();
  EXPECT_EQ(read.held, 7);
  EXPECT_EQ(read.x.count(), 3);
  EXPECT_FALSE(stream->next(set));
}

TEST_F(SetStreamTest, ReadsEveryObservationOfAnArrayBeyondOneSetsMost) {
  info_.max_n = 4;
  write_npz(folder_ / "all.npz", {{"x", torch::arange(24, torch::kFloat64).view({12, 2})},
                                  {"run", torch::tensor({0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 2}, torch::kInt64)}});
  const std::map<std::string, Observed> all = sets(folder_ / "all.npz");
  ASSERT_EQ(all.size(), 3u);
  for (const auto& [name, set] : all) EXPECT_EQ(set.x.count(), 4) << name;
  EXPECT_EQ(all.at("2").x.block()[3][1].item<double>(), 23);
}

// What is no text, and the text of its escape, are two sets; each is found by its listed name and as the file has it.
TEST_F(SetStreamTest, NamesThatAreNoTextAreToldApartAndCanBeGivenAgain) {
  const auto file = folder_ / "bytes.csv";
  write_file(file, "run,U,t\ncaf\xe9,1,0\ncaf\\xe9,2,0\nplain\\n,3,0\na\u202eb,4,0\na\\u202eb,5,0\n");
  const auto all = sets(file);
  ASSERT_EQ(all.size(), 5u);
  const auto first = [&](const std::string& name) {
    return read_one_set({.data = file, .group = "run"}, name, info_).x.block()[0][0].item<double>();
  };
  EXPECT_EQ(first("caf\xe9"), 1);
  EXPECT_EQ(first("caf\\xe9"), 1) << "as it is listed";
  EXPECT_EQ(first("caf\\\\xe9"), 2) << "as it is listed";
  EXPECT_EQ(first("plain\\n"), 3) << "a backslash that escapes nothing stands alone";
  EXPECT_EQ(first("a\u202eb"), 4);
  EXPECT_EQ(first("a\\\\u202eb"), 5);
  for (const auto& [name, observed] : all) EXPECT_EQ(first(name), observed.x.block()[0][0].item<double>()) << name;
}

}  // namespace
}  // namespace pairs
