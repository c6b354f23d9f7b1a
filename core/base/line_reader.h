#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace pairs {

// The lines of a text file of any size, in memory that does not grow with it; of a gzip file those of the text that it
// holds. Lines end in '\n', or where the first MiB holds none, in '\r'.
class LineReader {
 public:
  // Throws Error where the file cannot be opened, or is text in UTF-16.
  explicit LineReader(const std::filesystem::path& file);
  ~LineReader();

  // The next line without its end, good until the next call; false at the end of the file. Throws Error for lines of
  // more than 64 MiB and where the file cannot be read.
  bool next(std::string_view& line);
  // Of the line that came last, from 1.
  std::int64_t number() const { return number_; }
  // Begins anew.
  void rewind();

 private:
  bool fill();

  std::string name_;
  struct Source;
  std::unique_ptr<Source> source_;
  std::string buffer_;
  std::size_t from_ = 0;  // of what has not been handed out
  std::int64_t number_ = 0;
  char end_ = '\n';
};

}  // namespace pairs
