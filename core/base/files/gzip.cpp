#include "core/base/files/gzip.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>

#include "core/base/files/descriptor.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr unsigned kPiece = 1u << 18;

struct CloseGz {
  void operator()(gzFile file) const { ::gzclose_r(file); }
};
using Gz = std::unique_ptr<std::remove_pointer_t<gzFile>, CloseGz>;

// Passes on the content of a gzip file in pieces.
void unzip(const std::filesystem::path& file, const std::function<void(std::string_view)>& take) {
  const std::string where = printable(file.string(), 300);
  errno = 0;
  const Gz in(::gzopen(file.c_str(), "rbe"));
  PAIRS_CHECK(in, "{} cannot be read: {}", where, std::strerror(errno));
  (void)::gzbuffer(in.get(), kPiece);
  std::string piece(kPiece, '\0');
  for (;;) {
    const int got = ::gzread(in.get(), piece.data(), kPiece);
    int code = Z_OK;
    const char* const reason = ::gzerror(in.get(), &code);
    PAIRS_CHECK(got >= 0 && (code == Z_OK || code == Z_STREAM_END),
                "{} is compressed with gzip, and damaged or cut short ({}); compress it again", where,
                printable(reason != nullptr && *reason != 0 ? reason : "no reason was given"));
    if (got == 0) return;
    take(std::string_view(piece).substr(0, static_cast<std::size_t>(got)));
  }
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

bool is_gzip_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::ifstream in(file, std::ios::binary);
  char head[2] = {};
  in.read(head, 2);
  return in.gcount() == 2 && is_gzip({head, 2});
}

std::string unzipped_head(const std::filesystem::path& file, std::size_t most) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "";
  const Gz in(::gzopen(file.c_str(), "rbe"));  // reads other files unchanged
  if (!in) return "";
  std::string head(most, '\0');
  const int got = ::gzread(in.get(), head.data(), static_cast<unsigned>(most));
  head.resize(static_cast<std::size_t>(std::max(got, 0)));
  return head;
}

std::string read_unzipped(const std::filesystem::path& file, std::uint64_t limit) {
  if (!is_gzip_file(file)) return read_file(file, limit);
  std::string bytes;
  unzip(file, [&](std::string_view piece) {
    PAIRS_CHECK(bytes.size() + piece.size() <= limit, "{} holds more than {} once it is unpacked; split it",
                printable(file.string(), 300), byte_text(limit));
    bytes += piece;
  });
  return bytes;
}

UnzippedFile::UnzippedFile(const std::filesystem::path& file) : path_(folder_ / "unpacked") {
  const Descriptor out(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  PAIRS_CHECK(out >= 0, "{} cannot be unpacked among the temporary files: {}; unpack it by hand",
              printable(file.string(), 300), std::strerror(errno));
  unzip(file, [&](std::string_view piece) {
    while (!piece.empty()) {
      const ssize_t put = ::write(out, piece.data(), piece.size());
      if (put < 0 && errno == EINTR) continue;
      PAIRS_CHECK(put > 0, "{} cannot be unpacked among the temporary files: {}; unpack it by hand",
                  printable(file.string(), 300), std::strerror(errno));
      piece.remove_prefix(static_cast<std::size_t>(put));
    }
  });
}

void check_utf8(std::string_view text, const std::string& where) {
  const std::string_view head = text.substr(0, 1000);
  std::size_t nulls = 0, controls = 0;
  for (const unsigned char c : head) {
    nulls += c == 0 ? 1 : 0;
    controls += c > 0 && c < 0x20 && c != 0x1a && (c < '\t' || c > '\r') ? 1 : 0;
  }
  PAIRS_CHECK(!text.starts_with("PK\x03\x04"),
              "{} is a zip archive or an Excel workbook and no text; unpack it, or save the sheet as CSV", where);
  PAIRS_CHECK(!text.starts_with("\x1f\x8b"), "{} is packed with gzip more than once; unpack it", where);
  PAIRS_CHECK(!text.starts_with(std::string_view("\xff\xfe\0\0", 4)) &&
                  !text.starts_with(std::string_view("\0\0\xfe\xff", 4)) &&
                  (head.size() < 8 || nulls * 8 <= head.size() * 5),
              "{} is text in UTF-32, or no text; save it as UTF-8 or plain ASCII", where);
  PAIRS_CHECK(controls * 50 <= head.size(),
              "{} holds bytes that are no text, such as binary numbers; save it as CSV, or with numpy.save", where);
  std::size_t zeros[2] = {0, 0};
  for (std::size_t k = 0; k < head.size(); ++k) zeros[k % 2] += head[k] == 0 ? 1 : 0;
  const std::size_t pairs = head.size() / 2, most = std::max(zeros[0], zeros[1]), least = std::min(zeros[0], zeros[1]);
  const bool halves = pairs >= 2 && most * 4 > pairs * 3 && least * 10 < most;
  PAIRS_CHECK(!text.starts_with("\xff\xfe") && !text.starts_with("\xfe\xff") && !halves,
              "{} is text in UTF-16; save it as UTF-8 or plain ASCII", where);
}

}  // namespace pairs
