#include "tasks/own/arrow/arrow_reader.h"

#include <arrow/array/array_dict.h>
#include <arrow/util/float16.h>

#include <algorithm>
#include <stdexcept>

namespace pairs {
namespace {

using arrow::Type;

bool is_number(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::BOOL:
    case Type::UINT8:
    case Type::INT8:
    case Type::UINT16:
    case Type::INT16:
    case Type::UINT32:
    case Type::INT32:
    case Type::UINT64:
    case Type::INT64:
    case Type::HALF_FLOAT:
    case Type::FLOAT:
    case Type::DOUBLE:
      return true;
    case Type::DICTIONARY: {
      const auto& values = *static_cast<const arrow::DictionaryType&>(type).value_type();
      return values.id() != Type::DICTIONARY && is_number(values);
    }
    default:
      return false;
  }
}

// What a column holds that is no numbers, for people.
std::string other_text(const arrow::DataType& type) {
  const std::string name = " (" + type.ToString() + ")";
  switch (type.id()) {
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW:
      return "text" + name;
    case Type::TIMESTAMP:
    case Type::DATE32:
    case Type::DATE64:
    case Type::TIME32:
    case Type::TIME64:
    case Type::DURATION:
      return "times" + name;
    case Type::LIST:
    case Type::LARGE_LIST:
    case Type::FIXED_SIZE_LIST:
    case Type::LIST_VIEW:
    case Type::LARGE_LIST_VIEW:
      return "lists" + name;
    case Type::DECIMAL32:
    case Type::DECIMAL64:
    case Type::DECIMAL128:
    case Type::DECIMAL256:
      return "decimal numbers" + name;
    default:
      return "values of another kind" + name;
  }
}

template <class Array>
void copy_plain(const arrow::Array& array, std::int64_t first, std::int64_t count, double* out, std::size_t stride) {
  const auto* from = static_cast<const Array&>(array).raw_values() + first;
  for (std::int64_t i = 0; i < count; ++i) out[static_cast<std::size_t>(i) * stride] = static_cast<double>(from[i]);
}

void copy_dictionary(const arrow::DictionaryArray& array, std::int64_t first, std::int64_t count,
                     const std::string& name, std::int64_t row, double* out, std::size_t stride) {
  const arrow::Array& values = *array.dictionary();
  std::vector<double> numbers(static_cast<std::size_t>(values.length()));
  std::vector<bool> missing(numbers.size());
  for (std::int64_t k = 0; k < values.length(); ++k) {
    missing[static_cast<std::size_t>(k)] = values.IsNull(k);
    if (!values.IsNull(k)) copy_numbers(values, k, 1, name, row, &numbers[static_cast<std::size_t>(k)], 1);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t k = array.GetValueIndex(first + i);
    if (k < 0 || k >= values.length()) throw std::runtime_error(kDamaged);
    if (missing[static_cast<std::size_t>(k)])
      throw std::runtime_error("column " + name + " of row " + std::to_string(row + first + i + 1) +
                               " is missing; fill it in or drop the row");
    out[static_cast<std::size_t>(i) * stride] = numbers[static_cast<std::size_t>(k)];
  }
}

void check_present(const arrow::Array& array, std::int64_t first, std::int64_t count, const std::string& name,
                   std::int64_t row) {
  if (array.null_count() == 0) return;
  for (std::int64_t i = first; i < first + count; ++i)
    if (array.IsNull(i))
      throw std::runtime_error("column " + name + " of row " + std::to_string(row + i + 1) +
                               " is missing; fill it in or drop the row");
}

}  // namespace

void check(const arrow::Status& status, const char* what) {
  if (status.ok()) return;
  std::string text = what, reason = status.message();
  while (reason.ends_with('.')) reason.pop_back();
  throw std::runtime_error(text.insert(std::min(text.find(';'), text.size()), " (" + reason + ")"));
}

std::vector<TableModule::Column> columns_of(const arrow::Schema& schema) {
  std::vector<TableModule::Column> columns;
  for (const std::shared_ptr<arrow::Field>& field : schema.fields())
    columns.push_back({field->name(), is_number(*field->type()) ? "" : other_text(*field->type())});
  return columns;
}

void copy_numbers(const arrow::Array& array, std::int64_t first, std::int64_t count, const std::string& name,
                  std::int64_t row, double* out, std::size_t stride) {
  check_present(array, first, count, name, row);
  switch (array.type_id()) {
    case Type::BOOL:
      for (std::int64_t i = 0; i < count; ++i)
        out[static_cast<std::size_t>(i) * stride] = static_cast<const arrow::BooleanArray&>(array).Value(first + i);
      return;
    case Type::UINT8:
      return copy_plain<arrow::UInt8Array>(array, first, count, out, stride);
    case Type::INT8:
      return copy_plain<arrow::Int8Array>(array, first, count, out, stride);
    case Type::UINT16:
      return copy_plain<arrow::UInt16Array>(array, first, count, out, stride);
    case Type::INT16:
      return copy_plain<arrow::Int16Array>(array, first, count, out, stride);
    case Type::UINT32:
      return copy_plain<arrow::UInt32Array>(array, first, count, out, stride);
    case Type::INT32:
      return copy_plain<arrow::Int32Array>(array, first, count, out, stride);
    case Type::UINT64:
      return copy_plain<arrow::UInt64Array>(array, first, count, out, stride);
    case Type::INT64:
      return copy_plain<arrow::Int64Array>(array, first, count, out, stride);
    case Type::FLOAT:
      return copy_plain<arrow::FloatArray>(array, first, count, out, stride);
    case Type::DOUBLE:
      return copy_plain<arrow::DoubleArray>(array, first, count, out, stride);
    case Type::HALF_FLOAT:
      for (std::int64_t i = 0; i < count; ++i)
        out[static_cast<std::size_t>(i) * stride] =
            arrow::util::Float16::FromBits(static_cast<const arrow::HalfFloatArray&>(array).Value(first + i))
                .ToDouble();
      return;
    case Type::DICTIONARY:
      return copy_dictionary(static_cast<const arrow::DictionaryArray&>(array), first, count, name, row, out, stride);
    default:
      throw std::runtime_error("column " + name + " holds " + other_text(*array.type()) + ", not numbers");
  }
}

void BatchedReader::read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) {
  while (count > 0) {
    find(first, places);
    const std::int64_t from = first - batch_first_, part = std::min(count, batch_->num_rows() - from);
    for (std::size_t k = 0; k < places.size(); ++k)
      copy_numbers(*batch_->column(static_cast<int>(k)), from, part, columns_[places[k]].name, batch_first_, out + k,
                   places.size());
    out += static_cast<std::size_t>(part) * places.size();
    first += part;
    count -= part;
  }
}

bool BatchedReader::next() {
  const std::int64_t first = batch_ ? batch_first_ + batch_->num_rows() : batches_.first;
  check(batches_.reader->ReadNext(&batch_), kDamaged);
  batch_first_ = first;
  if (batch_) check(batch_->Validate(), kDamaged);
  return batch_ != nullptr;
}

void BatchedReader::find(std::int64_t row, const std::vector<std::size_t>& places) {
  if (!batches_.reader || places != places_ || row < batch_first_) {
    batch_.reset();
    batches_ = begin(row, places);
    batch_first_ = batches_.first;
    places_ = places;
  }
  while (!batch_ || row >= batch_first_ + batch_->num_rows())
    if (!next()) {
      batches_.reader.reset();
      throw std::runtime_error(kDamaged);
    }
}

}  // namespace pairs
