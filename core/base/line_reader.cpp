#include "core/base/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pairs {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20, kLongestLine = std::size_t{64} << 20;

}  // namespace

LineReader::LineReader(const std::filesystem::path& file) : name_(printable(file.string(), 300)) {
  errno = 0;
  file_.open(file, std::ios::binary);
  PAIRS_CHECK(file_.is_open(), "{} cannot be read: {}", name_, std::strerror(errno));
  fill();
  PAIRS_CHECK(!buffer_.starts_with("\xff\xfe") && !buffer_.starts_with("\xfe\xff"),
              "{} is text in UTF-16; save it as UTF-8 or plain ASCII", name_);
  if (buffer_.find('\n') == buffer_.npos && buffer_.find('\r') != buffer_.npos) end_ = '\r';
}

bool LineReader::fill() {
  buffer_.erase(0, from_);
  from_ = 0;
  PAIRS_CHECK(buffer_.size() <= kLongestLine, ErrorPlace(name_, number_ + 1), "the line has more than 64 MiB");
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kChunk);
  file_.read(buffer_.data() + kept, static_cast<std::streamsize>(kChunk));
  PAIRS_CHECK(!file_.bad(), "{} cannot be read to its end", name_);
  buffer_.resize(kept + static_cast<std::size_t>(file_.gcount()));
  return buffer_.size() > kept;
}

bool LineReader::next(std::string_view& line) {
  std::size_t end = buffer_.find(end_, from_);
  while (end == buffer_.npos) {
    const std::size_t rest = buffer_.size() - from_;
    if (!fill()) break;
    end = buffer_.find(end_, rest);
  }
  if (end == buffer_.npos) {
    if (from_ == buffer_.size()) return false;
    end = buffer_.size();
  }
  line = std::string_view(buffer_).substr(from_, end - from_);
  from_ = std::min(end + 1, buffer_.size());
  ++number_;
  return true;
}

void LineReader::rewind() {
  file_.clear();
  file_.seekg(0);
  buffer_.clear();
  from_ = 0;
  number_ = 0;
  fill();
}

}  // namespace pairs
