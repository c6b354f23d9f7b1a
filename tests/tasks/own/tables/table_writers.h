#pragma once

#include <gtest/gtest.h>

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

}  // namespace pairs::table_files
