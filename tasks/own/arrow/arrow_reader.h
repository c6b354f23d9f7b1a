#pragma once

#include <arrow/api.h>
#include <arrow/io/file.h>

#include <memory>
#include <string>
#include <vector>

#include "tasks/own/tables/table_module.h"

namespace pairs {

// Throws std::runtime_error where it is no success: `what` with Arrow's reason before its first semicolon.
void check(const arrow::Status& status, const char* what);
// The value of a result; else throws likewise.
template <class Value>
Value value_of(arrow::Result<Value> result, const char* what) {
  check(result.status(), what);
  return std::move(result).ValueUnsafe();
}

inline constexpr const char* kDamaged = "it is damaged or cut short; write it again";
// Rows that are held at once.
inline constexpr std::int64_t kBatchRows = 1 << 16;

// The columns of a schema, with what those hold that are no numbers.
std::vector<TableModule::Column> columns_of(const arrow::Schema& schema);

// Numbers first .. first + count - 1 of an array into out[0], out[stride], ... as float64. `name` and `row`, the
// table's number of the array's first value, are for errors. A missing value is NaN.
void copy_numbers(const arrow::Array& array, std::int64_t first, std::int64_t count, const std::string& name,
                  std::int64_t row, double* out, std::size_t stride);

// The same values as texts: texts as they are, whole numbers as such, others in the fewest digits that read back; ""
// where one is missing. Throws std::runtime_error where the column holds neither.
void copy_texts(const arrow::Array& array, std::int64_t first, std::int64_t count, const std::string& name,
                std::vector<std::string>& out);

// A table that comes as batches of rows one after the other, of which some columns are read.
class BatchedReader : public TableModule {
 public:
  const std::vector<Column>& columns() const override { return columns_; }
  std::int64_t rows() const override { return rows_; }
  void read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override;
  void read_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out) override;

 protected:
  // Batches of these columns, in this order, from the one on that holds `row` or from an earlier one.
  struct Batches {
    std::shared_ptr<arrow::RecordBatchReader> reader;
    std::int64_t first = 0;  // row of the table that it begins with
  };
  virtual Batches begin(std::int64_t row, const std::vector<std::size_t>& places) = 0;

  std::vector<Column> columns_;
  std::int64_t rows_ = 0;

 private:
  // Makes batch_ the one that holds `row`.
  void find(std::int64_t row, const std::vector<std::size_t>& places);
  bool next();

  std::vector<std::size_t> places_;  // that batches_ holds
  Batches batches_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::int64_t batch_first_ = 0;
};

std::unique_ptr<TableModule> open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file);
std::unique_ptr<TableModule> open_ipc_file(std::shared_ptr<arrow::io::RandomAccessFile> file);
// `path`: it is opened anew whenever rows before the last ones are asked for.
std::unique_ptr<TableModule> open_ipc_stream(const std::string& path);

}  // namespace pairs
