#include "app/model/files/folder_listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "app/model/files/typed_path.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::model {
namespace {

constexpr std::size_t kMostEntries = 20000;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Compares numbers in names by value: "run-2" before "run-10".
bool name_before(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const auto number = [&](const std::string& text, std::size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const std::size_t from = at;
        while (at < text.size() && digit(text[at])) ++at;
        return text.substr(from, at - from);
      };
      const std::string one = number(a, i), other = number(b, j);
      if (one.size() != other.size()) return one.size() < other.size();
      if (one != other) return one < other;
      continue;
    }
    const char one = lower(a[i++]), other = lower(b[j++]);
    if (one != other) return static_cast<unsigned char>(one) < static_cast<unsigned char>(other);
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

}  // namespace

FolderListing list_folder(const std::filesystem::path& folder, const std::function<bool()>& stale) {
  FolderListing listing;
  listing.folder = folder;
  const std::string shown = printable(folder.string(), 300);
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  if (!opened) {
    const int why = errno;
    listing.problem = why == ENOENT    ? fmt::format("There is no folder {}", shown)
                      : why == ENOTDIR ? fmt::format("{} is no folder", shown)
                                       : fmt::format("{} cannot be looked into: {}", shown, std::strerror(why));
    return listing;
  }
  for (;;) {
    if (stale()) throw Stopped();
    errno = 0;
    const dirent* entry = ::readdir(opened.get());
    if (!entry) {
      if (errno != 0) listing.problem = fmt::format("{} cannot be looked through: {}", shown, std::strerror(errno));
      return listing;
    }
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (listing.entries.size() == kMostEntries) {
      listing.cut = true;
      return listing;
    }
    struct stat status {};
    FileEntry& one = listing.entries.emplace_back();
    one.name = name;
    if (::fstatat(::dirfd(opened.get()), name.c_str(), &status, 0) != 0) continue;
    one.folder = S_ISDIR(status.st_mode);
    one.regular = S_ISREG(status.st_mode);
    one.bytes = one.regular ? static_cast<std::uint64_t>(status.st_size) : 0;
    one.changed = status.st_mtim.tv_sec;
  }
}

bool FileFilter::passes(const std::string& name) const {
  return endings.empty() || std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
           return name.size() > ending.size() &&
                  begins_with(std::string_view(name).substr(name.size() - ending.size()), ending);
         });
}

std::vector<const FileEntry*> shown_entries(const FolderListing& listing, const ListingView& view) {
  std::vector<const FileEntry*> shown;
  const bool hidden = view.hidden || view.begins.starts_with('.');
  for (const FileEntry& entry : listing.entries) {
    if (!hidden && entry.name.starts_with('.')) continue;
    if (!entry.folder && !view.filter.passes(entry.name)) continue;
    if (begins_with(entry.name, view.begins)) shown.push_back(&entry);
  }
  std::sort(shown.begin(), shown.end(), [&](const FileEntry* a, const FileEntry* b) {
    if (a->folder != b->folder) return a->folder;
    const FileEntry *one = view.descending ? b : a, *other = view.descending ? a : b;
    if (view.order == FileOrder::size && one->bytes != other->bytes) return one->bytes < other->bytes;
    if (view.order == FileOrder::changed && one->changed != other->changed) return one->changed < other->changed;
    return name_before(one->name, other->name);
  });
  return shown;
}

}  // namespace pairs::model
