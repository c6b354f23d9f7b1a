#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pairs::model {

struct FileEntry {
  std::string name;
  bool folder = false, regular = false;  // neither: a pipe, a device, a link to nowhere
  std::uint64_t bytes = 0;
  std::int64_t changed = 0;  // seconds since 1970
};

struct FolderListing {
  std::filesystem::path folder;
  std::vector<FileEntry> entries;  // as the disk gives them
  bool cut = false;                // there are more
  std::string problem;             // why it cannot be looked through: a sentence; empty when it can
};

// Looks through a folder without opening anything in it. Throws Stopped once `stale`.
FolderListing list_folder(const std::filesystem::path& folder, const std::function<bool()>& stale);

// Files of one kind: "Observations", {".csv", ".npz"}. No endings: all files.
struct FileFilter {
  std::string title;
  std::vector<std::string> endings;
  // By its name; upper and lower case are the same.
  bool passes(const std::string& name) const;
  friend bool operator==(const FileFilter&, const FileFilter&) = default;
};

enum class FileOrder { name, size, changed };

// What of a listing is shown, and in which order.
struct ListingView {
  FileFilter filter;
  bool hidden = false;  // files that begin with a dot, too
  std::string begins;   // with which names begin
  FileOrder order = FileOrder::name;
  bool descending = false;
  friend bool operator==(const ListingView&, const ListingView&) = default;
};
// Folders first.
std::vector<const FileEntry*> shown_entries(const FolderListing& listing, const ListingView& view);

}  // namespace pairs::model
