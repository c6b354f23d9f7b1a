// Tables as other programs write them: whatever the type, byte order, layout and place in the file, the numbers are the
// same to the bit, or a sentence names what is not read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "tasks/table_file.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/tables/table_writers.h"

namespace pairs {
namespace {

using namespace pairs::table_files;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

class TableQuirks : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  // Reads the wanted columns, `numbers` in all, whole and row by row from behind.
  Numbers read(const std::string& file, const Names& wanted, std::size_t numbers = 0,
               const std::string& table = "") const {
    const auto opened = open_table(path(file), {table, wanted});
    const std::vector<std::size_t> places = places_in(*opened, wanted, numbers);
    Numbers out(static_cast<std::size_t>(opened->rows()) * places.size()), again(out.size());
    opened->read(0, opened->rows(), places, out.data());
    for (std::int64_t row = opened->rows(); row-- > 0;)
      opened->read(row, 1, places, again.data() + static_cast<std::size_t>(row) * places.size());
    EXPECT_EQ(out, again);
    return out;
  }
  std::string refusal(const std::string& file, const Names& wanted, std::size_t numbers = 0,
                      const std::string& table = "") const {
    try {
      (void)read(file, wanted, numbers, table);
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  }
  void expect(const std::string& file, const Names& wanted, const Numbers& expected, std::size_t numbers = 0,
              const std::string& table = "") const {
    SCOPED_TRACE(::testing::Message() << file << " " << ::testing::PrintToString(wanted) << " " << table);
    try {
      EXPECT_EQ(read(file, wanted, numbers, table), expected);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }

  static constexpr std::size_t kRows = 11;
  // [rows, 2], which every type holds.
  static Numbers values() {
    Numbers out;
    for (std::size_t i = 0; i < 2 * kRows; ++i) out.push_back(static_cast<double>(i * 37 % 101));
    return out;
  }
  static Numbers column(const Numbers& rows, std::size_t at) {
    Numbers out;
    for (std::size_t i = 0; i < rows.size() / 2; ++i) out.push_back(rows[2 * i + at]);
    return out;
  }
  static Numbers turned(const Numbers& rows) {
    Numbers out;
    for (std::size_t i = 0; i < rows.size(); i += 2) out.insert(out.end(), {rows[i + 1], rows[i]});
    return out;
  }
  static Numbers truths(Numbers rows) {
    for (double& one : rows) one = std::fmod(one, 2);
    return rows;
  }

  TemporaryFolder folder_;
};

#if PAIRS_WITH_HDF5

TEST_F(TableQuirks, EveryTypeAndLayoutOfHdf5) {
  {
    std::ofstream(path("first.h5")) << "noise";
    EXPECT_NE(refusal("first.h5", {"x1"}), "accepted");  // the program's own code meets the library first
  }
  const hid_t truth = h5py_bool();
  const std::vector<std::pair<std::string, hid_t>> types = {
      {"f4le", H5T_IEEE_F32LE}, {"f4be", H5T_IEEE_F32BE}, {"f8le", H5T_IEEE_F64LE}, {"f8be", H5T_IEEE_F64BE},
      {"i1", H5T_STD_I8LE},     {"i2le", H5T_STD_I16LE},  {"i2be", H5T_STD_I16BE},  {"i4le", H5T_STD_I32LE},
      {"i4be", H5T_STD_I32BE},  {"i8le", H5T_STD_I64LE},  {"i8be", H5T_STD_I64BE},  {"u1", H5T_STD_U8LE},
      {"u2be", H5T_STD_U16BE},  {"u4le", H5T_STD_U32LE},  {"u8be", H5T_STD_U64BE},  {"long", H5T_NATIVE_LDOUBLE},
      {"bool", truth},          {"bits", H5T_STD_B8LE}};
  for (const auto& [type, stored] : types)
    for (const hsize_t chunk : {0, 4}) {
      SCOPED_TRACE(type);
      // Booleans are written as bytes.
      const bool flags = type == "bool" || type == "bits";
      const Numbers rows = flags ? truths(values()) : values(), one = column(rows, 0), two = column(rows, 1);
      const auto put = [&, stored = stored](Hdf5Writer& out, const std::string& name, const Numbers& numbers,
                                            const std::vector<hsize_t>& extents) {
        if (!flags) return out.write(name, H5T_NATIVE_DOUBLE, stored, extents, numbers.data(), chunk);
        std::string bytes;
        for (const double number : numbers) bytes += static_cast<char>(number);
        out.write(name, stored, stored, extents, bytes.data(), chunk);
      };
      {
        Hdf5Writer out(path("columns.h5"));
        put(out, "events/x1", one, {kRows});
        put(out, "events/x2", two, {kRows, 1});
        out.write("events/bins", Numbers{1, 2, 3});
        out.write("events/names", Names(kRows, "n"));
        out.write("calib/bins", Numbers(99, 1.0));
      }
      expect("columns.h5", {"x1", "x2"}, rows);
      expect("columns.h5", {"x2", "x1"}, turned(rows), 0, "events");
      expect("columns.h5", {"events/x1", "events/x2"}, rows);
      EXPECT_THAT(refusal("columns.h5", {"x1", "bins"}), HasSubstr("differ in length, x1 has 11 rows and bins has 3"));
      {
        Hdf5Writer out(path("vector.h5"));
        put(out, "pos", rows, {kRows, 2});
        put(out, "w", one, {kRows});
      }
      expect("vector.h5", {"pos"}, rows, 2);
      expect("vector.h5", {"pos[1]", "w"}, turned(rows));
      EXPECT_THAT(refusal("vector.h5", {"x1", "x2"}),
                  HasSubstr("has the columns pos (2 numbers per row), w, but x1, x2"));
      {
        Hdf5Writer out(path("x.h5"));
        put(out, "g/x", rows, {kRows, 2});
        put(out, "g/w", one, {kRows});
        put(out, "h/theta", Numbers{1, 0}, {2});
      }
      expect("x.h5", {"x1", "x2"}, rows);
      expect("x.h5", {"x"}, rows, 2);
      expect("x.h5", {"w", "x[1]"}, rows);
      {
        Hdf5Writer out(path("matrix.h5"));
        put(out, "anything", rows, {kRows, 2});
      }
      expect("matrix.h5", {"x1", "x2"}, rows);
      expect("matrix.h5", {"column 2", "column 1"}, turned(rows));

      // Fields of a table, numbers and arrays, among others that are none.
      const hid_t memory = flags ? stored : H5T_NATIVE_DOUBLE;
      const std::size_t each = H5Tget_size(memory), wide = 4 * each + 3;
      const hsize_t pair = 2;
      const hid_t text = H5Tcopy(H5T_C_S1), held_array = H5Tarray_create2(stored, 1, &pair),
                  memory_array = H5Tarray_create2(memory, 1, &pair), here = H5Tcreate(H5T_COMPOUND, wide),
                  there = H5Tcreate(H5T_COMPOUND, 4 * H5Tget_size(stored) + 3);
      H5Tset_size(text, 3);
      const std::size_t size = H5Tget_size(stored);
      for (const auto& [compound, part, array, bytes] :
           {std::tuple{here, memory, memory_array, each}, {there, stored, held_array, size}}) {
        H5Tinsert(compound, "x1", 0, part);
        H5Tinsert(compound, "name", bytes, text);
        H5Tinsert(compound, "x2", bytes + 3, part);
        H5Tinsert(compound, "x", 2 * bytes + 3, array);
      }
      std::string bytes;
      for (std::size_t i = 0; i < kRows; ++i) {
        const auto add = [&](double number) {
          if (flags)
            bytes += static_cast<char>(number);
          else
            bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
        };
        add(one[i]);
        bytes += "abc";
        for (const double number : {two[i], one[i], two[i]}) add(number);
      }
      {
        Hdf5Writer out(path("table.h5"));
        out.write("run/events", here, there, {kRows}, bytes.data(), chunk);
        out.write("run/other", Numbers{1, 2});
      }
      for (const hid_t id : {text, held_array, memory_array, here, there}) H5Tclose(id);
      expect("table.h5", {"x1", "x2"}, rows);
      expect("table.h5", {"x1", "x2"}, rows, 0, "run/events");
      expect("table.h5", {"x"}, rows, 2);
      expect("table.h5", {"x[1]", "x1"}, turned(rows));
      std::vector<std::string> texts;
      open_table(path("table.h5"), {"", {"name"}})->read_texts(9, 2, 1, texts);
      EXPECT_EQ(texts, (Names{"abc", "abc"}));
    }
  H5Tclose(truth);
}

// As netCDF packs numbers and marks missing ones.
TEST_F(TableQuirks, PackedAndMissingNumbersOfHdf5) {
  for (const hsize_t chunk : {0, 2}) {
    const Numbers values = {1, -999, 3, 1e20};
    const std::vector<std::int32_t> packed = {10, -7, 30, 40};
    {
      Hdf5Writer out(path("packed.h5"));
      const std::vector<hsize_t> rows = {4};
      out.write("x", H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, rows, values.data(), chunk);
      out.attribute("x", "_FillValue", Numbers{-999});
      out.attribute("x", "missing_value", Numbers{1e20, 5e20});
      out.write("y", H5T_NATIVE_INT32, H5T_STD_I32BE, rows, packed.data(), chunk);
      out.attribute("y", "scale_factor", Numbers{0.5});
      out.attribute("y", "add_offset", Numbers{100});
      out.attribute("y", "_FillValue", Numbers{-7});
      out.write("z", H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, rows, values.data(), chunk);
      out.attribute("z", "scale_factor", Numbers{1});
    }
    const auto opened = open_table(path("packed.h5"), {"", {"x", "y", "z"}});
    Numbers read(12);
    opened->read_with_missing(0, 4, places_in(*opened, {"x", "y", "z"}, 3), read.data());
    EXPECT_THAT(read, testing::ElementsAre(1, 105, 1, testing::IsNan(), testing::IsNan(), -999, 3, 115, 3,
                                           testing::IsNan(), 120, 1e20));
  }
}

TEST_F(TableQuirks, OtherEnumerationsAreNamed) {
  const hid_t colors = H5Tenum_create(H5T_STD_I8LE);
  for (const std::int8_t value : {0, 1, 2}) H5Tenum_insert(colors, ("c" + std::to_string(value)).c_str(), &value);
  {
    Hdf5Writer out(path("a.h5"));
    const std::int8_t flags[] = {0, 1, 2};
    out.write("x1", Numbers{1, 2, 3});
    out.write("x2", colors, colors, {3}, flags);
  }
  H5Tclose(colors);
  EXPECT_THAT(refusal("a.h5", {"x1", "x2"}), HasSubstr("column x2 holds named values (an enumeration), not numbers"));
  expect("a.h5", {"x1"}, {1, 2, 3});
}

TEST_F(TableQuirks, FramesOfPandasAreTables) {
  const Numbers rows = values();
  {  // format "fixed": blocks of a type each
    Hdf5Writer out(path("fixed.h5"));
    out.write("df/axis0", Names{"x1", "count", "x2"});
    out.write("df/axis1", Numbers(kRows, 0.0));
    out.write("df/block0_items", Names{"x1", "x2"});
    out.write("df/block0_values", rows, 2);
    out.write("df/block1_items", Names{"count"});
    out.write("df/block1_values", column(rows, 1), 1);
    out.attribute("df", "pandas_type", "frame");
    out.write("notes/a", Numbers{1, 2});
  }
  expect("fixed.h5", {"x1", "x2"}, rows);
  expect("fixed.h5", {"x2", "x1"}, turned(rows), 0, "df");
  expect("fixed.h5", {"x1", "count"}, rows);
  EXPECT_EQ(open_table(path("fixed.h5"), {"df"})->names(), (Names{"x1", "x2", "count"}));
  {  // columns that are called 0, 1, 2, of two types
    Hdf5Writer out(path("counted.h5"));
    const std::int64_t all[] = {0, 1, 2}, first[] = {0, 2}, second[] = {1};
    const auto whole = [&](const char* name, hsize_t count, const std::int64_t* numbers) {
      out.write(name, H5T_NATIVE_INT64, H5T_STD_I64LE, {count}, numbers);
    };
    whole("df/axis0", 3, all);
    whole("df/block0_items", 2, first);
    out.write("df/block0_values", rows, 2);
    whole("df/block1_items", 1, second);
    out.write("df/block1_values", Numbers(kRows, 7.0), 1);
    out.attribute("df", "pandas_type", "frame");
  }
  Numbers between;
  for (std::size_t i = 0; i < kRows; ++i) between.insert(between.end(), {rows[2 * i], 7, rows[2 * i + 1]});
  expect("counted.h5", {"a", "b", "c"}, between);
  {  // format "table": fields of several numbers, whose names are an attribute
    struct Row {
      std::int64_t index;
      double block[2], flag;
    };
    std::vector<Row> table;
    for (std::size_t i = 0; i < kRows; ++i)
      table.push_back({static_cast<std::int64_t>(i), {rows[2 * i], rows[2 * i + 1]}, rows[2 * i]});
    const hsize_t two = 2, one = 1;
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(Row)), pair = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &two),
                single = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &one);
    H5Tinsert(type, "index", offsetof(Row, index), H5T_NATIVE_INT64);
    H5Tinsert(type, "values_block_0", offsetof(Row, block), pair);
    H5Tinsert(type, "values_block_1", offsetof(Row, flag), single);
    {
      Hdf5Writer out(path("table.h5"));
      out.write("a/df/table", type, type, {kRows}, table.data(), 4);
      out.attribute("a/df", "pandas_type", "frame_table");
      out.attribute("a/df/table", "values_block_0_kind", "(lp0\nVx1\np1\naVx2\np2\na.");
      out.attribute("a/df/table", "values_block_1_kind", "(lp0\nVflag\np1\na.");
      out.write("a/df/_i_table/index/bounds", Numbers{1, 2, 3});
    }
    {
      Hdf5Writer out(path("numbers.h5"));
      out.write("df/table", type, type, {kRows}, table.data());
      out.attribute("df", "pandas_type", "frame_table");
      out.attribute("df/table", "values_block_0_kind", "(lp0\nI0\naI2\na.");
      out.attribute("df/table", "values_block_1_kind", "(lp0\nI1\na.");
    }
    {
      Hdf5Writer out(path("times.h5"));
      out.write("df/table", type, type, {kRows}, table.data());
      out.attribute("df", "pandas_type", "frame_table");
      out.attribute("df/table", "values_block_0_kind", "(lp0\nVx1\np1\naVx2\np2\na.");
      out.attribute("df/table", "values_block_1_kind", "(lp0\nVflag\np1\na.");
      out.attribute("df/table", "values_block_1_dtype", "datetime64[ns]");
    }
    expect("times.h5", {"x1", "x2"}, rows);
    EXPECT_THAT(refusal("times.h5", {"x1", "flag"}), HasSubstr("column flag holds times (datetime64[ns])"));
    for (const hid_t id : {type, pair, single}) H5Tclose(id);
  }
  for (const char* name : {"", "a/df", "/a/df", "a/df/table"}) expect("table.h5", {"x1", "x2"}, rows, 0, name);
  expect("table.h5", {"flag", "x2"}, rows);
  EXPECT_EQ(open_table(path("table.h5"))->names(), (Names{"index", "x1", "x2", "flag"}));
  Numbers three;
  for (std::size_t i = 0; i < kRows; ++i) three.insert(three.end(), {rows[2 * i], rows[2 * i], rows[2 * i + 1]});
  expect("numbers.h5", {"a", "b", "c"}, three);
  {
    Hdf5Writer out(path("series.h5"));
    out.write("s/index", Numbers(kRows, 0.0));
    out.write("s/values", column(rows, 0));
    out.attribute("s", "pandas_type", "series");
    out.attribute("s", "name", "x1");
  }
  expect("series.h5", {"x1"}, column(rows, 0));
}

TEST_F(TableQuirks, NamesOfTheColumnsOfAnHdf5ArrayAreKept) {
  const Numbers rows = values();
  const std::vector<std::function<void(Hdf5Writer&, const Names&)>> ways = {
      [](Hdf5Writer& out, const Names& names) { out.attribute("x", "columns", names, true); },
      [](Hdf5Writer& out, const Names& names) { out.attribute("x", "columns", names, false); },
      [](Hdf5Writer& out, const Names& names) { out.attribute("x", "column_names", names, true); },
      [](Hdf5Writer& out, const Names& names) { out.attribute("x", "names", names, true); },
      [](Hdf5Writer& out, const Names& names) { out.attribute("x", "names", names[0] + ", " + names[1]); },
      [](Hdf5Writer& out, const Names& names) { out.write("columns", names); },
      [](Hdf5Writer& out, const Names& names) {
        out.write("quantity", names);
        out.second_scale("x", "quantity");
      }};
  for (std::size_t k = 0; k < ways.size(); ++k)
    for (const bool others : {false, true}) {
      SCOPED_TRACE(k);
      const auto make = [&](const Names& names) {
        Hdf5Writer out(path("a.h5"));
        out.write("x", rows, 2);
        ways[k](out, names);
        if (others) out.write("calib/bins", Numbers(99, 1.0));
      };
      make({"x1", "x2"});
      expect("a.h5", {"x1", "x2"}, rows);
      expect("a.h5", {"x2", "x1"}, turned(rows));
      make({"x2", "x1"});
      expect("a.h5", {"x1", "x2"}, turned(rows));
      expect("a.h5", {"x1"}, column(rows, 1));
      make({"u", "x1"});
      EXPECT_THAT(refusal("a.h5", {"x1", "x2"}), AllOf(HasSubstr("u"), HasSubstr("x1, x2"), HasSubstr("--columns")));
      make({"u", "v"});
      EXPECT_NE(refusal("a.h5", {"x1", "x2"}), "accepted");
    }
  {  // as many names as there are columns, or none
    Hdf5Writer out(path("a.h5"));
    out.write("x", rows, 2);
    out.attribute("x", "names", Names{"a", "b", "c"}, true);
  }
  expect("a.h5", {"x1", "x2"}, rows);
}

TEST_F(TableQuirks, ArraysOfManyAxesAreNamed) {
  const Numbers rows = values();
  for (const std::vector<hsize_t>& shape : {std::vector<hsize_t>{1, kRows, 2}, std::vector<hsize_t>{kRows, 1, 2}}) {
    {
      Hdf5Writer out(path("a.h5"));
      out.write("x", H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, shape, rows.data());
    }
    EXPECT_THAT(refusal("a.h5", {"x1", "x2"}),
                AllOf(HasSubstr("holds no table: its data set x has the shape [" + std::to_string(shape[0])),
                      HasSubstr("save numbers along one or two axes")));
  }
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(double));
  H5Tinsert(type, "x1", 0, H5T_NATIVE_DOUBLE);
  {
    Hdf5Writer out(path("a.h5"));
    out.write("t", type, type, {kRows, 1}, rows.data());
  }
  H5Tclose(type);
  EXPECT_THAT(refusal("a.h5", {"x1"}), HasSubstr("its data set t has more than one axis"));
}

TEST_F(TableQuirks, CategoriesOfPandasAreNoNumbers) {
  struct Row {
    double x1;
    std::int8_t kind;
  };
  std::vector<Row> table;
  for (std::size_t i = 0; i < kRows; ++i) table.push_back({static_cast<double>(i), static_cast<std::int8_t>(i % 3)});
  const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(Row));
  H5Tinsert(type, "x1", offsetof(Row, x1), H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "kind", offsetof(Row, kind), H5T_NATIVE_INT8);
  for (const bool categories : {false, true}) {
    {
      Hdf5Writer out(path("a.h5"));
      out.write("df/table", type, type, {kRows}, table.data());
      out.attribute("df", "pandas_type", "frame_table");
      if (categories) out.write("df/meta/kind/meta/table", Numbers{0.5, 1.5, 2.5});
    }
    if (categories)
      EXPECT_THAT(refusal("a.h5", {"x1", "kind"}, 0, "df"),
                  HasSubstr("column kind holds numbers of categories (a categorical of pandas), not numbers"));
    else
      EXPECT_EQ(read("a.h5", {"x1", "kind"}, 0, "df").size(), 2 * kRows);
    EXPECT_EQ(read("a.h5", {"x1"}, 0, "df").size(), kRows) << "others are read";
  }
  H5Tclose(type);
}

TEST_F(TableQuirks, AMaskBesideAnArrayMarksWhatIsMissing) {
  const Numbers each = {0, 0, 0, 1, 0, 0}, row = {0, 1, 0};
  for (const bool of_each : {true, false}) {
    {
      Hdf5Writer out(path("masked.h5"));
      out.write("x", Numbers{1, 4, 2, 5, 3, 6}, 2);
      if (of_each)
        out.write("mask", each, 2);
      else
        out.write("mask", row);
    }
    const auto opened = open_table(path("masked.h5"), {"", {"x1", "x2"}});
    Numbers read(6);
    opened->read_with_missing(0, 3, places_in(*opened, {"x1", "x2"}, 2), read.data());
    EXPECT_EQ(std::isnan(read[2]), !of_each);
    EXPECT_TRUE(std::isnan(read[3]));
    EXPECT_THAT(Numbers({read[0], read[1], read[4], read[5]}), testing::ElementsAre(1, 4, 3, 6));
  }
}

TEST_F(TableQuirks, MasksBesideColumnsMarkWhatIsMissing) {
  const Numbers rows = values();
  for (std::size_t masked = 0; masked <= kRows; ++masked) {  // the last: none
    SCOPED_TRACE(masked);
    Numbers mask(kRows, 0.0);
    if (masked < kRows) mask[masked] = 1;
    {
      Hdf5Writer out(path("a.h5"));
      out.write("x1", column(rows, 0));
      out.write("x2", column(rows, 1));
      out.write("x2.mask", mask);
    }
    {
      Hdf5Writer out(path("v.h5"));
      out.write("pos", rows, 2);
      out.write("pos.mask", mask);
    }
    expect("a.h5", {"x1"}, column(rows, 0));
    if (masked == kRows) {
      expect("a.h5", {"x2", "x1"}, turned(rows));
      expect("v.h5", {"pos"}, rows, 2);
      continue;
    }
    EXPECT_THAT(refusal("a.h5", {"x1", "x2"}), HasSubstr("column x2 of row " + std::to_string(masked + 1)));
    EXPECT_THAT(refusal("v.h5", {"pos"}, 2), HasSubstr("column pos[0] of row " + std::to_string(masked + 1)));
    const auto opened = open_table(path("a.h5"));
    Numbers read(3 * kRows);
    opened->read_with_missing(0, static_cast<std::int64_t>(kRows), places_in(*opened, {"x1", "x2", "x2.mask"}),
                              read.data());
    std::vector<std::string> texts;
    opened->read_texts(0, static_cast<std::int64_t>(kRows), places_in(*opened, {"x2"}).front(), texts);
    for (std::size_t i = 0; i < kRows; ++i) {
      EXPECT_EQ(read[3 * i], rows[2 * i]);
      EXPECT_EQ(std::isnan(read[3 * i + 1]), i == masked);
      EXPECT_EQ(read[3 * i + 2], mask[i]) << "the mask itself may be asked for";
      EXPECT_EQ(texts[i].empty(), i == masked);
    }
  }
}

TEST_F(TableQuirks, TheTableThatHasTheColumnsIsTaken) {
  const Numbers rows = values();
  {
    Hdf5Writer out(path("a.h5"));
    out.write("a/gti/start", Numbers{1, 2});
    out.write("b/events/x1", column(rows, 0));
    out.write("b/events/x2", column(rows, 1));
    out.write("x1", Numbers{9});
  }
  expect("a.h5", {"x1", "x2"}, rows);
  expect("a.h5", {"start"}, {1, 2});
  EXPECT_THAT(refusal("a.h5", {"u", "v"}),
              AllOf(HasSubstr("a.h5 has no table with the columns u, v; it has"), HasSubstr("a/gti (start)"),
                    HasSubstr("b/events (x1, x2)"), HasSubstr("--table NAME")));
  EXPECT_THAT(refusal("a.h5", {"x1", "x2"}, 0, "events"), HasSubstr("has no table events; it has"));
  EXPECT_THAT(refusal("a.h5", {"x1", "x2"}, 0, "a/gti"), HasSubstr("has the columns start, but x1, x2 are"));
  {
    Hdf5Writer out(path("two.h5"));
    for (const char* group : {"a", "b"})
      for (const std::size_t k : {0, 1})
        out.write(std::string(group) + "/x" + std::to_string(k + 1), column(rows, *group == 'a' ? k : 1 - k));
  }
  EXPECT_THAT(refusal("two.h5", {"x1", "x2"}),
              HasSubstr("has 2 tables that may hold x1, x2: a, b; choose one with --table NAME"));
  expect("two.h5", {"x1", "x2"}, rows, 0, "a");
  expect("two.h5", {"x1", "x2"}, turned(rows), 0, "b");
}

TEST_F(TableQuirks, LinksWithinAHdf5FileAreColumns) {
  const Numbers rows = values();
  {
    Hdf5Writer out(path("a.h5"));
    out.write("x1", column(rows, 0));
    out.write("raw/second", column(rows, 1));
    out.write("raw/short", Numbers{1});
  }
  const hid_t file = H5Fopen(path("a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Lcreate_soft("/raw/second", file, "x2", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/raw", file, "group", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/nowhere", file, "x3", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("other.h5", "/x1", file, "x4", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  expect("a.h5", {"x1", "x2"}, rows);
  EXPECT_THAT(refusal("a.h5", {"x1", "x4"}), HasSubstr("no table with the columns x1, x4"));
}

// A filter that nobody has: what is compressed by it is named, and what is not is read.
TEST_F(TableQuirks, FiltersThatAreMissingAreNamed) {
  constexpr H5Z_filter_t kLzf = 32000;
  const H5Z_class2_t fake = {H5Z_CLASS_T_VERS,
                             kLzf,
                             1,
                             1,
                             "lzf",
                             nullptr,
                             nullptr,
                             [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*,
                                void**) -> std::size_t { return bytes; }};
  H5Zregister(&fake);
  {
    Hdf5Writer out(path("a.h5"));
    out.write("x2", Numbers(8, 1.0));
    out.write("x3", Numbers(8, 2.0));
  }
  {
    const hid_t file = H5Fopen(path("a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
                created = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t rows = 8;
    const hid_t space = H5Screate_simple(1, &rows, nullptr);
    H5Pset_chunk(created, 1, &rows);
    H5Pset_filter(created, kLzf, H5Z_FLAG_MANDATORY, 0, nullptr);
    const hid_t set = H5Dcreate2(file, "x1", H5T_IEEE_F64LE, space, H5P_DEFAULT, created, H5P_DEFAULT);
    const Numbers numbers(8, 3.0);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(created);
    H5Fclose(file);
  }
  H5Zunregister(kLzf);
  EXPECT_THAT(refusal("a.h5", {"x1", "x2"}),
              AllOf(HasSubstr("array 'x1' is compressed with lzf, which is not read here"), HasSubstr("gzip")));
  EXPECT_EQ(read("a.h5", {"x2", "x3"}).size(), 16u);
}

#endif

#if PAIRS_WITH_FITS

TEST_F(TableQuirks, EveryTypeOfFitsInEveryTable) {
  const FitsTable times{"GTI", {fits_column("START", 'D', 1, {0, 1}), fits_column("STOP", 'D', 1, {1, 2})}, 2};
  for (const char format : {'D', 'E', 'K', 'J', 'I', 'B', 'L'})
    for (const bool first : {true, false}) {
      SCOPED_TRACE(format);
      const Numbers rows = format == 'L' ? truths(values()) : values();
      const FitsTable events{"Events",
                             {{"name", 'A', 3, std::string(3 * kRows, 'q')},
                              fits_column("X1", format, 1, column(rows, 0)),
                              fits_column("x2", format, 1, column(rows, 1)),
                              fits_column("Pos", format, 2, rows),
                              {"none", 'D', 0, ""}},
                             kRows};
      write_fits_tables(path("a.fits"), first ? std::vector{events, times} : std::vector{times, events});
      for (const char* name : {"", "EVENTS", "events", first ? "1" : "2"})
        expect("a.fits", {"x1", "X2"}, rows, 0, name);
      expect("a.fits", {"pos"}, rows, 2);
      expect("a.fits", {"Pos[1]", "x1"}, turned(rows));
      expect("a.fits", {"start", "stop"}, {0, 1, 1, 2});
      EXPECT_THAT(refusal("a.fits", {"u", "v"}),
                  AllOf(HasSubstr("no table with the columns u, v"), HasSubstr("GTI (START, STOP)"),
                        HasSubstr("Events (name, X1, x2, Pos (2 numbers per row), none)")));
      EXPECT_THAT(refusal("a.fits", {"x1", "x2"}, 0, "spectrum"), HasSubstr("has no table spectrum; it has"));
      EXPECT_THAT(refusal("a.fits", {"name", "x1"}), HasSubstr("holds text, not numbers"));
      EXPECT_THAT(refusal("a.fits", {"pos"}), HasSubstr("column pos holds 2 numbers per row, where one is needed"));
      write_fits_tables(
          path("v.fits"),
          {times, {"", {fits_column("T", 'D', 1, column(rows, 0)), fits_column("X", format, 2, rows)}, kRows}});
      expect("v.fits", {"x1", "x2"}, rows);
      write_fits_tables(path("w.fits"), {{"", {fits_column("V", format, 2, rows)}, kRows}});
      expect("w.fits", {"x1", "x2"}, rows);
      write_fits_tables(path("two.fits"), {events, events});
      EXPECT_THAT(refusal("two.fits", {"x1", "x2"}), HasSubstr("2 tables that may hold x1, x2: 1, 2; choose one with"));
      EXPECT_THAT(refusal("two.fits", {"x1", "x2"}, 0, "events"), HasSubstr("by its number: --table 1, or 2"));
      expect("two.fits", {"x1", "x2"}, rows, 0, "2");
    }
}

// A table of text, whose numbers stand at the right end of their columns, and so does what stands for a missing one.
TEST_F(TableQuirks, NamesOfFitsInGzipAreReadInAnyCaseToo) {
  const Numbers rows = values();
  for (const Names& names : {Names{"X1", "x2"}, Names{"x1", "X2"}, Names{"X1", "X2"}, Names{"x1", "x2"}}) {
    write_fits_tables(path("a.fits"),
                      {{"Events",
                        {fits_column(names[0], 'D', 1, column(rows, 0)), fits_column(names[1], 'D', 1, column(rows, 1)),
                         fits_column("w", 'D', 1, column(rows, 0))},
                        kRows}});
    std::ifstream plain(path("a.fits"), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(plain)), {});
    const gzFile packed = gzopen(path("a.fits.gz").c_str(), "wb");
    ASSERT_NE(packed, nullptr);
    EXPECT_EQ(gzwrite(packed, bytes.data(), static_cast<unsigned>(bytes.size())), static_cast<int>(bytes.size()));
    EXPECT_EQ(gzclose(packed), Z_OK);
    for (const char* file : {"a.fits", "a.fits.gz"}) {
      expect(file, {"x1", "x2"}, rows);
      expect(file, {"X2", "X1"}, turned(rows));
      expect(file, {"W", "x2"}, rows);
    }
  }
  write_fits_tables(
      path("a.fits"),
      {{"Events", {fits_column("x", 'D', 1, column(rows, 0)), fits_column("X", 'D', 1, column(rows, 1))}, kRows}});
  expect("a.fits", {"x", "X"}, rows);
}

TEST_F(TableQuirks, MissingNumbersOfFitsTablesOfText) {
  std::string text;
  const auto card = [&](std::string one) { text += one + std::string(80 - one.size(), ' '); };
  const auto fill = [&](char with) { text += std::string((2880 - text.size() % 2880) % 2880, with); };
  for (const char* one : {"SIMPLE  =                    T", "BITPIX  =                    8",
                          "NAXIS   =                    0", "EXTEND  =                    T", "END"})
    card(one);
  fill(' ');
  for (const char* one :
       {"XTENSION= 'TABLE   '", "BITPIX  =                    8", "NAXIS   =                    2",
        "NAXIS1  =                   20", "NAXIS2  =                    3", "PCOUNT  =                    0",
        "GCOUNT  =                    1", "TFIELDS =                    2", "TTYPE1  = 'x       '",
        "TFORM1  = 'I10     '", "TBCOL1  =                    1", "TNULL1  = '-99     '", "TTYPE2  = 'y       '",
        "TFORM2  = 'F10.2   '", "TBCOL2  =                   11", "END"})
    card(one);
  fill(' ');
  text += "         1      2.50       -99     -99.0         3      4.25";
  fill(' ');
  std::ofstream(path("text.fits"), std::ios::binary) << text;
  const auto opened = open_table(path("text.fits"), {"", {"x", "y"}});
  Numbers read(6);
  opened->read_with_missing(0, 3, places_in(*opened, {"x", "y"}, 2), read.data());
  EXPECT_THAT(read, testing::ElementsAre(1, 2.5, testing::IsNan(), -99, 3, 4.25));
}

TEST_F(TableQuirks, ScaledUnsignedAndMissingNumbersOfFits) {
  FitsColumn scaled = fits_column("x1", 'I', 1, {0, 1, 2}), missing = fits_column("x2", 'J', 1, {5, -99, 7}),
             large = fits_column("u", 'J', 1, {-2147483648.0, 0, 2147483647});
  scaled.cards = {"TSCAL = 0.5", "TZERO = 3.0"};
  missing.cards = {"TNULL = -99"};
  large.cards = {"TZERO = 2147483648"};
  write_fits_tables(path("a.fits"), {{"E", {scaled, missing, large}, 3}});
  expect("a.fits", {"x1", "u"}, {3, 0, 3.5, 2147483648.0, 4, 4294967295.0});
  EXPECT_THAT(refusal("a.fits", {"x1", "x2"}), HasSubstr("column x2 of row 2"));
  write_fits_tables(path("image.fits"), {});
  EXPECT_THAT(refusal("image.fits", {"x1"}), HasSubstr("it holds no table; give a FITS file with a table extension"));
}

#endif

#if PAIRS_WITH_ARROW

template <class Builder, class Value>
std::shared_ptr<arrow::Array> lists_of(const std::shared_ptr<arrow::ArrayBuilder>& values, bool fixed,
                                       const std::vector<std::vector<Value>>& lists, std::size_t null) {
  std::unique_ptr<arrow::ArrayBuilder> out;
  if (fixed)
    out = std::make_unique<arrow::FixedSizeListBuilder>(arrow::default_memory_pool(), values, 2);
  else
    out = std::make_unique<arrow::ListBuilder>(arrow::default_memory_pool(), values);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (i == null) {
      EXPECT_TRUE(out->AppendNull().ok());
      continue;
    }
    EXPECT_TRUE((fixed ? static_cast<arrow::FixedSizeListBuilder&>(*out).Append()
                       : static_cast<arrow::ListBuilder&>(*out).Append())
                    .ok());
    for (const Value one : lists[i]) EXPECT_TRUE(static_cast<Builder&>(*values).Append(one).ok());
  }
  return out->Finish().ValueOrDie();
}

class ArrowQuirks : public TableQuirks {
 protected:
  // Every way of writing it.
  Names written(const std::shared_ptr<arrow::Table>& table) const {
    write_parquet(path("a.parquet"), *table, 4);
    write_ipc(path("a.arrow"), table, 4, false);
    write_ipc(path("a.arrows"), table, 4, true);
    return {"a.parquet", "a.arrow", "a.arrows"};
  }
  template <class Builder, class Value>
  void expect_lists(bool fixed) {
    const Numbers rows = values();
    std::vector<std::vector<Value>> lists, ragged;
    for (std::size_t i = 0; i < kRows; ++i) {
      lists.push_back({static_cast<Value>(rows[2 * i]), static_cast<Value>(rows[2 * i + 1])});
      ragged.push_back(std::vector<Value>(i % 3));
    }
    const auto make = [&](const std::vector<std::vector<Value>>& of, bool fix, std::size_t null = kRows) {
      return lists_of<Builder, Value>(std::make_shared<Builder>(), fix, of, null);
    };
    const auto numbers = arrow_array<arrow::DoubleBuilder>(column(rows, 0));
    for (const std::string& file :
         written(arrow_table({{"r", make(ragged, false)}, {"w", numbers}, {"x", make(lists, fixed)}}))) {
      expect(file, {"x1", "x2"}, rows);
      expect(file, {"x"}, rows, 2);
      expect(file, {"x[1]", "w"}, turned(rows));
      expect(file, {"w", "x[1]"}, rows);
      expect(file, {"w"}, column(rows, 0));
      EXPECT_THAT(refusal(file, {"x"}), HasSubstr("column x holds 2 numbers per row, where one is needed"));
      EXPECT_THAT(refusal(file, {"r"}), HasSubstr("column r"));
    }
    for (const std::string& file : written(arrow_table({{"anything", make(lists, fixed)}})))
      expect(file, {"x1", "x2"}, rows);
    for (const std::string& file : written(arrow_table({{"w", numbers}, {"x", make(lists, fixed, 5)}})))
      EXPECT_THAT(refusal(file, {"x1", "x2"}), HasSubstr("column x[0] of row 6"));
    if (fixed) return;
    std::vector<std::vector<Value>> wrong = lists;
    wrong[9].push_back({});
    for (const std::string& file : written(arrow_table({{"w", numbers}, {"x", make(wrong, false)}})))
      EXPECT_THAT(refusal(file, {"x1", "x2"}), HasSubstr("column x of row 10 holds 3 numbers, and the first row 2"));
  }
};

TEST_F(ArrowQuirks, ListsOfOneLengthAreColumns) {
  for (const bool fixed : {false, true}) {
    SCOPED_TRACE(fixed);
    expect_lists<arrow::DoubleBuilder, double>(fixed);
    expect_lists<arrow::FloatBuilder, float>(fixed);
    expect_lists<arrow::Int64Builder, std::int64_t>(fixed);
    expect_lists<arrow::Int32Builder, std::int32_t>(fixed);
    expect_lists<arrow::Int16Builder, std::int16_t>(fixed);
    expect_lists<arrow::UInt8Builder, std::uint8_t>(fixed);
  }
}

TEST_F(ArrowQuirks, MasksBesideColumnsMarkWhatIsMissing) {
  arrow::BooleanBuilder mask;
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_TRUE(mask.Append(i == 6).ok());
  const Numbers rows = values();
  const auto table = arrow_table({{"x2", arrow_array<arrow::DoubleBuilder>(column(rows, 1))},
                                  {"x2.mask", mask.Finish().ValueOrDie()},
                                  {"x1", arrow_array<arrow::DoubleBuilder>(column(rows, 0))}});
  for (const std::string& file : written(table)) {
    EXPECT_THAT(refusal(file, {"x1", "x2"}), HasSubstr("column x2 of row 7"));
    expect(file, {"x1"}, column(rows, 0));
  }
}

TEST_F(ArrowQuirks, WhatIsMissingIsNoNumberWhateverStandsInItsPlace) {
  arrow::Int32Builder whole;
  arrow::BooleanBuilder flag;
  arrow::Int8Builder codes;
  for (int i = 0; i < 11; ++i) {
    EXPECT_TRUE((i == 7 ? whole.AppendNull() : whole.Append(i)).ok());
    EXPECT_TRUE((i == 8 ? flag.AppendNull() : flag.Append(i % 2 == 0)).ok());
    EXPECT_TRUE((i == 9 ? codes.AppendNull() : codes.Append(i == 10 ? 1 : 0)).ok());
  }
  arrow::DoubleBuilder values;
  EXPECT_TRUE(values.Append(0.5).ok() && values.AppendNull().ok());
  const auto dictionary = arrow::dictionary(arrow::int8(), arrow::float64());
  const std::shared_ptr<arrow::Array> code = codes.Finish().ValueOrDie();
  const auto coded =
      arrow::DictionaryArray::FromArrays(dictionary, code, arrow_array<arrow::DoubleBuilder>(Numbers{0.5, 1.5}))
          .ValueOrDie();
  // Parquet has no dictionaries that lack a value.
  write_ipc(path("lacks.arrow"),
            arrow_table({{"c", arrow::DictionaryArray::FromArrays(
                                   dictionary, arrow_array<arrow::Int8Builder>(std::vector<std::int8_t>{0, 0, 1}),
                                   values.Finish().ValueOrDie())
                                   .ValueOrDie()}}),
            4, false);
  EXPECT_THAT(refusal("lacks.arrow", {"c"}), HasSubstr("column c of row 3"));
  const auto table = arrow_table({{"w", whole.Finish().ValueOrDie()}, {"f", flag.Finish().ValueOrDie()}, {"c", coded}});
  for (const std::string& file : written(table)) {
    EXPECT_THAT(refusal(file, {"w"}), HasSubstr("column w of row 8"));
    EXPECT_THAT(refusal(file, {"f"}), HasSubstr("column f of row 9"));
    EXPECT_THAT(refusal(file, {"c"}), HasSubstr("column c of row 10"));
    const auto opened = open_table(path(file));
    Numbers out(7);
    opened->read(0, 7, {0}, out.data());
    EXPECT_EQ(out, (Numbers{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_THAT(refusal(file, {"w"}, 0, "events"), HasSubstr("holds one table alone; leave --table events out"));
  }
}

#endif

}  // namespace
}  // namespace pairs
