#include <arrow/ipc/reader.h>

#include <algorithm>
#include <stdexcept>

#include "tasks/own/arrow/arrow_reader.h"

namespace pairs {
namespace {

// Fields in the schema's order; the k-th wanted one is order[k].
struct Fields {
  std::vector<int> included, order;
};
Fields fields_of(const std::vector<std::size_t>& places) {
  Fields fields;
  for (const std::size_t place : places) {
    fields.included.push_back(static_cast<int>(place));
    fields.order.push_back(static_cast<int>(
        std::count_if(places.begin(), places.end(), [&](std::size_t other) { return other < place; })));
  }
  std::sort(fields.included.begin(), fields.included.end());
  return fields;
}

arrow::ipc::IpcReadOptions options_of(const Fields& fields) {
  arrow::ipc::IpcReadOptions options;
  options.use_threads = false;
  options.included_fields = fields.included;
  return options;
}

// Reads batches by their number, with columns in the wanted order.
class NumberedBatches final : public arrow::RecordBatchReader {
 public:
  using Read = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>(int)>;
  NumberedBatches(int first, int count, std::vector<int> order, Read read)
      : at_(first), count_(count), order_(std::move(order)), read_(std::move(read)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return nullptr; }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    batch->reset();
    if (at_ >= count_) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::RecordBatch> held, read_(at_++));
    if (!held) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(held->Validate());
    return held->SelectColumns(order_).Value(batch);
  }

 private:
  int at_, count_;
  std::vector<int> order_;
  Read read_;
};

class IpcFileReader final : public BatchedReader {
 public:
  explicit IpcFileReader(std::shared_ptr<arrow::io::RandomAccessFile> file) : file_(std::move(file)) {
    const auto reader = value_of(arrow::ipc::RecordBatchFileReader::Open(file_), kDamaged);
    take_schema(*reader->schema());
    count_ = reader->num_record_batches();
    // Without columns no batch is unpacked: its header contains its number of rows.
    const auto heads =
        value_of(arrow::ipc::RecordBatchFileReader::Open(file_, options_of(fields_of({countable()}))), kDamaged);
    for (int k = 0; k < count_; ++k) {
      starts_.push_back(rows_);
      rows_ += value_of(heads->ReadRecordBatch(k), kDamaged)->num_rows();
    }
  }

 private:
  Batches begin(std::int64_t row, const std::vector<std::size_t>& places) override {
    int first = count_;
    while (first > 0 && starts_[static_cast<std::size_t>(first) - 1] > row) --first;
    if (first == 0) throw std::runtime_error(kDamaged);
    --first;
    const Fields fields = fields_of(places);
    const auto reader = value_of(arrow::ipc::RecordBatchFileReader::Open(file_, options_of(fields)), kDamaged);
    return {std::make_shared<NumberedBatches>(first, count_, fields.order,
                                              [reader](int k) { return reader->ReadRecordBatch(k); }),
            starts_[static_cast<std::size_t>(first)]};
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int count_ = 0;
  std::vector<std::int64_t> starts_;
};

class IpcStreamReader final : public BatchedReader {
 public:
  explicit IpcStreamReader(std::string path) : path_(std::move(path)) {
    const auto reader = open({});
    take_schema(*reader->schema());
    if (columns().empty()) return;
    const auto counted = open(fields_of({countable()}));
    for (std::shared_ptr<arrow::RecordBatch> batch;;) {
      check(counted->ReadNext(&batch), kDamaged);
      if (!batch) break;
      ++count_;
      rows_ += batch->num_rows();
    }
  }

 private:
  std::shared_ptr<arrow::ipc::RecordBatchStreamReader> open(const Fields& fields) const {
    auto file = value_of(arrow::io::ReadableFile::Open(path_), "it cannot be opened; check who may read it");
    return value_of(arrow::ipc::RecordBatchStreamReader::Open(std::move(file), options_of(fields)), kDamaged);
  }
  Batches begin(std::int64_t, const std::vector<std::size_t>& places) override {
    const Fields fields = fields_of(places);
    const auto reader = open(fields);
    return {std::make_shared<NumberedBatches>(0, count_, fields.order,
                                              [reader](int) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
                                                std::shared_ptr<arrow::RecordBatch> batch;
                                                ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
                                                return batch;
                                              }),
            0};
  }

  std::string path_;
  int count_ = 0;
};

}  // namespace

std::unique_ptr<TableModule> open_ipc_file(std::shared_ptr<arrow::io::RandomAccessFile> file) {
  return std::make_unique<IpcFileReader>(std::move(file));
}

std::unique_ptr<TableModule> open_ipc_stream(const std::string& path) {
  return std::make_unique<IpcStreamReader>(path);
}

}  // namespace pairs
