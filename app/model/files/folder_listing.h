#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pairs::model {

struct FileEntry {
  std::string name;
  bool folder = false, regular = false;  // neither: a pipe, a device, a broken link
  std::uint64_t bytes = 0;
  std::int64_t changed = 0;  // seconds since 1970
};

struct FolderListing {
  std::filesystem::path folder;
  std::vector<FileEntry> entries;  // in the order of the disk
  bool cut = false;                // whether further entries are omitted
  std::string problem;             // why it cannot be listed: a sentence; else empty
};

// Lists a folder without opening anything in it. Throws Stopped once `stale`.
FolderListing list_folder(const std::filesystem::path& folder, const std::function<bool()>& stale);

// Files of one kind: "Observations", {".csv", ".npz"}. An empty list admits all files.
struct FileFilter {
  std::string title;
  std::vector<std::string> endings;
  // Checks the ending, ignoring case.
  bool passes(const std::string& name) const;
  friend bool operator==(const FileFilter&, const FileFilter&) = default;
};

enum class FileOrder { name, size, changed };

// Which entries of a listing are shown, and their order.
struct ListingView {
  FileFilter filter;
  bool hidden = false;  // whether hidden files (.name) are shown
  std::string begins;   // shows only names with this prefix
  FileOrder order = FileOrder::name;
  bool descending = false;
  friend bool operator==(const ListingView&, const ListingView&) = default;
};
// Folders first.
std::vector<const FileEntry*> shown_entries(const FolderListing& listing, const ListingView& view);

}  // namespace pairs::model
