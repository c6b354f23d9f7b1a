#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>

#include <algorithm>
#include <stdexcept>

#include "tasks/own/arrow/arrow_reader.h"

namespace pairs {
namespace {

class ParquetReader final : public BatchedReader {
 public:
  explicit ParquetReader(std::shared_ptr<arrow::io::RandomAccessFile> file) {
    // Pages are read as needed: a row group may be the whole file.
    parquet::ReaderProperties properties;
    properties.enable_buffered_stream();
    parquet::ArrowReaderProperties settings(/*use_threads=*/false);
    settings.set_pre_buffer(false);
    settings.set_batch_size(kBatchRows);
    parquet::arrow::FileReaderBuilder builder;
    check(builder.Open(std::move(file), properties), kDamaged);
    reader_ = value_of(builder.properties(settings)->Build(), kDamaged);
    std::shared_ptr<arrow::Schema> schema;
    check(reader_->GetSchema(&schema), kDamaged);
    take_schema(*schema);
    rows_ = reader_->parquet_reader()->metadata()->num_rows();
    std::int64_t first = 0;
    for (int group = 0; group < reader_->num_row_groups(); ++group) {
      starts_.push_back(first);
      const std::int64_t rows = reader_->parquet_reader()->metadata()->RowGroup(group)->num_rows();
      if (rows < 0 || rows > rows_ - first) throw std::runtime_error(kDamaged);
      first += rows;
    }
    if (first != rows_) throw std::runtime_error(kDamaged);
  }

 private:
  Batches begin(std::int64_t row, const std::vector<std::size_t>& places) override {
    std::size_t group = starts_.size();
    while (group > 0 && starts_[group - 1] > row) --group;
    if (group == 0) throw std::runtime_error(kDamaged);
    std::vector<int> groups, leaves;
    for (std::size_t k = group - 1; k < starts_.size(); ++k) groups.push_back(static_cast<int>(k));
    for (const std::size_t place : places) leaves.push_back(leaf_of(place));
    // Columns are requested in the file's order; batches are then put into ours.
    const std::vector<int> order = order_of(leaves);
    std::sort(leaves.begin(), leaves.end());
    Batches batches{value_of(reader_->GetRecordBatchReader(groups, leaves), kDamaged), starts_[group - 1]};
    return {std::make_shared<Ordered>(std::move(batches.reader), order), batches.first};
  }

  // The column of a field's values, which for a list is nested below it.
  int leaf_of(std::size_t place) const {
    const parquet::arrow::SchemaField* field = &reader_->manifest().schema_fields[place];
    while (!field->is_leaf()) {
      if (field->children.size() != 1) throw std::runtime_error("column " + columns()[place].name + " is nested");
      field = &field->children.front();
    }
    return field->column_index;
  }

  // The index, among the file's columns in its order, of the k-th wanted one.
  static std::vector<int> order_of(const std::vector<int>& leaves) {
    std::vector<int> order;
    for (const int leaf : leaves)
      order.push_back(
          static_cast<int>(std::count_if(leaves.begin(), leaves.end(), [&](int other) { return other < leaf; })));
    return order;
  }

  class Ordered final : public arrow::RecordBatchReader {
   public:
    Ordered(std::shared_ptr<arrow::RecordBatchReader> reader, std::vector<int> order)
        : reader_(std::move(reader)), order_(std::move(order)) {}
    std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }
    arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
      // Damaged pages may also throw exceptions.
      try {
        ARROW_RETURN_NOT_OK(reader_->ReadNext(batch));
      } catch (const parquet::ParquetException& error) {
        return arrow::Status::Invalid(error.what());
      }
      if (!*batch) return arrow::Status::OK();
      if ((*batch)->num_columns() != static_cast<int>(order_.size()))
        return arrow::Status::Invalid("columns are missing");
      return (*batch)->SelectColumns(order_).Value(batch);
    }

   private:
    std::shared_ptr<arrow::RecordBatchReader> reader_;
    std::vector<int> order_;
  };

  std::unique_ptr<parquet::arrow::FileReader> reader_;
  std::vector<std::int64_t> starts_;  // of each row group
};

}  // namespace

std::unique_ptr<TableModule> open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file) {
  return std::make_unique<ParquetReader>(std::move(file));
}

}  // namespace pairs
