#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#if PAIRS_WITH_ARROW
#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <parquet/arrow/writer.h>
#endif
#if PAIRS_WITH_HDF5
#include <hdf5.h>
#endif

// Tables as files, for tests.

namespace pairs::table_files {

#if PAIRS_WITH_ARROW
template <class Builder, class Value>
std::shared_ptr<arrow::Array> arrow_array(const std::vector<Value>& values) {
  Builder builder;
  for (const Value& value : values) EXPECT_TRUE(builder.Append(value).ok());
  return builder.Finish().ValueOrDie();
}
inline std::shared_ptr<arrow::Table> arrow_table(
    const std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>>& columns) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(array);
  }
  return arrow::Table::Make(arrow::schema(fields), arrays);
}
// In groups of `group` rows.
inline void write_parquet(const std::filesystem::path& file, const arrow::Table& table, std::int64_t group) {
  const auto out = arrow::io::FileOutputStream::Open(file.string()).ValueOrDie();
  ASSERT_TRUE(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), out, group).ok());
}
// Batches of `group` rows; `stream`: as a stream rather than a file.
inline void write_ipc(const std::filesystem::path& file, const std::shared_ptr<arrow::Table>& table, std::int64_t group,
                      bool stream) {
  const auto out = arrow::io::FileOutputStream::Open(file.string()).ValueOrDie();
  const auto writer =
      (stream ? arrow::ipc::MakeStreamWriter(out, table->schema()) : arrow::ipc::MakeFileWriter(out, table->schema()))
          .ValueOrDie();
  arrow::TableBatchReader batches(*table);
  batches.set_chunksize(group);
  for (std::shared_ptr<arrow::RecordBatch> batch; batches.ReadNext(&batch).ok() && batch;)
    ASSERT_TRUE(writer->WriteRecordBatch(*batch).ok());
  ASSERT_TRUE(writer->Close().ok());
}
#endif

// A FITS file by the letter of the standard, without its library: an empty image, then a binary table of the columns
// energy (float64), hits (16-bit whole numbers, stored as value / 2 - 10 by TSCAL and TZERO) and name (text).
inline void write_fits(const std::filesystem::path& file, const std::vector<double>& energy,
                       const std::vector<std::int16_t>& stored_hits) {
  std::string text;
  const auto card = [&](const std::string& line) { text += line + std::string(80 - line.size(), ' '); };
  const auto value = [&](const std::string& key, const std::string& is) {
    card(key + std::string(8 - key.size(), ' ') + "= " + std::string(is.size() < 20 ? 20 - is.size() : 0, ' ') + is);
  };
  const auto fill = [&](char with) { text += std::string((2880 - text.size() % 2880) % 2880, with); };
  value("SIMPLE", "T");
  value("BITPIX", "8");
  value("NAXIS", "0");
  value("EXTEND", "T");
  card("END");
  fill(' ');
  card("XTENSION= 'BINTABLE'");
  value("BITPIX", "8");
  value("NAXIS", "2");
  value("NAXIS1", "14");
  value("NAXIS2", std::to_string(energy.size()));
  value("PCOUNT", "0");
  value("GCOUNT", "1");
  value("TFIELDS", "3");
  card("TTYPE1  = 'energy  '");
  card("TFORM1  = '1D      '");
  card("TTYPE2  = 'hits    '");
  card("TFORM2  = '1I      '");
  value("TSCAL2", "2.0");
  value("TZERO2", "20.0");
  card("TTYPE3  = 'name    '");
  card("TFORM3  = '4A      '");
  card("END");
  fill(' ');
  for (std::size_t row = 0; row < energy.size(); ++row) {
    std::uint64_t bits;
    std::memcpy(&bits, &energy[row], 8);
    for (int byte = 7; byte >= 0; --byte) text += static_cast<char>(bits >> (8 * byte));
    const auto hits = static_cast<std::uint16_t>(stored_hits[row]);
    text += static_cast<char>(hits >> 8);
    text += static_cast<char>(hits);
    text += "abcd";
  }
  fill('\0');
  std::ofstream(file, std::ios::binary) << text;
}

// Bytes of a number as a big-endian file holds it.
template <class Number>
std::string big_endian(Number number) {
  std::string bytes(reinterpret_cast<const char*>(&number), sizeof number);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

// A column of a binary FITS table: D, E, K, J, I or B numbers, L truths, or A characters, `repeat` a row; `cells` are
// the bytes of all rows.
struct FitsColumn {
  std::string name;
  char format;
  std::int64_t repeat;
  std::string cells;
  std::vector<std::string> cards = {};  // further ones, without the number: "TNULL = -99"
};
// `values`: [rows, repeat].
inline FitsColumn fits_column(const std::string& name, char format, std::int64_t repeat,
                              const std::vector<double>& values) {
  FitsColumn out{name, format, repeat, ""};
  for (const double value : values)
    out.cells += format == 'D'   ? big_endian(value)
                 : format == 'E' ? big_endian(static_cast<float>(value))
                 : format == 'K' ? big_endian(static_cast<std::int64_t>(value))
                 : format == 'J' ? big_endian(static_cast<std::int32_t>(value))
                 : format == 'I' ? big_endian(static_cast<std::int16_t>(value))
                 : format == 'B' ? big_endian(static_cast<std::uint8_t>(value))
                                 : std::string(1, value != 0 ? 'T' : 'F');
  return out;
}
struct FitsTable {
  std::string name;  // "": none
  std::vector<FitsColumn> columns;
  std::int64_t rows = 0;
};

// A FITS file of an image and tables.
inline void write_fits_tables(const std::filesystem::path& file, const std::vector<FitsTable>& tables) {
  std::string text;
  const auto card = [&](const std::string& key, std::string is) {
    if (is.front() == '\'') is.resize(std::max<std::size_t>(is.size(), 10), ' ');
    const std::string line =
        key + std::string(8 - key.size(), ' ') + "= " + std::string(is.size() < 20 ? 20 - is.size() : 0, ' ') + is;
    text += line + std::string(80 - line.size(), ' ');
  };
  const auto end = [&] {
    text += "END" + std::string(77, ' ');
    text += std::string((2880 - text.size() % 2880) % 2880, ' ');
  };
  for (const auto& [key, is] : std::vector<std::pair<std::string, std::string>>{
           {"SIMPLE", "T"}, {"BITPIX", "8"}, {"NAXIS", "1"}, {"NAXIS1", "3"}, {"EXTEND", "T"}})
    card(key, is);
  end();
  text += "img" + std::string(2877, '\0');
  for (const FitsTable& table : tables) {
    std::size_t width = 0;
    for (const FitsColumn& one : table.columns) width += one.cells.size() / static_cast<std::size_t>(table.rows);
    const std::string begin = "XTENSION= 'BINTABLE'";
    text += begin + std::string(80 - begin.size(), ' ');
    for (const auto& [key, is] :
         std::vector<std::pair<std::string, std::string>>{{"BITPIX", "8"},
                                                          {"NAXIS", "2"},
                                                          {"NAXIS1", std::to_string(width)},
                                                          {"NAXIS2", std::to_string(table.rows)},
                                                          {"PCOUNT", "0"},
                                                          {"GCOUNT", "1"},
                                                          {"TFIELDS", std::to_string(table.columns.size())}})
      card(key, is);
    if (!table.name.empty()) {
      const std::string name = "EXTNAME = '" + table.name + "'";
      text += name + std::string(80 - name.size(), ' ');
    }
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const FitsColumn& one = table.columns[k];
      const std::string number = std::to_string(k + 1);
      for (const std::string& line : {"TTYPE" + number + "  = '" + one.name + "'",
                                      "TFORM" + number + "  = '" + std::to_string(one.repeat) + one.format + "'"})
        text += line + std::string(80 - line.size(), ' ');
      for (const std::string& further : one.cards) {
        const std::size_t blank = further.find(' ');
        card(further.substr(0, blank) + number, further.substr(further.rfind(' ') + 1));
      }
    }
    end();
    for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows); ++row)
      for (const FitsColumn& one : table.columns) {
        const std::size_t each = one.cells.size() / static_cast<std::size_t>(table.rows);
        text += one.cells.substr(row * each, each);
      }
    text += std::string((2880 - text.size() % 2880) % 2880, '\0');
  }
  std::ofstream(file, std::ios::binary) << text;
}

#if PAIRS_WITH_HDF5
// A HDF5 file that is written to.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::filesystem::path& file)
      : file_(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)), links_(H5Pcreate(H5P_LINK_CREATE)) {
    H5Pset_create_intermediate_group(links_, 1);
  }
  ~Hdf5Writer() {
    H5Pclose(links_);
    H5Fclose(file_);
  }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  // Values that lie in memory as `memory` says, stored as `stored`; in chunks of so many rows, deflated, where that is
  // not 0.
  void write(const std::string& name, hid_t memory, hid_t stored, const std::vector<hsize_t>& extents,
             const void* values, hsize_t chunk = 0) {
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                created = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0) {
      std::vector<hsize_t> chunks = extents;
      chunks[0] = std::min(chunks[0], chunk);
      H5Pset_chunk(created, static_cast<int>(chunks.size()), chunks.data());
      H5Pset_deflate(created, 4);
    }
    const hid_t set = H5Dcreate2(file_, name.c_str(), stored, space, links_, created, H5P_DEFAULT);
    EXPECT_GE(set, 0) << name;
    H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Pclose(created);
    H5Sclose(space);
  }
  void write(const std::string& name, const std::vector<double>& values, hsize_t wide = 0) {
    std::vector<hsize_t> extents = {values.size()};
    if (wide > 0) extents = {values.size() / wide, wide};
    write(name, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, extents, values.data());
  }
  // Texts of one length, filled up with zeros.
  void write(const std::string& name, const std::vector<std::string>& texts) {
    std::size_t length = 1;
    for (const std::string& one : texts) length = std::max(length, one.size());
    std::string bytes;
    for (const std::string& one : texts) bytes += one + std::string(length - one.size(), '\0');
    const hid_t type = text_type(length);
    write(name, type, type, {texts.size()}, bytes.data());
    H5Tclose(type);
  }
  // A text as an attribute of a group or data set.
  void attribute(const std::string& object, const std::string& name, const std::string& value) {
    const hid_t type = text_type(value.size()), space = H5Screate(H5S_SCALAR),
                one = H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT,
                                        H5P_DEFAULT);
    EXPECT_GE(one, 0) << object << name;
    H5Awrite(one, type, value.data());
    H5Aclose(one);
    H5Sclose(space);
    H5Tclose(type);
  }

  // A list of texts, of one length or of any.
  void attribute(const std::string& object, const std::string& name, const std::vector<std::string>& texts,
                 bool any_length) {
    const hsize_t count = texts.size();
    std::size_t length = 1;
    std::vector<const char*> places;
    for (const std::string& one : texts) {
      length = std::max(length, one.size());
      places.push_back(one.c_str());
    }
    std::string bytes;
    for (const std::string& one : texts) bytes += one + std::string(length - one.size(), '\0');
    const hid_t type = text_type(any_length ? H5T_VARIABLE : length), space = H5Screate_simple(1, &count, nullptr),
                one = H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT,
                                        H5P_DEFAULT);
    EXPECT_GE(one, 0) << object << name;
    H5Awrite(one, type, any_length ? static_cast<const void*>(places.data()) : bytes.data());
    H5Aclose(one);
    H5Sclose(space);
    H5Tclose(type);
  }
  // Makes a data set the scale along the second axis of another of two axes, as the dimension scales of the library are
  // kept.
  void second_scale(const std::string& object, const std::string& scale) {
    const hsize_t axes = 2;
    hobj_ref_t reference = 0;
    H5Rcreate(&reference, file_, scale.c_str(), H5R_OBJECT, -1);
    const hvl_t lists[2] = {{0, nullptr}, {1, &reference}};
    const hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ), space = H5Screate_simple(1, &axes, nullptr),
                one = H5Acreate_by_name(file_, object.c_str(), "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT,
                                        H5P_DEFAULT);
    EXPECT_GE(one, 0) << object;
    H5Awrite(one, type, lists);
    H5Aclose(one);
    H5Sclose(space);
    H5Tclose(type);
  }

  // Numbers.
  void attribute(const std::string& object, const std::string& name, const std::vector<double>& values) {
    const hsize_t count = values.size();
    const hid_t space = H5Screate_simple(1, &count, nullptr),
                one = H5Acreate_by_name(file_, object.c_str(), name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(one, 0) << object << name;
    H5Awrite(one, H5T_NATIVE_DOUBLE, values.data());
    H5Aclose(one);
    H5Sclose(space);
  }

 private:
  static hid_t text_type(std::size_t length) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
  }

  hid_t file_, links_;
};

// h5py's boolean: an enumeration of one byte.
inline hid_t h5py_bool() {
  const hid_t type = H5Tenum_create(H5T_STD_I8LE);
  for (const std::int8_t value : {0, 1}) H5Tenum_insert(type, value == 1 ? "TRUE" : "FALSE", &value);
  return type;
}
#endif

}  // namespace pairs::table_files
