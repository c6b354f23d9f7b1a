#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/kinds/observed.h"
#include "app/posterior/set/set_stream.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/tables/table_writers.h"

// Tables of points by the names of their columns, and how a task describes these.

namespace pairs {
namespace {

using ::testing::HasSubstr;

class ObservedTables : public ::testing::Test {
 protected:
  static TaskInfo info(std::vector<std::string> columns) {
    TaskInfo task;
    task.name = "dots";
    task.file = "task.toml";  // a person's own: float64
    task.targets.push_back({"a", "a", "", 0, 1, 0, 1, 1, 0, 1});
    task.kind = ObservationKind::points;
    task.observation_shape = {static_cast<std::int64_t>(columns.size())};
    task.observation_columns = std::move(columns);
    task.max_n = 100;
    return task;
  }
  torch::Tensor read(const std::string& name, const TaskInfo& task, const TableColumns& columns = {}) const {
    return read_observed_columns(folder_ / name, task, 1 << 20, columns).x.block();
  }
  std::string refusal(const std::string& name, const TaskInfo& task, const TableColumns& columns = {}) const {
    try {
      read(name, task, columns);
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  }
  void write(const std::string& name, const std::string& text) const { write_file(folder_ / name, text); }
  // 1,000 rows of energy and hits as FITS; false where this build does not read it.
  bool write_thousand() const {
    std::vector<double> energy;
    std::vector<std::int16_t> hits;
    for (int i = 0; i < 1000; ++i) {
      energy.push_back(1 / (1.0 + i));
      hits.push_back(static_cast<std::int16_t>(i - 500));
    }
    pairs::table_files::write_fits(folder_ / "a.fits", energy, hits);
    return refusal("a.fits", info({"energy", "hits"})).find("-DPAIRS_FITS=ON") == std::string::npos;
  }
  TemporaryFolder folder_;
};

TEST_F(ObservedTables, MillivoltsAreVoltsToTheBit) {
  std::string volts = "t,U\n", millivolts = "t,U [mV],sensor\n";
  for (int i = 1; i < 3000; ++i) {
    const int digits = i * 7919 % 100000;
    volts += fmt::format("{},{}.{:03}\n", i, digits / 1000, digits % 1000);
    millivolts += fmt::format("{},{},{}\n", i, digits, i % 4 == 0 ? "left" : "right");
  }
  write("volts.csv", volts);
  write("millivolts.csv", millivolts);
  const TaskInfo task = info({"U", "t"});
  const std::vector<FileColumn> files = {{"U [mV]", 0, 1000, false, "V"}, {"t"}};
  EXPECT_TRUE(read("millivolts.csv", task, {.files = files}).equal(read("volts.csv", task)));
  EXPECT_THAT(refusal("volts.csv", task, {.files = files}), HasSubstr("U [mV]")) << "names what is missing";
}

TEST_F(ObservedTables, LogarithmsComeAfterTheLinearTransform) {
  write("a.csv", "w\n12\n110\n");
  const torch::Tensor x = read("a.csv", info({"v"}), {.files = {{"w", 10, 2, true}}});
  EXPECT_EQ(x[0].item<double>(), 0);
  EXPECT_EQ(x[1].item<double>(), std::log(50.0));
  write("b.csv", "w\n12\n10\n");
  EXPECT_THAT(refusal("b.csv", info({"v"}), {.files = {{"w", 10, 2, true}}}),
              HasSubstr("b.csv: column w of row 2 is 10, which has no logarithm"));
}

TEST_F(ObservedTables, ArraysOfAnNpzAreColumns) {
  const torch::Tensor u = torch::arange(5, torch::kFloat64), v = torch::arange(5, torch::kInt64) * 10;
  write_npz(folder_ / "a.npz", {{"u", u}, {"v", v}, {"other", torch::zeros({3, 3})}});
  EXPECT_TRUE(read("a.npz", info({"v", "u"})).equal(torch::stack({v.to(torch::kFloat64), u}, 1)));
  EXPECT_TRUE(read("a.npz", info({"v", "u"}), {.files = {{"v", 0, 10}, {"u"}}}).equal(torch::stack({u, u}, 1)));
  write_npz(folder_ / "x.npz", {{"x", torch::stack({u, u}, 1)}, {"u", u}, {"v", v}});
  EXPECT_TRUE(read("x.npz", info({"s", "t"}), {.files = {{"s", 0, 10}, {"t"}}}).equal(torch::stack({u, u}, 1)))
      << "the array x is in the task's own units";
  write_npz(folder_ / "short.npz", {{"u", u}, {"v", v.slice(0, 0, 3)}});
  EXPECT_THAT(refusal("short.npz", info({"u", "v"})), HasSubstr("5 and 3 rows"));
  write_npz(folder_ / "beside.npz",
            {{"u", u}, {"v", v}, {"short", v.slice(0, 0, 3)}, {"cube", torch::zeros({2, 2, 2})}});
  EXPECT_TRUE(read("beside.npz", info({"v", "u"})).equal(torch::stack({v.to(torch::kFloat64), u}, 1)))
      << "arrays that are not needed may have any shape";
}

TEST_F(ObservedTables, ArraysOfAnNpzMayHaveAnyTypeAndSeveralNumbersARow) {
  const torch::Tensor u = torch::arange(5, torch::kFloat64),
                      v = torch::tensor({1.0, 0.0, 1.0, 1.0, 0.0}, torch::kFloat64), both = torch::stack({u, v}, 1);
  const TaskInfo two = info({"u", "v"});
  write_npz(folder_ / "a.npz", {{"u", u.unsqueeze(1)}, {"v", v.to(torch::kBool)}});
  EXPECT_TRUE(read("a.npz", two).equal(both));
  write_npz(folder_ / "b.npz", {{"pos", both.to(torch::kHalf)}, {"w", v}, {"y", u}});
  EXPECT_TRUE(read("b.npz", two, {.chosen = {"pos"}}).equal(both));
  EXPECT_TRUE(read("b.npz", two, {.chosen = {"y", "pos[1]"}}).equal(both));
  EXPECT_TRUE(read("b.npz", info({"a", "b", "c"}), {.chosen = {"pos", "w"}}).equal(torch::stack({u, v, v}, 1)));
  EXPECT_THAT(
      refusal("b.npz", two, {.chosen = {"pos", "w"}}),
      HasSubstr("the array pos holds 2 numbers per row, where one is needed; choose one of them, such as pos[0]"));
  EXPECT_THAT(refusal("b.npz", two, {.chosen = {"w"}}), HasSubstr("w holds one number per row, where 2 are needed"));
  write_npz(folder_ / "x.npz", {{"x", both.ne(0)}});
  EXPECT_TRUE(read("x.npz", two).equal(both.ne(0).to(torch::kFloat64))) << "booleans are 0 and 1";
}

TEST_F(ObservedTables, AColumnOfSeveralNumbersIsTheTasksColumns) {
  if (!write_thousand()) GTEST_SKIP() << "this build reads no FITS files";
  using namespace pairs::table_files;
  write_fits_tables(folder_ / "v.fits", {{"GTI", {fits_column("START", 'D', 1, {9})}, 1},
                                         {"EVENTS",
                                          {fits_column("T", 'D', 1, {7, 8}), fits_column("X", 'D', 2, {1, 2, 3, 4}),
                                           fits_column("P", 'D', 3, {1, 2, 3, 4, 5, 6})},
                                          2}});
  const TaskInfo two = info({"u", "v"});
  const torch::Tensor expected = torch::tensor({1.0, 2.0, 3.0, 4.0}, torch::kFloat64).view({2, 2});
  EXPECT_TRUE(read("v.fits", two).equal(expected));
  for (const std::vector<std::string>& chosen :
       std::vector<std::vector<std::string>>{{"x"}, {"X"}, {"X[0]", "x[1]"}, {"column 2", "column 3"}})
    EXPECT_TRUE(read("v.fits", two, {.chosen = chosen}).equal(expected)) << ::testing::PrintToString(chosen);
  EXPECT_TRUE(read("v.fits", info({"a", "b", "c"}), {.chosen = {"t", "x"}})
                  .equal(torch::tensor({7.0, 1.0, 2.0, 8.0, 3.0, 4.0}, torch::kFloat64).view({2, 3})));
  EXPECT_THAT(refusal("v.fits", two, {.chosen = {"P"}}),
              HasSubstr("column P holds 3 numbers per row, where 2 are needed"));
  const std::vector<FileColumn> files = {{"u [mV]", 0, 1000, false, "V"}, {"v"}};
  EXPECT_THAT(refusal("v.fits", two, {.files = files}),
              HasSubstr("has a column X of 2 numbers per row, and not u [mV], v, whose values are converted"));
  EXPECT_TRUE(read("v.fits", two, {.chosen = {"X"}, .files = files})
                  .equal(torch::tensor({0.001, 2.0, 0.003, 4.0}, torch::kFloat64).view({2, 2})));
}

TEST_F(ObservedTables, WhatIsTooLargeToBeHeldIsReadInParts) {
  if (!write_thousand()) GTEST_SKIP() << "this build reads no FITS files";
  const TaskInfo task = info({"hits", "energy"});
  const std::vector<FileColumn> files = {{"hits", 20, 3}, {"energy", 0, 0.5, true}};
  const ObservedTable held = read_observed_columns(folder_ / "a.fits", task, 1000, {.files = files}),
                      parts = read_observed_columns(folder_ / "a.fits", task, 1000, {.files = files, .held = 1999});
  ASSERT_EQ(held.rows, nullptr);
  ASSERT_NE(parts.rows, nullptr);
  EXPECT_EQ(parts.held, 1000);
  EXPECT_EQ(parts.taken, (std::vector<std::string>{"hits", "energy"}));
  EXPECT_EQ(parts.columns, (std::vector<std::string>{"energy", "hits", "name"}));
  const torch::Tensor x = held.x.block();
  for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, 1000}, {0, 1}, {999, 1000}, {100, 612}})
    EXPECT_TRUE(parts.rows->part(from, to).block().equal(x.slice(0, from, to))) << from;
  const std::vector<std::int64_t> which = {999, 0, 512, 511, 3};
  EXPECT_TRUE(parts.rows->pick(which).block().equal(x.index_select(0, torch::tensor(which))));
  EXPECT_EQ(read_observed_columns(folder_ / "a.fits", task, 900, {.files = files, .held = 1999}).rows, nullptr)
      << "no more than are used are asked for";
}

// A .npy array of these bytes; `type` as NumPy writes it: "<f8", "<U5".
std::string npy_of(const std::string& type, const std::string& shape, const std::string& bytes) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  const auto size = static_cast<unsigned>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(size & 255) + static_cast<char>(size >> 8) + header +
         bytes;
}
std::string npy_of(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts)
    for (std::size_t k = 0; k < 8; ++k)
      bytes += std::string(1, k < text.size() ? text[k] : '\0') + std::string(3, '\0');
  return npy_of("<U8", fmt::format("{},", texts.size()), bytes);
}
// A zip archive of these members, stored.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members) {
  const auto number = [](std::uint64_t value, int bytes) {
    std::string out;
    for (int k = 0; k < bytes; ++k) out += static_cast<char>(value >> (8 * k) & 255);
    return out;
  };
  std::string out, directory;
  for (const auto& [name, bytes] : members) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const unsigned char one : bytes) {
      crc ^= one;
      for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    const std::string facts = number(20, 2) + number(0, 4) + number(0, 2) + number(33, 2) +
                              number(~crc & 0xFFFFFFFF, 4) + number(bytes.size(), 4) + number(bytes.size(), 4) +
                              number(name.size(), 2) + number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + facts + number(0, 10) + number(out.size(), 4) + name;
    out += "PK\x03\x04" + facts + name + bytes;
  }
  return out + directory + "PK\x05\x06" + number(0, 4) + number(members.size(), 2) + number(members.size(), 2) +
         number(directory.size(), 4) + number(out.size(), 4) + number(0, 2);
}

TEST_F(ObservedTables, NamesBesideAnArrayOfAnNpzSayWhatItsColumnsAre) {
  std::vector<std::string> names = {"a", "b", "c"};
  std::string bytes;
  for (const double value : {1.5, 2.5, 3.5, 4.5, 5.5, 6.5}) bytes.append(reinterpret_cast<const char*>(&value), 8);
  const torch::Tensor x = torch::tensor({{1.5, 2.5, 3.5}, {4.5, 5.5, 6.5}}, torch::kFloat64);
  for (const std::string called : {"columns", "columns_x", "x_columns", "column_names", "names"}) {
    SCOPED_TRACE(called);
    std::sort(names.begin(), names.end());
    do {
      write("x.npz", zip_of({{"x.npy", npy_of("<f8", "2, 3", bytes)}, {called + ".npy", npy_of(names)}}));
      for (std::size_t k = 0; k < 3; ++k) {
        const auto at = static_cast<std::int64_t>(k);
        EXPECT_TRUE(
            read("x.npz", info({"a", "b", "c"}), {.chosen = {}}).select(1, names[k][0] - 'a').equal(x.select(1, at)));
        EXPECT_TRUE(read("x.npz", info({"q"}), {.chosen = {names[k]}}).reshape({-1}).equal(x.select(1, at)));
      }
      EXPECT_TRUE(read("x.npz", info({"p", "q"}), {.chosen = {"x[0]", "x[2]"}}).select(1, 1).equal(x.select(1, 2)));
      EXPECT_THAT(refusal("x.npz", info({"a", "b", "d"})),
                  HasSubstr(fmt::format("names the columns of x {}, {}, {}, but a, b, d are, in any order, needed",
                                        names[0], names[1], names[2])));
    } while (std::next_permutation(names.begin(), names.end()));
    write("x.npz", zip_of({{"x.npy", npy_of("<f8", "2, 3", bytes)}, {called + ".npy", npy_of({"u", "v"})}}));
    EXPECT_TRUE(read("x.npz", info({"a", "b", "c"})).equal(x)) << "two names are none of three columns";
    write("x.npz", zip_of({{"x.npy", npy_of("<f8", "2, 3", bytes)}, {called + ".npy", npy_of("|O", "3,", "pickle")}}));
    EXPECT_THAT(refusal("x.npz", info({"a", "b", "c"})), HasSubstr("holds objects; save it with astype(str)"));
  }
}

TEST_F(ObservedTables, MasksBesideAnArrayOfAnNpzMarkWhatIsMissing) {
  const torch::Tensor x = torch::tensor({{1.5, 2.5}, {3.5, 4.5}, {5.5, 6.5}}, torch::kFloat64);
  const TaskInfo task = info({"a", "b"});
  const torch::Tensor kept = torch::cat({x.slice(0, 0, 1), x.slice(0, 2)});
  const torch::Tensor rows = torch::tensor({0, 1, 0}, torch::kInt64);
  const torch::Tensor each = torch::tensor({{0, 0}, {0, 1}, {0, 0}}, torch::kInt64);
  for (const char* called : {"mask", "x_mask", "x.mask"})
    for (const auto type : {torch::kBool, torch::kByte, torch::kInt64, torch::kFloat64})
      for (const torch::Tensor& mask : {rows, each, rows.unsqueeze(1)}) {
        SCOPED_TRACE(called);
        for (const torch::Tensor& held : {x, x.to(torch::kFloat32), (2 * x).to(torch::kInt64)}) {
          write_npz(folder_ / "a.npz", {{"x", held}, {called, mask.to(type)}});
          EXPECT_THAT(refusal("a.npz", task), HasSubstr("1 of 3 rows"));
          EXPECT_TRUE(
              read("a.npz", task, {.missing = Missing::drop}).equal(held.is_floating_point() ? kept : 2 * kept));
          write_npz(folder_ / "a.npz", {{"x", held}, {called, torch::zeros_like(mask).to(type)}});
          EXPECT_TRUE(read("a.npz", task).equal(held.to(torch::kFloat64))) << "nothing is missing";
        }
        write_npz(folder_ / "c.npz", {{"a", x.select(1, 0)}, {"b", x.select(1, 1)}, {"mask", rows.to(type)}});
        EXPECT_TRUE(read("c.npz", task, {.missing = Missing::drop}).equal(kept)) << "columns of their own";
      }
  write_npz(folder_ / "c.npz", {{"a", x.select(1, 0)}, {"b", x.select(1, 1)}, {"b_mask", rows}});
  EXPECT_TRUE(read("c.npz", task, {.missing = Missing::drop}).equal(kept));
  write_npz(folder_ / "a.npz", {{"x", x}, {"mask", torch::zeros({4})}});
  EXPECT_THAT(refusal("a.npz", task), HasSubstr("its array mask has the shape [4]"));
  write_npz(folder_ / "a.npz", {{"x", x}, {"mask", torch::full({3}, 2)}});
  EXPECT_THAT(refusal("a.npz", task), HasSubstr("other numbers than 0 and 1"));
}

// Arrays next to x apply to each of many sets, too.
TEST_F(ObservedTables, NamesAndMasksOfAnNpzHoldForEachOfItsSets) {
  const TaskInfo task = info({"a", "b"});
  std::string values, sets, mask;
  for (const double value : {1.5, 2.5, 3.5, 4.5, 5.5, 6.5}) values.append(reinterpret_cast<const char*>(&value), 8);
  for (const std::int64_t set : {7, 7, 9}) sets.append(reinterpret_cast<const char*>(&set), 8);
  for (const std::int64_t masked : {0, 1, 0}) mask.append(reinterpret_cast<const char*>(&masked), 8);
  const torch::Tensor x = torch::tensor({{1.5, 2.5}, {3.5, 4.5}, {5.5, 6.5}}, torch::kFloat64);
  for (const bool swapped : {false, true})
    for (const bool masked : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", swapped, masked));
      std::vector<std::pair<std::string, std::string>> members = {
          {"x.npy", npy_of("<f8", "3, 2", values)},
          {"set.npy", npy_of("<i8", "3,", sets)},
          {"columns.npy", npy_of(swapped ? std::vector<std::string>{"b", "a"} : std::vector<std::string>{"a", "b"})}};
      if (masked) members.emplace_back("mask.npy", npy_of("<i8", "3,", mask));
      write("sets.npz", zip_of(members));
      const std::unique_ptr<SetStream> stream =
          open_sets({folder_ / "sets.npz", "set", {.missing = Missing::drop}}, task);
      std::vector<torch::Tensor> read;
      for (ComingSet set; stream->next(set);) read.push_back(set.read().x.block().to(torch::kFloat64));
      ASSERT_EQ(read.size(), 2u);
      const torch::Tensor wanted = swapped ? x.flip(1) : x;
      EXPECT_TRUE(read[0].equal(wanted.slice(0, 0, masked ? 1 : 2)));
      EXPECT_TRUE(read[1].equal(wanted.slice(0, 2)));
      EXPECT_THAT(refusal("sets.npz", task), HasSubstr("--group set")) << "it is no one set";
    }
}

}  // namespace
}  // namespace pairs
