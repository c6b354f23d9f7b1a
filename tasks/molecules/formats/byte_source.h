#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// Reads bytes sequentially, from a file of any length or from memory, through one buffer. A source that breaks off (a
// truncated or damaged gzip stream) ends there and describes the problem in `fault`.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // The next byte without consuming it, -1 at the end.
  int peek() { return at_ < end_ || refill() ? static_cast<unsigned char>(*at_) : -1; }
  // Reads up to `count` bytes; fewer only at the end.
  std::size_t read(char* out, std::size_t count) {
    std::size_t done = 0;
    while (done < count && (at_ < end_ || refill())) {
      const std::size_t part = std::min(count - done, static_cast<std::size_t>(end_ - at_));
      std::memcpy(out + done, at_, part);
      at_ += part;
      done += part;
    }
    return done;
  }
  // Skips up to `count` bytes; returns how many there were.
  std::size_t skip(std::size_t count) {
    std::size_t done = 0;
    while (done < count && (at_ < end_ || refill())) {
      const std::size_t part = std::min(count - done, static_cast<std::size_t>(end_ - at_));
      at_ += part;
      done += part;
    }
    return done;
  }
  // Reads a line without its end ('
  // ' or "\r
  // "); drops what exceeds `limit` bytes and sets `cut`. Returns false at the end.
  bool line(std::string& out, std::size_t limit, bool& cut);
  // The unread content of the buffer; `take` consumes part of it.
  std::string_view buffered() {
    if (at_ == end_) refill();
    return {at_, static_cast<std::size_t>(end_ - at_)};
  }
  void take(std::size_t count) { at_ += count; }

  // Bytes read so far.
  std::uint64_t position() const { return before_ + static_cast<std::uint64_t>(at_ - begin_); }
  // The share of the whole that was read, 0 to 1.
  virtual double share() const = 0;
  // What is wrong if the source broke off, else "".
  const std::string& fault() const { return fault_; }

 protected:
  // The next piece, empty at the end; valid until the next call.
  virtual std::string_view next() = 0;
  void break_off(std::string fault) { fault_ = std::move(fault); }
  // The share of the current piece that was read, 0 to 1.
  double taken() const {
    return end_ > begin_ ? static_cast<double>(at_ - begin_) / static_cast<double>(end_ - begin_) : 1.0;
  }

 private:
  bool refill();

  const char *begin_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  std::uint64_t before_ = 0;
  bool ended_ = false;
  std::string fault_;
};

// Opens a file, gzipped or not. For a tar archive, gzipped or not, the first file in it whose name ends in `member`.
// Throws Error if it cannot be opened or is not a regular file.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file, std::string_view member = "");

}  // namespace pairs
