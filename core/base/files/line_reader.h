#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace pairs {

// Reads the lines of a text file of any size in bounded memory; unpacks gzip files. Lines end in '
// ', or in '\r' if the first MiB holds no '
// '.
class LineReader {
 public:
  // Throws Error if the file cannot be opened or is text in UTF-16.
  explicit LineReader(const std::filesystem::path& file);
  ~LineReader();

  // Reads the next line without its end, valid until the next call; false at the end of the file. Throws Error for
  // lines of more than 64 MiB, or if the file cannot be read.
  bool next(std::string_view& line);
  // The number of the last line, from 1.
  std::int64_t number() const { return number_; }
  // Starts over from the first line.
  void rewind();

 private:
  bool fill();

  std::string name_;
  struct Source;
  std::unique_ptr<Source> source_;
  std::string buffer_;
  std::size_t from_ = 0;  // where the unread part of the buffer begins
  std::int64_t number_ = 0;
  char end_ = '\n';
};

}  // namespace pairs
