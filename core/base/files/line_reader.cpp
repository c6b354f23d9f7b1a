#include "core/base/files/line_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/files/gzip.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20, kLongestLine = std::size_t{64} << 20;

}  // namespace

// A file opened by zlib, which reads files other than gzip unchanged.
struct LineReader::Source {
  explicit Source(const std::filesystem::path& path) : file(::gzopen(path.c_str(), "rbe")) {}
  ~Source() {
    if (file) ::gzclose_r(file);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  gzFile file;
};

LineReader::~LineReader() = default;

LineReader::LineReader(const std::filesystem::path& file) : name_(printable(file.string(), 300)) {
  errno = 0;
  source_ = std::make_unique<Source>(file);
  PAIRS_CHECK(source_->file, "{} cannot be read: {}", name_, std::strerror(errno));
  (void)::gzbuffer(source_->file, 1u << 18);
  fill();
  check_utf8(buffer_, name_);
  if (buffer_.find('\n') == buffer_.npos && buffer_.find('\r') != buffer_.npos) end_ = '\r';
}

bool LineReader::fill() {
  buffer_.erase(0, from_);
  from_ = 0;
  PAIRS_CHECK(buffer_.size() <= kLongestLine, ErrorPlace(name_, number_ + 1), "the line has more than 64 MiB");
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kChunk);
  const int got = ::gzread(source_->file, buffer_.data() + kept, static_cast<unsigned>(kChunk));
  int code = Z_OK;
  (void)::gzerror(source_->file, &code);
  PAIRS_CHECK(
      got >= 0 && (code == Z_OK || code == Z_STREAM_END), "{} cannot be read to its end{}", name_,
      ::gzdirect(source_->file) ? "" : ": it is compressed with gzip, and damaged or cut short; compress it again");
  buffer_.resize(kept + static_cast<std::size_t>(got));
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
  PAIRS_CHECK(::gzrewind(source_->file) == 0, "{} cannot be read again", name_);
  buffer_.clear();
  from_ = 0;
  number_ = 0;
  fill();
}

}  // namespace pairs
