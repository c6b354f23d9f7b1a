#pragma once

#include <arrow/api.h>
#include <arrow/io/file.h>

#include <memory>
#include <string>
#include <vector>

#include "tasks/own/tables/table_module.h"

namespace pairs {

// Throws std::runtime_error unless the status is a success: `what`, followed by Arrow's reason up to its first
// semicolon.
void check(const arrow::Status& status, const char* what);
// The value of a result; throws like check() if there is none.
template <class Value>
Value value_of(arrow::Result<Value> result, const char* what) {
  check(result.status(), what);
  return std::move(result).ValueUnsafe();
}

inline constexpr const char* kDamaged = "it is damaged or cut short; write it again";
// Rows held in memory at once.
inline constexpr std::int64_t kBatchRows = 1 << 16;

// The columns of a schema, with a description of those that do not hold numbers. A list of numbers counts as such here,
// unless all lists have one fixed size.
std::vector<TableModule::Column> columns_of(const arrow::Schema& schema);

// Copies values first .. first + count - 1 of an array to out[0], out[stride], ... as float64, lists of
// `column.numbers` numbers one after another; NaN for a missing one. `row`, the table's row of the array's first value,
// is for errors. Throws std::runtime_error for a list of another length.
void copy_numbers(const arrow::Array& array, std::int64_t first, std::int64_t count, const TableModule::Column& column,
                  std::int64_t row, double* out, std::size_t stride);
// Whether a type is lists of numbers, of any length.
bool is_list_of_numbers(const arrow::DataType& type);

// Copies these values as texts: texts unchanged, whole numbers as such, others with the fewest digits that read back
// exactly; "" for a missing one. Throws std::runtime_error if the column holds neither.
void copy_texts(const arrow::Array& array, std::int64_t first, std::int64_t count, const std::string& name,
                std::vector<std::string>& out);

// A table that arrives as consecutive batches of rows, of which some columns are read.
class BatchedReader : public TableModule {
 public:
  const std::vector<Table>& tables() const override { return tables_; }
  void choose(std::size_t table, const std::vector<std::string>& wanted) override;
  const std::vector<Column>& columns() const override { return tables_.front().columns; }
  std::int64_t rows() const override { return rows_; }
  void read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) override;
  void read_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out) override;

 protected:
  // Batches of these columns, in this order, starting with the one that holds `row` or with an earlier one.
  struct Batches {
    std::shared_ptr<arrow::RecordBatchReader> reader;
    std::int64_t first = 0;  // the table's row where it begins
  };
  virtual Batches begin(std::int64_t row, const std::vector<std::size_t>& places) = 0;

  void take_schema(const arrow::Schema& schema);
  // The first column of numbers, which is read to count rows.
  std::size_t countable() const;
  std::int64_t rows_ = 0;

 private:
  // The length of a column's lists, from the first that is not missing; 0 if unknown.
  std::int64_t length_of_lists(std::size_t place);
  // Makes batch_ the batch that holds `row`.
  void find(std::int64_t row, const std::vector<std::size_t>& places);
  bool next();

  std::vector<Table> tables_{1};
  std::vector<std::size_t> lists_;   // columns of lists whose lengths are not in the schema
  std::vector<std::size_t> places_;  // the columns in batches_
  Batches batches_;
  std::shared_ptr<arrow::RecordBatch> batch_;
  std::int64_t batch_first_ = 0;
};

std::unique_ptr<TableModule> open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file);
std::unique_ptr<TableModule> open_ipc_file(std::shared_ptr<arrow::io::RandomAccessFile> file);
// `path`: the file is opened again whenever earlier rows are read.
std::unique_ptr<TableModule> open_ipc_stream(const std::string& path);

}  // namespace pairs
