#include "tasks/own/arrow/arrow_reader.h"

#include <arrow/array/array_dict.h>
#include <arrow/array/array_nested.h>
#include <arrow/util/float16.h>

#include <algorithm>
#include <charconv>
#include <limits>
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

// A description of a column that does not hold numbers.
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

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

void copy_dictionary(const arrow::DictionaryArray& array, std::int64_t first, std::int64_t count,
                     const TableModule::Column& column, std::int64_t row, double* out, std::size_t stride) {
  const arrow::Array& values = *array.dictionary();
  std::vector<double> numbers(static_cast<std::size_t>(values.length()));
  copy_numbers(values, 0, values.length(), column, row, numbers.data(), 1);
  for (std::int64_t i = 0; i < count; ++i) {
    if (array.IsNull(first + i)) continue;
    const std::int64_t k = array.GetValueIndex(first + i);
    if (k < 0 || k >= values.length()) throw std::runtime_error(kDamaged);
    out[static_cast<std::size_t>(i) * stride] = numbers[static_cast<std::size_t>(k)];
  }
}

// `begin`, `length`: of a row's list among `values`.
template <class Begin, class Length>
void copy_lists(const arrow::Array& array, const arrow::Array& values, std::int64_t first, std::int64_t count,
                const TableModule::Column& column, std::int64_t row, double* out, std::size_t stride,
                const Begin& begin, const Length& length) {
  const TableModule::Column one{column.name, ""};
  for (std::int64_t i = 0; i < count; ++i, out += stride) {
    if (array.IsNull(first + i)) {
      std::fill_n(out, column.numbers, kMissing);
      continue;
    }
    if (length(first + i) != column.numbers)
      throw std::runtime_error("column " + column.name + " of row " + std::to_string(row + first + i + 1) + " holds " +
                               std::to_string(length(first + i)) + " numbers, and the first row " +
                               std::to_string(column.numbers) + "; save as many in each");
    copy_numbers(values, begin(first + i), column.numbers, one, row, out, 1);
  }
}

template <class Array>
void copy_any_lists(const arrow::Array& array, std::int64_t first, std::int64_t count,
                    const TableModule::Column& column, std::int64_t row, double* out, std::size_t stride) {
  const auto& lists = static_cast<const Array&>(array);
  copy_lists(
      array, *lists.values(), first, count, column, row, out, stride,
      [&](std::int64_t i) -> std::int64_t { return lists.value_offset(i); },
      [&](std::int64_t i) -> std::int64_t { return lists.value_length(i); });
}

}  // namespace

void check(const arrow::Status& status, const char* what) {
  if (status.ok()) return;
  std::string text = what, reason = status.message();
  while (reason.ends_with('.')) reason.pop_back();
  throw std::runtime_error(text.insert(std::min(text.find(';'), text.size()), " (" + reason + ")"));
}

bool is_list_of_numbers(const arrow::DataType& type) {
  const Type::type id = type.id();
  if (id != Type::LIST && id != Type::LARGE_LIST && id != Type::FIXED_SIZE_LIST) return false;
  return is_number(*static_cast<const arrow::BaseListType&>(type).value_type());
}

std::vector<TableModule::Column> columns_of(const arrow::Schema& schema) {
  std::vector<TableModule::Column> columns;
  for (const std::shared_ptr<arrow::Field>& field : schema.fields()) {
    const arrow::DataType& type = *field->type();
    if (type.id() == Type::FIXED_SIZE_LIST && is_list_of_numbers(type)) {
      const std::int64_t numbers = static_cast<const arrow::FixedSizeListType&>(type).list_size();
      columns.push_back({field->name(), numbers > 0 ? "" : "empty lists", std::max<std::int64_t>(numbers, 1)});
    } else {
      columns.push_back({field->name(), is_number(type) ? "" : other_text(type)});
    }
  }
  return columns;
}

namespace {

void copy_values(const arrow::Array& array, std::int64_t first, std::int64_t count, const TableModule::Column& column,
                 std::int64_t row, double* out, std::size_t stride) {
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
      return copy_dictionary(static_cast<const arrow::DictionaryArray&>(array), first, count, column, row, out, stride);
    case Type::LIST:
      return copy_any_lists<arrow::ListArray>(array, first, count, column, row, out, stride);
    case Type::LARGE_LIST:
      return copy_any_lists<arrow::LargeListArray>(array, first, count, column, row, out, stride);
    case Type::FIXED_SIZE_LIST:
      return copy_any_lists<arrow::FixedSizeListArray>(array, first, count, column, row, out, stride);
    default:
      throw std::runtime_error("column " + column.name + " holds " + other_text(*array.type()) + ", not numbers");
  }
}

}  // namespace

void copy_numbers(const arrow::Array& array, std::int64_t first, std::int64_t count, const TableModule::Column& column,
                  std::int64_t row, double* out, std::size_t stride) {
  if (array.type_id() != Type::NA) copy_values(array, first, count, column, row, out, stride);
  if (array.null_count() == 0) return;
  // The storage of a missing value may hold anything.
  for (std::int64_t i = 0; i < count; ++i)
    if (array.IsNull(first + i)) std::fill_n(out + static_cast<std::size_t>(i) * stride, column.numbers, kMissing);
}

namespace {

template <class Array, class Number>
void add_numbers(const arrow::Array& array, std::int64_t first, std::int64_t count, std::vector<std::string>& out) {
  for (std::int64_t i = first; i < first + count; ++i) {
    char text[40];
    const auto number = static_cast<Number>(static_cast<const Array&>(array).Value(i));
    const auto [end, error] = std::to_chars(text, text + sizeof text, number);
    out.push_back(array.IsNull(i) || number != number ? "" : std::string(text, end));
  }
}

template <class Array>
void add_texts(const arrow::Array& array, std::int64_t first, std::int64_t count, std::vector<std::string>& out) {
  for (std::int64_t i = first; i < first + count; ++i)
    out.push_back(array.IsNull(i) ? "" : std::string(static_cast<const Array&>(array).GetView(i)));
}

void add_dictionary(const arrow::DictionaryArray& array, std::int64_t first, std::int64_t count,
                    const std::string& name, std::vector<std::string>& out) {
  std::vector<std::string> values;
  copy_texts(*array.dictionary(), 0, array.dictionary()->length(), name, values);
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::int64_t k = array.IsNull(i) ? 0 : array.GetValueIndex(i);
    if (!array.IsNull(i) && (k < 0 || k >= array.dictionary()->length())) throw std::runtime_error(kDamaged);
    out.push_back(array.IsNull(i) ? "" : values[static_cast<std::size_t>(k)]);
  }
}

}  // namespace

void copy_texts(const arrow::Array& array, std::int64_t first, std::int64_t count, const std::string& name,
                std::vector<std::string>& out) {
  switch (array.type_id()) {
    case Type::BOOL:
      return add_numbers<arrow::BooleanArray, int>(array, first, count, out);
    case Type::UINT8:
      return add_numbers<arrow::UInt8Array, int>(array, first, count, out);
    case Type::INT8:
      return add_numbers<arrow::Int8Array, int>(array, first, count, out);
    case Type::UINT16:
      return add_numbers<arrow::UInt16Array, int>(array, first, count, out);
    case Type::INT16:
      return add_numbers<arrow::Int16Array, int>(array, first, count, out);
    case Type::UINT32:
      return add_numbers<arrow::UInt32Array, std::uint32_t>(array, first, count, out);
    case Type::INT32:
      return add_numbers<arrow::Int32Array, std::int32_t>(array, first, count, out);
    case Type::UINT64:
      return add_numbers<arrow::UInt64Array, std::uint64_t>(array, first, count, out);
    case Type::INT64:
      return add_numbers<arrow::Int64Array, std::int64_t>(array, first, count, out);
    case Type::FLOAT:
      return add_numbers<arrow::FloatArray, double>(array, first, count, out);
    case Type::DOUBLE:
      return add_numbers<arrow::DoubleArray, double>(array, first, count, out);
    case Type::STRING:
      return add_texts<arrow::StringArray>(array, first, count, out);
    case Type::LARGE_STRING:
      return add_texts<arrow::LargeStringArray>(array, first, count, out);
    case Type::DICTIONARY:
      return add_dictionary(static_cast<const arrow::DictionaryArray&>(array), first, count, name, out);
    default:
      throw std::runtime_error("column " + name + " holds " + other_text(*array.type()) +
                               ", by which sets cannot be separated; convert it");
  }
}

void BatchedReader::take_schema(const arrow::Schema& schema) {
  tables_.front().columns = columns_of(schema);
  for (int k = 0; k < schema.num_fields(); ++k)
    if (schema.field(k)->type()->id() != Type::FIXED_SIZE_LIST && is_list_of_numbers(*schema.field(k)->type()))
      lists_.push_back(static_cast<std::size_t>(k));
}

std::size_t BatchedReader::countable() const {
  for (std::size_t k = 0; k < columns().size(); ++k)
    if (columns()[k].other.empty()) return k;
  return 0;
}

void BatchedReader::choose(std::size_t, const std::vector<std::string>& wanted) {
  std::vector<Column>& columns = tables_.front().columns;
  const auto plain = [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(), [&](const Column& one) { return one.name == name; }) &&
           std::none_of(lists_.begin(), lists_.end(), [&](std::size_t k) { return columns[k].name == name; });
  };
  if (!wanted.empty() && std::all_of(wanted.begin(), wanted.end(), plain)) return;
  for (const std::size_t k : lists_) try {
      if (const std::int64_t length = length_of_lists(k); length > 0) columns[k] = {columns[k].name, "", length};
    } catch (const std::exception&) {
      // A damaged column is refused once it is needed.
    }
}

std::int64_t BatchedReader::length_of_lists(std::size_t place) {
  if (rows_ == 0) return 0;
  find(0, {place});
  const arrow::Array& array = *batch_->column(0);
  for (std::int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    return array.type_id() == Type::LIST ? static_cast<const arrow::ListArray&>(array).value_length(i)
                                         : static_cast<const arrow::LargeListArray&>(array).value_length(i);
  }
  return 0;
}

void BatchedReader::read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) {
  std::size_t width = 0;
  for (const std::size_t place : places) width += static_cast<std::size_t>(columns()[place].numbers);
  while (count > 0) {
    find(first, places);
    const std::int64_t from = first - batch_first_, part = std::min(count, batch_->num_rows() - from);
    double* to = out;
    for (std::size_t k = 0; k < places.size(); to += columns()[places[k++]].numbers)
      copy_numbers(*batch_->column(static_cast<int>(k)), from, part, columns()[places[k]], batch_first_, to, width);
    out += static_cast<std::size_t>(part) * width;
    first += part;
    count -= part;
  }
}

void BatchedReader::read_texts(std::int64_t first, std::int64_t count, std::size_t place,
                               std::vector<std::string>& out) {
  while (count > 0) {
    find(first, {place});
    const std::int64_t from = first - batch_first_, part = std::min(count, batch_->num_rows() - from);
    copy_texts(*batch_->column(0), from, part, columns()[place].name, out);
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
