#include "tasks/table_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/files/files.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/tables/table_writers.h"
#if PAIRS_WITH_HDF5
#include <hdf5.h>
#endif

namespace pairs {
namespace {

using namespace pairs::table_files;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(const std::function<void()>& what) {
  try {
    what();
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

std::vector<double> read_columns(TableFile& table, const std::vector<std::string>& names, std::int64_t first,
                                 std::int64_t count) {
  const std::vector<std::size_t> places = places_in(table, names);
  std::vector<double> out(static_cast<std::size_t>(count) * places.size());
  table.read(first, count, places, out.data());
  return out;
}
std::vector<double> read_all(const std::filesystem::path& file, const std::vector<std::string>& names) {
  const auto table = open_table(file);
  return read_columns(*table, names, 0, table->rows());
}

// A damaged file is refused in a sentence, or what is read of it is finite: nothing else may happen.
void expect_reported(const std::filesystem::path& file, const std::vector<std::string>& names,
                     const std::string& what) {
  try {
    for (const double value : read_all(file, names)) ASSERT_TRUE(std::isfinite(value)) << what;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(file.filename().string())) << what;
  }
}

void expect_damage_reported(const std::filesystem::path& file, const std::vector<std::string>& names,
                            std::size_t cut_step, std::size_t flip_step) {
  const std::string whole = read_file(file);
  const std::filesystem::path damaged = file.parent_path() / ("damaged" + file.extension().string());
  for (std::size_t length = 0; length < whole.size(); length += cut_step) {
    std::ofstream(damaged, std::ios::binary) << whole.substr(0, length);
    EXPECT_NE(refusal_of([&] { (void)read_all(damaged, names); }), "accepted") << "cut at " << length;
  }
  for (std::size_t at = 0; at < whole.size(); at += flip_step) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ (1 << (at / flip_step % 8)));
    std::ofstream(damaged, std::ios::binary) << other;
    expect_reported(damaged, names, "a bit flipped at " + std::to_string(at));
  }
}

class TableFileTest : public ::testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  TemporaryFolder folder_;
};

TEST_F(TableFileTest, RefusesWhatIsNoTable) {
  EXPECT_THAT(refusal_of([&] { (void)open_table(path("none.parquet")); }), HasSubstr("does not exist"));
  std::ofstream(path("empty.parquet")).close();
  EXPECT_THAT(refusal_of([&] { (void)open_table(path("empty.parquet")); }), HasSubstr("is empty"));
  std::ofstream(path("a.xlsx")) << "x";
  EXPECT_THAT(refusal_of([&] { (void)open_table(path("a.xlsx")); }), HasSubstr("holds no numbers"));
  std::ofstream(path("b.xlsx")) << std::string("PK\x03\x04") + std::string(22, '\0') + std::string("\x13\0\0\0", 4) +
                                       "[Content_Types].xml";
  EXPECT_THAT(refusal_of([&] { (void)open_table(path("b.xlsx")); }), HasSubstr("is an Excel workbook"));
  std::filesystem::create_directory(path("folder.parquet"));
  EXPECT_THAT(refusal_of([&] { (void)open_table(path("folder.parquet")); }), HasSubstr("no regular file"));
  for (const std::string& ending : table_endings()) {
    std::ofstream(path("noise" + ending)) << "no table at all, only text";
    EXPECT_THAT(refusal_of([&] { (void)open_table(path("noise" + ending)); }), HasSubstr("noise" + ending));
  }
}

#if PAIRS_WITH_ARROW

constexpr std::int64_t kRows = 1000;
std::vector<double> numbers(double scale) {
  std::vector<double> values(kRows);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scale * static_cast<double>(i) - 3;
  return values;
}

// Every type that is numbers, and some that are none.
std::shared_ptr<arrow::Table> all_types() {
  std::vector<float> single;
  std::vector<std::int64_t> whole;
  std::vector<std::uint8_t> small;
  std::vector<bool> flag;
  std::vector<std::string> text;
  std::vector<std::int32_t> index;
  for (std::int64_t i = 0; i < kRows; ++i) {
    single.push_back(0.25f * static_cast<float>(i));
    whole.push_back(i * 1000000007);
    small.push_back(static_cast<std::uint8_t>(i % 256));
    flag.push_back(i % 3 == 0);
    text.push_back("row " + std::to_string(i));
    index.push_back(static_cast<std::int32_t>(i % 2));
  }
  const auto dictionary =
      arrow::DictionaryArray::FromArrays(arrow_array<arrow::Int32Builder>(index),
                                         arrow_array<arrow::DoubleBuilder>(std::vector<double>{-1.5, 7}))
          .ValueOrDie();
  arrow::TimestampBuilder times(arrow::timestamp(arrow::TimeUnit::SECOND), arrow::default_memory_pool());
  for (std::int64_t i = 0; i < kRows; ++i) EXPECT_TRUE(times.Append(i).ok());
  return arrow_table({{"double", arrow_array<arrow::DoubleBuilder>(numbers(0.5))},
                      {"text", arrow_array<arrow::StringBuilder>(text)},
                      {"single", arrow_array<arrow::FloatBuilder>(single)},
                      {"whole", arrow_array<arrow::Int64Builder>(whole)},
                      {"small", arrow_array<arrow::UInt8Builder>(small)},
                      {"flag", arrow_array<arrow::BooleanBuilder>(flag)},
                      {"coded", dictionary},
                      {"when", times.Finish().ValueOrDie()}});
}

void expect_all_types(TableFile& table) {
  ASSERT_EQ(table.rows(), kRows);
  const std::vector<std::string> names = {"flag", "double", "coded", "single", "small", "whole"};
  // Forwards, backwards, across groups of rows, and single ones.
  for (const auto& [first, count] :
       {std::pair<std::int64_t, std::int64_t>{0, 1000}, {990, 10}, {0, 1}, {95, 220}, {500, 1}}) {
    const std::vector<double> read = read_columns(table, names, first, count);
    for (std::int64_t i = 0; i < count; ++i) {
      const double* row = read.data() + 6 * i;
      const auto k = static_cast<double>(first + i);
      EXPECT_EQ(row[0], (first + i) % 3 == 0);
      EXPECT_EQ(row[1], 0.5 * k - 3);
      EXPECT_EQ(row[2], (first + i) % 2 == 0 ? -1.5 : 7);
      EXPECT_EQ(row[3], 0.25 * k);
      EXPECT_EQ(row[4], (first + i) % 256);
      EXPECT_EQ(row[5], k * 1000000007.0);
    }
  }
  EXPECT_THAT(refusal_of([&] { (void)places_in(table, {"text"}); }),
              AllOf(HasSubstr("text"), HasSubstr("not numbers")));
  EXPECT_THAT(refusal_of([&] { (void)places_in(table, {"when"}); }), HasSubstr("times (timestamp["));
}

TEST_F(TableFileTest, ReadsEveryTypeOfNumberFromParquetAndArrow) {
  const auto table = all_types();
  write_parquet(path("a.parquet"), *table, 100);
  write_ipc(path("a.arrow"), table, 100, false);
  write_ipc(path("a.feather"), table, 1000, false);
  write_ipc(path("a.arrows"), table, 100, true);
  for (const char* name : {"a.parquet", "a.arrow", "a.feather", "a.arrows"}) {
    SCOPED_TRACE(name);
    const auto opened = open_table(path(name));
    expect_all_types(*opened);
  }
}

TEST_F(TableFileTest, ReadsAnyColumnAsTexts) {
  const auto words = arrow_array<arrow::StringBuilder, std::string>({"a \"b\"", "", "\xc3\xa9t\xc3\xa9", "a"});
  const auto codes = arrow::DictionaryArray::FromArrays(arrow::dictionary(arrow::int8(), arrow::utf8()),
                                                        arrow_array<arrow::Int8Builder, std::int8_t>({1, 0, 1, 1}),
                                                        arrow_array<arrow::StringBuilder, std::string>({"off", "on"}))
                         .ValueOrDie();
  arrow::Int64Builder missing;
  ASSERT_TRUE(missing.AppendValues({9007199254740993, 0, -5}).ok() && missing.AppendNull().ok());
  const auto table = arrow_table({{"words", words},
                                  {"codes", codes},
                                  {"whole", missing.Finish().ValueOrDie()},
                                  {"real", arrow_array<arrow::DoubleBuilder, double>({0.1, 17, -1e300, NAN})}});
  write_parquet(path("a.parquet"), *table, 2);
  write_ipc(path("a.arrow"), table, 3, false);
  for (const char* name : {"a.parquet", "a.arrow"}) {
    SCOPED_TRACE(name);
    const auto opened = open_table(path(name));
    const auto texts = [&](std::size_t place, std::int64_t first, std::int64_t count) {
      std::vector<std::string> out = {"before"};
      opened->read_texts(first, count, place, out);
      return out;
    };
    using Texts = std::vector<std::string>;
    EXPECT_EQ(texts(0, 0, 4), (Texts{"a \"b\"", "", "\xc3\xa9t\xc3\xa9", "a"}));
    EXPECT_EQ(texts(1, 1, 2), (Texts{"off", "on"}));
    EXPECT_EQ(texts(2, 0, 4), (Texts{"9007199254740993", "0", "-5", ""})) << "more digits than a double holds";
    EXPECT_EQ(texts(3, 0, 4), (Texts{"0.1", "17", "-1e+300", ""}));
    EXPECT_EQ(texts(3, 2, 0), Texts());
    EXPECT_THROW(texts(3, 2, 3), Error);
  }
  write_parquet(path("b.parquet"), *all_types(), 1000);
  std::vector<std::string> out;
  const auto other = open_table(path("b.parquet"));
  const std::vector<std::string> names = other->names();
  const auto when = static_cast<std::size_t>(std::find(names.begin(), names.end(), "when") - names.begin());
  EXPECT_THAT(refusal_of([&] { other->read_texts(0, 1, when, out); }), HasSubstr("column when holds times"));
}

TEST_F(TableFileTest, FindsColumnsByNameOrNumber) {
  write_parquet(path("a.parquet"), *all_types(), 1000);
  const auto table = open_table(path("a.parquet"));
  EXPECT_EQ(places_in(*table, {"small", "double"}), (std::vector<std::size_t>{4, 0}));
  EXPECT_EQ(places_in(*table, {"column 3"}), (std::vector<std::size_t>{2}));
  try {
    (void)places_in(*table, {"double", "mass"});
    ADD_FAILURE();
  } catch (const ColumnsError& error) {
    EXPECT_EQ(error.columns(), table->names());
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("double, text, single"), HasSubstr("double, mass are, in any order, needed")));
  }
  EXPECT_THAT(refusal_of([&] { (void)places_in(*table, {"small", "small"}); }), HasSubstr("asked for twice"));
  write_parquet(path("one.parquet"), *arrow_table({{"anything", arrow_array<arrow::DoubleBuilder>(numbers(1))}}), 1000);
  EXPECT_EQ(read_all(path("one.parquet"), {"x"}), numbers(1)) << "the only column may have any name";
}

TEST_F(TableFileTest, NamesTheRowOfAMissingOrInfiniteValue) {
  arrow::DoubleBuilder some;
  for (int i = 0; i < 50; ++i) ASSERT_TRUE((i == 36 ? some.AppendNull() : some.Append(i)).ok());
  std::vector<double> other(50, 1.0);
  other[41] = std::numeric_limits<double>::quiet_NaN();
  const auto table = arrow_table({{"u", some.Finish().ValueOrDie()}, {"v", arrow_array<arrow::DoubleBuilder>(other)}});
  write_parquet(path("a.parquet"), *table, 20);
  write_ipc(path("a.arrow"), table, 20, false);
  for (const char* name : {"a.parquet", "a.arrow"}) {
    EXPECT_THAT(refusal_of([&] {
                  (void)read_all(path(name), {"u", "v"});
                }),
                AllOf(HasSubstr(name), HasSubstr(std::string(name) + ": column u of row 37 is missing or nan")));
    EXPECT_THAT(refusal_of([&] { (void)read_all(path(name), {"v", "column 1"}); }), HasSubstr("column u of row 37"));
    const auto opened = open_table(path(name));
    std::vector<double> out(50);
    EXPECT_THAT(refusal_of([&] { opened->read(0, 50, {1}, out.data()); }),
                HasSubstr("column v of row 42 is missing or nan"));
    EXPECT_EQ(read_columns(*opened, {"u", "v"}, 0, 36).size(), 72u) << "the rows before are read";
    opened->read_with_missing(30, 20, {0}, out.data());
    EXPECT_TRUE(std::isnan(out[6]));
    EXPECT_EQ(out[5], 35);
    EXPECT_EQ(out[7], 37);
  }
  EXPECT_THAT(refusal_of([&] { (void)open_table(path("a.parquet"))->read(40, 11, {0}, nullptr); }),
              HasSubstr("has 50 rows"));
}

TEST_F(TableFileTest, TellsOfDamage) {
  const auto table = arrow_table({{"u", arrow_array<arrow::DoubleBuilder>(numbers(0.5))},
                                  {"v", arrow_array<arrow::Int64Builder>(std::vector<std::int64_t>(kRows, 3))}});
  write_parquet(path("a.parquet"), *table, 300);
  write_ipc(path("a.arrow"), table, 300, false);
  expect_damage_reported(path("a.parquet"), {"u", "v"}, 97, 11);
  expect_damage_reported(path("a.arrow"), {"u", "v"}, 97, 29);
}

#endif

#if PAIRS_WITH_HDF5

struct Event {
  double energy;
  std::int32_t hits;
  float weight[2];
};

void write_events(const std::filesystem::path& file, const std::string& name, std::int64_t chunk) {
  std::vector<Event> events;
  for (int i = 0; i < 1000; ++i) events.push_back({0.5 * i, i - 7, {1, 2}});
  const hsize_t rows = events.size(), chunks = static_cast<hsize_t>(chunk), two = 2;
  const hid_t out = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
              space = H5Screate_simple(1, &rows, nullptr), created = H5Pcreate(H5P_DATASET_CREATE),
              links = H5Pcreate(H5P_LINK_CREATE), pair = H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &two),
              type = H5Tcreate(H5T_COMPOUND, sizeof(Event));
  H5Tinsert(type, "energy", offsetof(Event, energy), H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "hits", offsetof(Event, hits), H5T_NATIVE_INT32);
  H5Tinsert(type, "weight", offsetof(Event, weight), pair);
  H5Pset_create_intermediate_group(links, 1);
  if (chunk > 0) {
    H5Pset_chunk(created, 1, &chunks);
    H5Pset_deflate(created, 4);
  }
  const hid_t set = H5Dcreate2(out, name.c_str(), type, space, links, created, H5P_DEFAULT);
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, events.data());
  for (const hid_t id : {type, pair}) H5Tclose(id);
  for (const hid_t id : {created, links}) H5Pclose(id);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(out);
}

TEST_F(TableFileTest, ReadsFieldsOfHdf5Tables) {
  EXPECT_NE(refusal_of([&] {
              std::ofstream(path("first.h5")) << "noise";
              (void)open_table(path("first.h5"));
            }),
            "accepted");  // the program's own code meets the library first, as it does in the program
  for (const std::int64_t chunk : {0, 100}) {
    write_events(path("a.h5"), "run/events", chunk);
    const auto table = open_table(path("a.h5"));
    ASSERT_EQ(table->rows(), 1000);
    EXPECT_EQ(table->names(), (std::vector<std::string>{"energy", "hits", "weight[0]", "weight[1]"}));
    const std::vector<double> read = read_columns(*table, {"hits", "energy"}, 300, 500);
    for (int i = 0; i < 500; ++i) {
      EXPECT_EQ(read[2 * i], 300 + i - 7);
      EXPECT_EQ(read[2 * i + 1], 0.5 * (300 + i));
    }
    EXPECT_THAT(
        refusal_of([&] { (void)places_in(*table, {"weight"}); }),
        HasSubstr("column weight holds 2 numbers per row, where one is needed; choose one of them, such as weight[0]"));
    EXPECT_EQ(read_columns(*table, {"weight[1]", "weight[0]"}, 998, 2), (std::vector<double>{2, 1, 2, 1}));
    const std::string whole = read_file(path("a.h5"));
    for (std::size_t length = 1; length < whole.size(); length += 997) {
      std::ofstream(path("cut.h5"), std::ios::binary) << whole.substr(0, length);
      EXPECT_NE(refusal_of([&] { (void)read_all(path("cut.h5"), {"hits", "energy"}); }), "accepted") << length;
    }
  }
}

TEST_F(TableFileTest, ReadsColumnsAndMatricesOfHdf5) {
  const auto write = [&](const std::string& name,
                         const std::vector<std::pair<std::string, std::vector<hsize_t>>>& sets) {
    const hid_t out = H5Fcreate(path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (const auto& [called, extents] : sets) {
      const auto count = std::accumulate(extents.begin(), extents.end(), hsize_t{1}, std::multiplies<>());
      std::vector<float> values(count);
      std::iota(values.begin(), values.end(), called == "v" ? 100.0f : 0.0f);
      const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
      const hid_t set = H5Dcreate2(out, called.c_str(), H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      H5Dclose(set);
      H5Sclose(space);
    }
    H5Fclose(out);
  };
  write("columns.h5", {{"u", {5}}, {"v", {5}}});
  EXPECT_EQ(read_all(path("columns.h5"), {"v", "u"}), (std::vector<double>{100, 0, 101, 1, 102, 2, 103, 3, 104, 4}));
  write("matrix.h5", {{"x", {3, 2}}, {"theta", {1}}});
  EXPECT_EQ(read_all(path("matrix.h5"), {"u", "v"}), (std::vector<double>{0, 1, 2, 3, 4, 5})) << "in the task's order";
  EXPECT_EQ(read_all(path("matrix.h5"), {"column 2"}), (std::vector<double>{1, 3, 5}));
  EXPECT_EQ(read_all(path("matrix.h5"), {"column 2", "column 1"}), (std::vector<double>{1, 0, 3, 2, 5, 4}));
  write("ragged.h5", {{"u", {5}}, {"v", {4}}});
  EXPECT_THAT(refusal_of([&] {
                (void)open_table(path("ragged.h5"), {"", {"u", "v"}});
              }),
              HasSubstr("differ in length, u has 5 rows and v has 4"));
  EXPECT_EQ(open_table(path("ragged.h5"), {"", {"v"}})->rows(), 4);
}

#endif

#if PAIRS_WITH_FITS

TEST_F(TableFileTest, ReadsFitsTables) {
  write_fits(path("a.fits"), {0.5, -2.25, 1e9}, {-10, 0, 490});
  const auto table = open_table(path("a.fits"));
  EXPECT_EQ(table->names(), (std::vector<std::string>{"energy", "hits", "name"}));
  EXPECT_EQ(read_columns(*table, {"hits", "energy"}, 0, 3), (std::vector<double>{0, 0.5, 20, -2.25, 1000, 1e9}))
      << "scaled as TSCAL and TZERO say";
  EXPECT_EQ(read_columns(*table, {"energy"}, 1, 1), (std::vector<double>{-2.25}));
  EXPECT_THAT(refusal_of([&] { (void)places_in(*table, {"name"}); }), HasSubstr("holds text, not numbers"));
  std::vector<std::string> texts;
  table->read_texts(1, 2, 2, texts);
  EXPECT_EQ(texts, (std::vector<std::string>{"abcd", "abcd"}));
  table->read_texts(0, 3, 1, texts);
  EXPECT_EQ(texts, (std::vector<std::string>{"0", "20", "1000"}));
  table->read_texts(0, 3, 0, texts);
  EXPECT_EQ(texts, (std::vector<std::string>{"0.5", "-2.25", "1e+09"}));
  write_fits(path("nan.fits"), {0.5, std::numeric_limits<double>::quiet_NaN()}, {0, 0});
  EXPECT_THAT(refusal_of([&] { (void)read_all(path("nan.fits"), {"energy"}); }),
              HasSubstr("column energy of row 2 is missing or nan"));
  // Within the last block are the rows themselves.
  const std::string whole = read_file(path("a.fits"));
  for (std::size_t length = 0; length <= whole.size() - 2880; length += 97) {
    std::ofstream(path("cut.fits"), std::ios::binary) << whole.substr(0, length);
    EXPECT_NE(refusal_of([&] { (void)read_all(path("cut.fits"), {"energy"}); }), "accepted") << length;
  }
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ (1 << (at % 8)));
    std::ofstream(path("damaged.fits"), std::ios::binary) << other;
    expect_reported(path("damaged.fits"), {"energy"}, "a bit flipped at " + std::to_string(at));
  }
}

#endif

}  // namespace
}  // namespace pairs
