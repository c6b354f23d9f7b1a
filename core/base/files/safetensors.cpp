#include "core/base/files/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/files/safetensors_header.h"
#include "core/base/files/shape_bytes.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data are copied as they stand");

constexpr std::size_t max_header = 32u << 20;
constexpr std::string_view checksum_prefix = R"({"__metadata__":{"pairs_crc32":")";
constexpr std::string_view checksum_key = "pairs_crc32";
constexpr std::string_view no_digits = "00000000";
constexpr std::size_t checksum_at = 8 + checksum_prefix.size();

struct Dtype {
  const char* name;
  torch::ScalarType type;
};
constexpr Dtype dtypes[] = {{"F64", torch::kDouble},    {"F32", torch::kFloat}, {"F16", torch::kHalf},
                            {"BF16", torch::kBFloat16}, {"I64", torch::kLong},  {"I32", torch::kInt},
                            {"I16", torch::kShort},     {"I8", torch::kChar},   {"U8", torch::kByte},
                            {"BOOL", torch::kBool}};

// The checksum with zeros in place of its own digits.
std::uint32_t checksum_without_digits(std::string_view bytes) {
  std::uint32_t sum = checksum(bytes.substr(0, checksum_at));
  sum = checksum(no_digits, sum);
  return checksum(bytes.substr(checksum_at + no_digits.size()), sum);
}

void verify_checksum(std::string_view bytes, const std::string& digits, const std::string& where) {
  PAIRS_CHECK(
      digits.size() == no_digits.size() && bytes.substr(8).starts_with(checksum_prefix) &&
          bytes.substr(checksum_at).starts_with(digits),
      "{} has a checksum but was rewritten by another program; drop the metadata key pairs_crc32 when saving it",
      where);
  PAIRS_CHECK(digits == fmt::format("{:08x}", checksum_without_digits(bytes)),
              "{} is damaged: its checksum does not match; restore it from a copy or make it again", where);
}

torch::Tensor read_tensor(const std::string& name, const SafetensorsEntry& entry, std::string_view data,
                          const std::string& where) {
  const auto dtype =
      std::find_if(std::begin(dtypes), std::end(dtypes), [&](const Dtype& d) { return entry.dtype == d.name; });
  PAIRS_CHECK(dtype != std::end(dtypes), "{} holds tensor '{}' of type '{}', which is not supported; convert it to F32",
              where, printable(name), printable(entry.dtype));
  const auto bytes = shape_bytes(entry.shape, static_cast<std::int64_t>(c10::elementSize(dtype->type)));
  PAIRS_CHECK(bytes && *bytes == entry.end - entry.begin,
              "{} is damaged: the shape of tensor '{}' does not match its {} of data", where, printable(name),
              byte_text(entry.end - entry.begin));
  const std::string_view source = data.substr(entry.begin, *bytes);
  if (dtype->type == torch::kBool)
    PAIRS_CHECK(std::all_of(source.begin(), source.end(), [](char c) { return c == 0 || c == 1; }),
                "{} is damaged: tensor '{}' holds booleans other than 0 and 1", where, printable(name));
  torch::Tensor tensor = torch::empty(entry.shape, dtype->type);
  if (*bytes > 0) std::memcpy(tensor.data_ptr(), source.data(), *bytes);
  return tensor;
}

std::string json_text(const std::string& text, const std::string& where) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    fail("cannot write {}: the name or metadata '{}' is not UTF-8; rename it", where, printable(text));
  }
}

}  // namespace

TensorFile parse_safetensors(std::string_view bytes, const std::string& where) {
  std::uint64_t length = 0;
  PAIRS_CHECK(bytes.size() >= sizeof length, "{} is cut short: {} is no safetensors file; restore or make it again",
              where, byte_text(bytes.size()));
  std::memcpy(&length, bytes.data(), sizeof length);
  PAIRS_CHECK(length <= max_header,
              "{} is damaged or not a safetensors file: its header would be larger than {}; restore or make it again",
              where, byte_text(max_header));
  PAIRS_CHECK(length <= bytes.size() - sizeof length,
              "{} is cut short: its header ends after the end of the file; restore or make it again", where);
  SafetensorsHeader header = parse_safetensors_header(bytes.substr(sizeof length, length), where);
  TensorFile content;
  const auto digits = header.metadata.find(std::string(checksum_key));
  if (digits != header.metadata.end()) {
    verify_checksum(bytes, digits->second, where);
    header.metadata.erase(digits);
    content.checked = true;
  }

  // In the order of the data, every tensor must begin where the previous one ends.
  const std::string_view data = bytes.substr(sizeof length + length);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const auto& [name, entry] : header.entries) ranges.emplace_back(entry.begin, entry.end);
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t covered = 0;
  for (const auto& [begin, end] : ranges) {
    PAIRS_CHECK(begin == covered && end >= begin && end <= data.size(),
                "{} is damaged or cut short: its tensors overlap, leave gaps or end after the end of the file", where);
    covered = end;
  }
  PAIRS_CHECK(covered == data.size(), "{} is damaged: it holds {} that belong to no tensor", where,
              byte_text(data.size() - covered));

  content.metadata = std::move(header.metadata);
  for (const auto& [name, entry] : header.entries) content.tensors.emplace(name, read_tensor(name, entry, data, where));
  return content;
}

std::map<std::string, std::string> safetensors_metadata(std::string_view bytes, const std::string& where) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) return {};
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > max_header || length > bytes.size() - sizeof length) return {};
  try {
    return parse_safetensors_header(bytes.substr(sizeof length, length), where).metadata;
  } catch (const Error&) {
    return {};
  }
}

TensorFile read_safetensors(const std::filesystem::path& file) {
  return parse_safetensors(read_file(file), printable(file.string(), 300));
}

std::string format_safetensors(const TensorFile& content, const std::string& where) {
  std::string header(checksum_prefix);
  header += no_digits;
  header += '"';
  for (const auto& [key, value] : content.metadata)
    if (key != checksum_key) header += fmt::format(",{}:{}", json_text(key, where), json_text(value, where));
  header += '}';

  // Wide elements first, so that every tensor is aligned for readers that map the file.
  struct Item {
    const std::string* name;
    torch::Tensor tensor;
    const Dtype* dtype;
  };
  std::vector<Item> items;
  for (const auto& named : content.tensors) {
    const std::string& name = named.first;
    const torch::Tensor& tensor = named.second;
    PAIRS_CHECK(name != "__metadata__", "cannot write {}: no tensor may be called __metadata__; rename it", where);
    PAIRS_CHECK(tensor.defined() && tensor.layout() == torch::kStrided,
                "cannot write {}: tensor '{}' is undefined or not dense", where, printable(name));
    const auto dtype = std::find_if(std::begin(dtypes), std::end(dtypes),
                                    [&](const Dtype& d) { return tensor.scalar_type() == d.type; });
    PAIRS_CHECK(dtype != std::end(dtypes), "cannot write {}: tensor '{}' has a type that is not supported", where,
                printable(name));
    items.push_back({&name, tensor.detach().to(torch::kCPU).contiguous(), dtype});
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.tensor.element_size() > b.tensor.element_size(); });
  std::uint64_t offset = 0;
  for (const Item& item : items) {
    header += fmt::format(R"(,{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", json_text(*item.name, where),
                          item.dtype->name, fmt::join(item.tensor.sizes(), ","), offset, offset + item.tensor.nbytes());
    offset += item.tensor.nbytes();
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  PAIRS_CHECK(header.size() <= max_header, "cannot write {}: its names and metadata are larger than {}", where,
              byte_text(max_header));

  std::string bytes;
  bytes.reserve(8 + header.size() + offset);
  const std::uint64_t length = header.size();
  bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += header;
  for (const Item& item : items)
    bytes.append(static_cast<const char*>(item.tensor.const_data_ptr()), item.tensor.nbytes());
  bytes.replace(checksum_at, no_digits.size(), fmt::format("{:08x}", checksum_without_digits(bytes)));
  return bytes;
}

void write_safetensors(const std::filesystem::path& file, const TensorFile& content) {
  write_file(file, format_safetensors(content, printable(file.string(), 300)));
}

}  // namespace pairs
