#include "app/model/library/trash.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>

#include "core/base/files/descriptor.h"
#include "core/base/system/xdg_folder.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::model {
namespace fs = std::filesystem;
namespace {

// Encodes as in a URI: letters, digits and a few marks unchanged, other bytes as %XX.
std::string percent_encoded(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::strchr("/-_.!~*'()", c) != nullptr;
    out += plain && c ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return text;
}

void make_private_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return;
  fail("The trash {} cannot be made: {}; delete the folder by hand", printable(folder.string(), 300),
       std::strerror(errno));
}

}  // namespace

fs::path move_to_trash(const fs::path& wanted) {
  fs::path path = fs::absolute(wanted).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const std::string shown = printable(path.string(), 300);
  std::error_code error;
  PAIRS_CHECK(fs::exists(fs::symlink_status(path, error)), "{} is missing already", shown);
  const fs::path trash = fs::path("/") / xdg_folder("XDG_DATA_HOME", ".local/share") / "Trash";
  const fs::path files = trash / "files", records = trash / "info";
  for (const fs::path& folder : {trash, files, records}) make_private_folder(folder);

  // The record is created first, exclusively, which reserves the name.
  const std::string name = path.filename().string();
  for (int k = 1; k < 10000; ++k) {
    const std::string there = k == 1 ? name : fmt::format("{}.{}", name, k);
    const fs::path record = records / (there + ".trashinfo"), target = files / there;
    if (fs::exists(fs::symlink_status(target, error))) continue;
    const Descriptor made(::open(record.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (made < 0) {
      if (errno == EEXIST) continue;
      fail("{} cannot be moved to the trash {}: {}; delete it by hand", shown, printable(trash.string(), 300),
           std::strerror(errno));
    }
    const std::string text =
        fmt::format("[Trash Info]\nPath={}\nDeletionDate={}\n", percent_encoded(path.string()), local_time());
    const bool written = ::write(made, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (written && ::rename(path.c_str(), target.c_str()) == 0) return target;
    const int code = written ? errno : ENOSPC;
    ::unlink(record.c_str());
    fail("{} cannot be moved to the trash: {}; delete it by hand", shown,
         code == EXDEV ? "it lies on another disk than the trash" : std::strerror(code));
  }
  fail("{} cannot be moved to the trash: too many things of its name are there; empty the trash", shown);
}

void restore_from_trash(const fs::path& place, const fs::path& path) {
  const std::string shown = printable(path.string(), 300);
  std::error_code error;
  PAIRS_CHECK(!fs::exists(fs::symlink_status(path, error)),
              "{} cannot be put back: something of that name stands there; it is still in the trash as {}", shown,
              printable(place.string(), 300));
  PAIRS_CHECK(::rename(place.c_str(), path.c_str()) == 0, "{} cannot be put back from the trash: {}", shown,
              std::strerror(errno));
  ::unlink((place.parent_path().parent_path() / "info" / (place.filename().string() + ".trashinfo")).c_str());
}

}  // namespace pairs::model
