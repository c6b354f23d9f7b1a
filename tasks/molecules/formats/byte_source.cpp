#include "tasks/molecules/formats/byte_source.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::size_t kPiece = 256 << 10, kTarBlock = 512;

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const std::filesystem::path& file) : buffer_(kPiece) {
    const std::string name = printable(file.string(), 300);
    struct stat status {};
    PAIRS_CHECK(::stat(file.c_str(), &status) == 0, "Cannot read {}: {}; check the path", name, std::strerror(errno));
    PAIRS_CHECK(S_ISREG(status.st_mode), "Cannot read {}: it is no regular file; name the file itself", name);
    size_ = static_cast<double>(status.st_size);
    stream_ = ::gzopen(file.c_str(), "rbe");
    PAIRS_CHECK(stream_ != nullptr, "Cannot read {}: {}; check its permissions", name, std::strerror(errno));
    ::gzbuffer(stream_, kPiece / 4);  // zlib may unpack up to twice this much ahead of what it returns
  }
  ~FileBytes() override { ::gzclose(stream_); }
  double share() const override {
    return size_ > 0 ? std::clamp((piece_begin_ + (piece_end_ - piece_begin_) * taken()) / size_, 0.0, 1.0) : 1.0;
  }

 protected:
  std::string_view next() override {
    piece_begin_ = piece_end_;
    const int got = ::gzread(stream_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    int code = Z_OK;
    const char* reported = ::gzerror(stream_, &code);
    piece_end_ = static_cast<double>(::gzdirect(stream_) != 0 ? ::gztell(stream_) : ::gzoffset(stream_));
    if (got <= 0) {
      if (got < 0 || code != Z_OK)
        break_off(code == Z_BUF_ERROR ? "the compressed data is truncated"
                                      : fmt::format("it cannot be read ({})", reported));
      return {};
    }
    return {buffer_.data(), static_cast<std::size_t>(got)};
  }

 private:
  gzFile stream_ = nullptr;
  std::vector<char> buffer_;
  double size_ = 0.0, piece_begin_ = 0.0, piece_end_ = 0.0;  // of the file, and of the part in the buffer
};

// One file of a tar archive.
class TarMember : public ByteSource {
 public:
  TarMember(std::unique_ptr<ByteSource> archive, std::uint64_t bytes) : archive_(std::move(archive)), left_(bytes) {}
  double share() const override { return archive_->share(); }

 protected:
  std::string_view next() override {
    archive_->take(given_);
    given_ = 0;
    if (left_ == 0) return {};
    const std::string_view piece = archive_->buffered();
    if (piece.empty()) {
      break_off(archive_->fault().empty() ? "the tar archive is truncated" : archive_->fault());
      return {};
    }
    given_ = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), left_));
    left_ -= given_;
    return piece.substr(0, given_);
  }

 private:
  std::unique_ptr<ByteSource> archive_;
  std::uint64_t left_;
  std::size_t given_ = 0;
};

std::uint64_t octal_field(std::string_view field) {
  std::uint64_t value = 0;
  if (!field.empty() && (field[0] & '\x80') != 0) {  // GNU's base 256 for large files
    for (const char c : field.substr(field.size() - 8)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  for (const char c : field)
    if (c >= '0' && c <= '7') value = value << 3 | static_cast<std::uint64_t>(c - '0');
  return value;
}

}  // namespace

bool ByteSource::refill() {
  if (ended_) return false;
  before_ += static_cast<std::uint64_t>(end_ - begin_);
  const std::string_view piece = next();
  begin_ = at_ = piece.data();
  end_ = at_ + piece.size();
  ended_ = piece.empty();
  return !ended_;
}

bool ByteSource::line(std::string& out, std::size_t limit, bool& cut) {
  out.clear();
  cut = false;
  if (peek() < 0) return false;
  while (at_ < end_ || refill()) {
    const auto left = static_cast<std::size_t>(end_ - at_);
    const char* const end = static_cast<const char*>(std::memchr(at_, '\n', left));
    const std::size_t length = end != nullptr ? static_cast<std::size_t>(end - at_) : left;
    const std::size_t room = limit - out.size(), kept = std::min(length, room);
    out.append(at_, kept);
    cut = cut || kept < length;
    at_ += end != nullptr ? length + 1 : length;
    if (end != nullptr) break;
  }
  if (!out.empty() && out.back() == '\r') out.pop_back();
  return true;
}

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file, std::string_view member) {
  auto bytes = std::make_unique<FileBytes>(file);
  const std::string_view head = bytes->buffered();
  if (head.size() < kTarBlock || head.substr(257, 5) != "ustar") return bytes;
  std::string block(kTarBlock, '\0');
  while (bytes->read(block.data(), kTarBlock) == kTarBlock && block[0] != '\0') {
    const std::string_view header = block;
    const std::string_view name(block.data(), ::strnlen(block.data(), 100));
    const std::uint64_t size = octal_field(header.substr(124, 12));
    const bool regular = block[156] == '0' || block[156] == '\0';
    if (regular && name.ends_with(member)) return std::make_unique<TarMember>(std::move(bytes), size);
    const std::uint64_t padded = size > (1ull << 60) ? size : (size + kTarBlock - 1) / kTarBlock * kTarBlock;
    if (bytes->skip(padded) < padded) break;
  }
  fail("The archive {} holds no file that ends in '{}'; unpack it and name the file itself",
       printable(file.string(), 300), member);
}

}  // namespace pairs
