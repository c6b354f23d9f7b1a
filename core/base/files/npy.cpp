#include "core/base/files/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/files/shape_bytes.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they stand");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_array_header = 1u << 16;
constexpr std::size_t max_rank = 32;

struct NpyType {
  const char* name;
  torch::ScalarType stored, widened;  // unsigned words are read as signed ones, widened and masked
};
constexpr NpyType npy_types[] = {
    {"f2", torch::kHalf, torch::kHalf}, {"f4", torch::kFloat, torch::kFloat}, {"f8", torch::kDouble, torch::kDouble},
    {"i1", torch::kChar, torch::kChar}, {"i2", torch::kShort, torch::kShort}, {"i4", torch::kInt, torch::kInt},
    {"i8", torch::kLong, torch::kLong}, {"u1", torch::kByte, torch::kByte},   {"b1", torch::kByte, torch::kBool},
    {"u2", torch::kShort, torch::kInt}, {"u4", torch::kInt, torch::kLong},    {"u8", torch::kLong, torch::kLong}};

// The number of characters in each text of an array of type "U5" (4 bytes each) or "S5" (1 byte each); 0 for other
// types.
std::int64_t characters(std::string_view type) {
  constexpr std::int64_t kMost = 1 << 20;
  if (!type.starts_with('U') && !type.starts_with('S')) return 0;
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(type.data() + 1, type.data() + type.size(), count);
  return error == std::errc() && end == type.data() + type.size() && count > 0 && count <= kMost ? count : 0;
}

const NpyType* find_type(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(npy_types), std::end(npy_types), [&](const NpyType& t) { return name == t.name; });
  return found == std::end(npy_types) ? nullptr : found;
}

// Parses the header's Python dictionary literal, in this form only:
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class DictionaryReader {
 public:
  DictionaryReader(std::string_view text, const std::string& where, bool texts)
      : text_(text), where_(where), texts_(texts) {}

  NpyHeader read() {
    NpyHeader header;
    unsigned seen = 0;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      const unsigned bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
      if (bit == 0 || (seen & bit)) bad();
      seen |= bit;
      if (bit == 1)
        header.type = type(header.big_endian);
      else if (bit == 2)
        header.fortran = boolean();
      else
        header.shape = shape();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    blanks();
    if (!text_.empty() || seen != 7) bad();
    return header;
  }

 private:
  [[noreturn]] void bad() const { fail("{} is damaged: its array header cannot be read; make the file again", where_); }
  void blanks() {
    const std::size_t skip = text_.find_first_not_of(" \n");
    text_.remove_prefix(std::min(skip, text_.size()));
  }
  bool accept(char c) {
    blanks();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad();
  }
  std::string_view string() {
    blanks();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) bad();
    const std::size_t end = text_.find(text_[0], 1);
    if (end == text_.npos) bad();
    const std::string_view value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    bad();
  }
  std::string type(bool& big_endian) {
    blanks();
    PAIRS_CHECK(!text_.starts_with('['), "{} is a structured array; save each of its columns as an array of its own",
                where_);
    std::string_view name = string();
    PAIRS_CHECK(name.find('O') == name.npos,
                "{} holds pickled Python objects, which are never loaded; save it as an array of numbers", where_);
    const std::string_view whole = name;
    big_endian = name.starts_with('>');
    if (big_endian || name.starts_with('<') || name.starts_with('|') || name.starts_with('=')) name.remove_prefix(1);
    if (texts_ && characters(name) > 0) return std::string(name);
    PAIRS_CHECK(find_type(name), "{} has the type '{}', which is not supported; save it as float32, float64 or int64",
                where_, printable(whole));
    return std::string(name);
  }
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      std::int64_t extent = 0;
      blanks();
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0 || extents.size() >= max_rank) bad();
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      if (text_.starts_with('L')) text_.remove_prefix(1);  // Python 2 wrote long integers with an L
      extents.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return extents;
  }

  std::string_view text_;
  const std::string& where_;
  bool texts_;
};

// Reverses the bytes of each of many numbers of `size` bytes.
void swap_bytes(char* bytes, std::uint64_t all, std::size_t size) {
  for (std::uint64_t at = 0; at + size <= all; at += size) std::reverse(bytes + at, bytes + at + size);
}

void add_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | (code >> 18 & 7));
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace

NpyHeader read_npy_header(const ByteReader& read, const std::string& where, bool texts) {
  char start[8];
  read(start, sizeof start);
  PAIRS_CHECK(std::string_view(start, magic.size()) == magic,
              "{} is no .npy array; pickled objects are never loaded: save it with NumPy's save or savez", where);
  const int version = static_cast<unsigned char>(start[6]);
  PAIRS_CHECK(version >= 1 && version <= 3, "{} has version {} of the .npy format; save it in version 1 to 3", where,
              version);
  unsigned char size[4] = {};
  read(reinterpret_cast<char*>(size), version == 1 ? 2 : 4);
  const std::size_t length = size[0] | size[1] << 8 | size[2] << 16 | static_cast<std::size_t>(size[3]) << 24;
  PAIRS_CHECK(length <= max_array_header,
              "{} is damaged: its array header would be larger than {}; make the file again", where,
              byte_text(max_array_header));
  std::string text(length, '\0');
  read(text.data(), text.size());
  NpyHeader header = DictionaryReader(text, where, texts).read();
  if (header.text()) {
    const auto bytes = shape_bytes(header.shape, characters(header.type) * (header.type.starts_with('U') ? 4 : 1));
    PAIRS_CHECK(bytes, "{} is damaged: its shape is beyond what an array can have; make the file again", where);
    header.bytes = header.widened_bytes = *bytes;
    return header;
  }
  const NpyType& type = *find_type(header.type);
  // The stored size is checked first, so that the widened size never overflows.
  const auto widened = shape_bytes(header.shape, static_cast<std::int64_t>(c10::elementSize(type.widened)));
  PAIRS_CHECK(widened, "{} is damaged: its shape is beyond what an array can have; make the file again", where);
  header.widened_bytes = *widened;
  header.bytes = *widened / c10::elementSize(type.widened) * c10::elementSize(type.stored);
  return header;
}

std::vector<std::string> read_npy_texts(const NpyHeader& header, const ByteReader& read) {
  const auto length = static_cast<std::size_t>(characters(header.type));
  const bool wide = header.type.starts_with('U');
  std::string bytes(header.bytes, '\0');
  read(bytes.data(), bytes.size());
  if (header.big_endian && wide) swap_bytes(bytes.data(), bytes.size(), 4);
  std::vector<std::string> texts(bytes.size() / (length * (wide ? 4 : 1)));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!wide) {
      texts[i] = bytes.substr(i * length, length);
      texts[i].resize(texts[i].find_last_not_of('\0') + 1);
      continue;
    }
    for (std::size_t k = 0; k < length; ++k) {
      std::uint32_t code = 0;
      std::memcpy(&code, bytes.data() + 4 * (i * length + k), 4);
      if (code != 0) add_utf8(code, texts[i]);
    }
  }
  return texts;
}

NpyHeader first_rows(NpyHeader header, std::int64_t rows) {
  const bool rows_first = !header.fortran || header.shape.size() == 1;
  if (header.shape.empty() || header.shape[0] <= rows || !rows_first) return header;
  const auto all = static_cast<std::uint64_t>(header.shape[0]), kept = static_cast<std::uint64_t>(rows);
  header.bytes = header.bytes / all * kept;
  header.widened_bytes = header.widened_bytes / all * kept;
  header.shape[0] = rows;
  return header;
}

torch::Tensor read_npy_data(const NpyHeader& header, const ByteReader& read, const std::string& where) {
  const NpyType& type = *find_type(header.type);
  std::vector<std::int64_t> shape = header.shape;
  if (header.fortran) std::reverse(shape.begin(), shape.end());
  torch::Tensor tensor = torch::empty(shape, type.stored);
  if (header.bytes > 0) read(static_cast<char*>(tensor.data_ptr()), header.bytes);
  if (header.big_endian) swap_bytes(static_cast<char*>(tensor.data_ptr()), header.bytes, c10::elementSize(type.stored));
  if (header.type == "u8" && tensor.numel() > 0)
    PAIRS_CHECK(tensor.min().item<std::int64_t>() >= 0,
                "{} holds whole numbers beyond 9223372036854775807, the largest of int64; save it as float64", where);
  if (type.widened == torch::kBool)
    tensor = tensor.ne(0);
  else if (type.widened != type.stored)
    tensor = tensor.to(type.widened).bitwise_and_(type.stored == torch::kShort ? 0xffff : 0xffffffffll);
  if (header.fortran) {
    std::vector<std::int64_t> axes(shape.size());
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(axes.size() - 1 - i);
    tensor = tensor.permute(axes).contiguous();
  }
  return tensor;
}

torch::Tensor parse_npy(std::string_view bytes, const std::string& where) {
  const ByteReader read = [&](char* target, std::size_t size) {
    PAIRS_CHECK(size <= bytes.size(), "{} is cut short; make the file again", where);
    std::memcpy(target, bytes.data(), size);
    bytes.remove_prefix(size);
  };
  const NpyHeader header = read_npy_header(read, where);
  PAIRS_CHECK(header.bytes == bytes.size(),
              "{} is damaged or cut short: its shape needs {} of data and {} are there; make the file again", where,
              byte_text(header.bytes), byte_text(bytes.size()));
  return read_npy_data(header, read, where);
}

std::string npy_header_text(torch::ScalarType type, torch::IntArrayRef shape, const std::string& where) {
  const auto* const found =
      std::find_if(std::begin(npy_types), std::end(npy_types), [&](const NpyType& t) { return t.widened == type; });
  PAIRS_CHECK(found != std::end(npy_types), "cannot write {}: NumPy has no such type; convert it to float32", where);
  const bool one_byte = c10::elementSize(found->stored) == 1;
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}", one_byte ? '|' : '<',
                                 found->name, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t prefix = 10;
  text.resize((prefix + text.size() + 1 + 63) / 64 * 64 - prefix - 1, ' ');
  text += '\n';
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

void write_npy(const std::filesystem::path& file, const torch::Tensor& values) {
  const torch::Tensor whole = values.contiguous();
  std::string bytes = npy_header_text(whole.scalar_type(), whole.sizes(), file.string());
  bytes.append(static_cast<const char*>(whole.const_data_ptr()), whole.nbytes());
  write_file(file, bytes);
}

}  // namespace pairs
