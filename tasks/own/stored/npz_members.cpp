#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/stored/stored_array.h"
#include "tasks/own/stored/unpacked_file.h"

namespace pairs {
namespace {

// One file in an archive, by its entry in the central directory.
struct NpzMember {
  std::uint64_t header = 0, bytes = 0, packed = 0;  // where its own header lies, and its sizes
  std::uint32_t checksum = 0;
  std::uint16_t method = 0;  // 0: stored, 8: deflated
  bool encrypted = false;
};

template <class Number>
Number little(const char* bytes) {
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The end of the archive's directory, with the numbers of ZIP64 if there are any (APPNOTE 4.3.12 to 4.3.16).
struct NpzDirectory {
  std::uint64_t offset = 0, bytes = 0, entries = 0;
};

class NpzArrays final : public ArrayFile {
 public:
  explicit NpzArrays(std::shared_ptr<const StoredFile> file) : file_(std::move(file)) {
    const NpzDirectory directory = find_directory();
    check(directory.offset <= file_->bytes() && directory.bytes <= file_->bytes() - directory.offset);
    PAIRS_CHECK(directory.bytes <= kMostDirectory, "{} has a directory of {}, more than {} of arrays need", name(),
                byte_text(directory.bytes), byte_text(kMostDirectory));
    std::string text(directory.bytes, '\0');
    file_->read(directory.offset, text.data(), text.size());
    std::string_view rest = text;
    for (std::uint64_t i = 0; i < directory.entries; ++i) take_entry(rest);
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    for (const auto& [name, member] : members_) out.push_back(name);
    return out;
  }

  std::unique_ptr<StoredArray> array(const std::string& wanted) const override {
    const auto found = members_.find(wanted);
    if (found == members_.end()) return nullptr;
    const NpzMember& member = found->second;
    const std::string where = fmt::format("{}: array '{}'", name(), printable(wanted));
    PAIRS_CHECK(!member.encrypted, "{} is encrypted; save it without a password", where);
    PAIRS_CHECK(member.method == 0 || member.method == 8,
                "{} has a compression that is not supported; save it with numpy.savez or numpy.savez_compressed",
                where);
    constexpr std::size_t kLocal = 30;
    char header[kLocal];
    check(member.header + kLocal <= file_->bytes());
    file_->read(member.header, header, kLocal);
    check(little<std::uint32_t>(header) == 0x04034b50);
    const std::uint64_t data =
        member.header + kLocal + little<std::uint16_t>(header + 26) + little<std::uint16_t>(header + 28);
    check(data <= file_->bytes() && member.packed <= file_->bytes() - data);
    if (member.method == 0) return npy_array(file_, data, member.bytes, where);
    const auto whole =
        unpacked_file(where, member.bytes, [&](const BytesTaker& take) { inflate(data, member, where, take); });
    return npy_array(whole, 0, member.bytes, where);
  }

 private:
  static constexpr std::uint64_t kMostDirectory = 64 << 20;

  const std::string& name() const { return file_->name(); }
  void check(bool whole) const {
    PAIRS_CHECK(whole, "{} is damaged, cut short or not a .npz file; write it again with numpy.savez", name());
  }

  // Unpacks the deflated bytes from `at` on, and checks their checksum.
  void inflate(std::uint64_t at, const NpzMember& member, const std::string& where, const BytesTaker& take) const {
    struct Inflation : z_stream {
      Inflation() : z_stream() { ready = ::inflateInit2(this, -MAX_WBITS) == Z_OK; }
      ~Inflation() {
        if (ready) ::inflateEnd(this);
      }
      bool ready;
    } stream;
    PAIRS_CHECK(stream.ready, "{} cannot be unpacked: there is too little memory", where);
    constexpr std::uint64_t kPart = 1 << 18;
    std::vector<char> packed(kPart), out(4 * kPart);
    std::uint64_t left = member.packed;
    uLong sum = ::crc32(0, nullptr, 0);
    for (int state = Z_OK; state != Z_STREAM_END;) {
      if (stream.avail_in == 0 && left > 0) {
        const std::uint64_t part = std::min(kPart, left);
        file_->read(at, packed.data(), part);
        at += part;
        left -= part;
        stream.next_in = reinterpret_cast<Bytef*>(packed.data());
        stream.avail_in = static_cast<uInt>(part);
      }
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = static_cast<uInt>(out.size());
      state = ::inflate(&stream, Z_NO_FLUSH);
      const std::size_t made = out.size() - stream.avail_out;
      PAIRS_CHECK(state == Z_STREAM_END || (state == Z_OK && (made > 0 || left > 0)),
                  "{} is damaged: it cannot be unpacked; write it again", where);
      sum = ::crc32(sum, reinterpret_cast<const Bytef*>(out.data()), static_cast<uInt>(made));
      take({out.data(), made});
    }
    PAIRS_CHECK(sum == member.checksum, "{} is damaged: its checksum does not match; write it again", where);
  }

  NpzDirectory find_directory() const {
    constexpr std::uint64_t kEnd = 22, kComment = 65535, kLocator = 20, kEnd64 = 56;
    const std::uint64_t bytes = file_->bytes();
    check(bytes >= kEnd);
    const std::uint64_t tail = std::min(bytes, kEnd + kComment);
    std::string text(tail, '\0');
    file_->read(bytes - tail, text.data(), text.size());
    std::optional<std::uint64_t> found;
    for (std::uint64_t at = tail - kEnd + 1; at-- > 0 && !found;)
      if (little<std::uint32_t>(text.data() + at) == 0x06054b50 &&
          at + kEnd + little<std::uint16_t>(text.data() + at + 20) == tail)
        found = at;
    check(found.has_value());
    const char* end = text.data() + *found;
    NpzDirectory out{little<std::uint32_t>(end + 16), little<std::uint32_t>(end + 12), little<std::uint16_t>(end + 10)};
    if (out.offset != 0xffffffff && out.bytes != 0xffffffff && out.entries != 0xffff) return out;
    const std::uint64_t place = bytes - tail + *found;
    check(place >= kLocator);
    char locator[kLocator], end64[kEnd64];
    file_->read(place - kLocator, locator, kLocator);
    if (little<std::uint32_t>(locator) != 0x07064b50) return out;
    const auto at = little<std::uint64_t>(locator + 8);
    check(at <= bytes && kEnd64 <= bytes - at);
    file_->read(at, end64, kEnd64);
    check(little<std::uint32_t>(end64) == 0x06064b50);
    return {little<std::uint64_t>(end64 + 48), little<std::uint64_t>(end64 + 40), little<std::uint64_t>(end64 + 32)};
  }

  // Reads one entry of the directory.
  void take_entry(std::string_view& rest) {
    constexpr std::size_t kEntry = 46;
    check(rest.size() >= kEntry && little<std::uint32_t>(rest.data()) == 0x02014b50);
    const char* entry = rest.data();
    NpzMember member;
    member.encrypted = (little<std::uint16_t>(entry + 8) & 1) != 0;
    member.method = little<std::uint16_t>(entry + 10);
    member.checksum = little<std::uint32_t>(entry + 16);
    member.packed = little<std::uint32_t>(entry + 20);
    member.bytes = little<std::uint32_t>(entry + 24);
    member.header = little<std::uint32_t>(entry + 42);
    const std::size_t name = little<std::uint16_t>(entry + 28), extra = little<std::uint16_t>(entry + 30),
                      comment = little<std::uint16_t>(entry + 32);
    check(rest.size() - kEntry >= name + extra + comment);
    const std::string own(rest.substr(kEntry, name));
    std::string_view fields = rest.substr(kEntry + name, extra);
    while (fields.size() >= 4) {
      const auto kind = little<std::uint16_t>(fields.data()), length = little<std::uint16_t>(fields.data() + 2);
      check(fields.size() - 4 >= length);
      if (kind == 1) {  // ZIP64: the numbers that do not fit, in this order
        std::string_view numbers = fields.substr(4, length);
        for (std::uint64_t* number : {&member.bytes, &member.packed, &member.header}) {
          if (*number != 0xffffffff) continue;
          check(numbers.size() >= 8);
          *number = little<std::uint64_t>(numbers.data());
          numbers.remove_prefix(8);
        }
      }
      fields.remove_prefix(4 + std::size_t{length});
    }
    rest.remove_prefix(kEntry + name + extra + comment);
    check(member.method != 0 || member.packed == member.bytes);
    constexpr std::string_view suffix = ".npy";
    if (!own.ends_with(suffix)) return;  // other members of the archive are ignored
    PAIRS_CHECK(members_.emplace(own.substr(0, own.size() - suffix.size()), member).second,
                "{}: array '{}' appears in the file twice; write it again", this->name(), printable(own));
  }

  std::shared_ptr<const StoredFile> file_;
  std::map<std::string, NpzMember> members_;
};

}  // namespace

std::unique_ptr<ArrayFile> npz_arrays(std::shared_ptr<const StoredFile> file) {
  return std::make_unique<NpzArrays>(std::move(file));
}

}  // namespace pairs
