#include "tasks/own/stored/unpacked_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/files/descriptor.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/interruption.h"

namespace pairs {

std::shared_ptr<const StoredFile> unpacked_file(const std::string& where, std::uint64_t bytes,
                                                const std::function<void(const BytesTaker& take)>& fill) {
  namespace fs = std::filesystem;
  const fs::path folder = caches_folder() / "unpacked";
  const std::string shown = printable(folder.string(), 300);
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::space_info space = fs::space(folder, error);
  PAIRS_CHECK(!error, "{} cannot be unpacked into {}: {}; set PAIRS_CACHE to another folder", where, shown,
              error.message());
  PAIRS_CHECK(bytes <= space.available,
              "{} needs {} to be unpacked, and {} has {} left; free some space, or set PAIRS_CACHE to another folder",
              where, byte_text(bytes), shown, byte_text(space.available));
  std::string name = (folder / "XXXXXX").string();
  const Descriptor out(::mkostemp(name.data(), O_CLOEXEC));
  PAIRS_CHECK(out >= 0, "{} cannot be unpacked into {}: {}; set PAIRS_CACHE to another folder", where, shown,
              std::strerror(errno));
  ::unlink(name.c_str());
  std::uint64_t taken = 0;
  fill([&](std::string_view part) {
    interruption_point();
    taken += part.size();
    PAIRS_CHECK(taken <= bytes, "{} is damaged: it unpacks to more than the {} that it announces; write it again",
                where, byte_text(bytes));
    while (!part.empty()) {
      const ssize_t wrote = ::write(out, part.data(), part.size());
      if (wrote < 0 && errno == EINTR) continue;
      PAIRS_CHECK(wrote > 0, "{} cannot be unpacked into {}: {}; free some space", where, shown, std::strerror(errno));
      part.remove_prefix(static_cast<std::size_t>(wrote));
    }
  });
  PAIRS_CHECK(taken == bytes && bytes > 0,
              "{} is cut short: it unpacks to {} of the {} that it announces; write it again", where, byte_text(taken),
              byte_text(bytes));
  return std::make_shared<const StoredFile>(fmt::format("/proc/self/fd/{}", static_cast<int>(out)), where);
}

}  // namespace pairs
