#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace pairs {

// The whole file as bytes. Throws Error when it cannot be read or is larger than `limit` bytes.
std::string read_file(const std::filesystem::path& file, std::uint64_t limit = 1ull << 40);

// Writes beside the target, flushes file and folder to disk and renames, so that the target is always whole: old or
// new. On any failure (full disk, permissions) the old file stays, nothing is left beside it, and Error says why.
// A symbolic link is followed; anything but a regular file is refused. The folder must exist.
void write_file(const std::filesystem::path& file, std::string_view bytes);

// Throws the Error that write_file would, as far as that can be known before anything is written.
void check_writable(const std::filesystem::path& file);

// The same for a writer that needs a path (libpng): it is given the temporary path and creates that file.
void write_file_through(const std::filesystem::path& file,
                        const std::function<void(const std::filesystem::path&)>& write);

// The same for a new folder: `write` fills a temporary one, whose files then stand in `folder` all at once, which is
// made where there is none. Nothing that it holds has the name of one of them.
void write_folder_through(const std::filesystem::path& folder,
                          const std::function<void(const std::filesystem::path&)>& write);

// For a process that is about to exit in the midst of writing: removes what it has begun to write beside targets, and
// its scratch folders (scratch_folder.h). Every writer waits from here on.
void abandon_writes();

// Appends one line in a single write to the kernel; creates the file, follows no symbolic link. A torn last line, left
// by a crash, is dropped first; on failure the file is as before. Lines hold no '\n'. One writer a file at a time.
void append_line(const std::filesystem::path& file, std::string_view line);

// Free bytes on the file system that holds `path` (the nearest existing parent counts).
std::uint64_t free_disk_bytes(const std::filesystem::path& path);

// Holds a run folder for this process (flock on FOLDER/.lock, released when the process ends however it ends). Throws
// Error when someone else holds it, or when .lock is no file of its own.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  // Throws Error when the folder at that path is no longer the one that is held: moved, replaced, or unlocked by hand.
  void check() const;
  // Removes what write_file left in the folder, in processes that died, beside the files whose names are `ours`.
  void remove_leftovers(const std::function<bool(std::string_view)>& ours) const;

 private:
  std::filesystem::path folder_;
  int descriptor_ = -1;
};

// Whether a process, this one included, holds the folder by a FolderLock. Leaves no trace.
bool is_locked(const std::filesystem::path& folder);

// zlib's crc32 of a byte range, the checksum in all our files. `previous` continues an earlier range.
std::uint32_t checksum(std::string_view bytes, std::uint32_t previous = 0);

// The folder of the running executable.
std::filesystem::path program_folder();

// Folder of presets and shipped weights: $PAIRS_ASSETS, else <exe>/../share/pairs-studio, else the source
// tree's assets/ when the program runs from its build folder. Throws Error naming the places looked at.
std::filesystem::path assets_folder();

}  // namespace pairs
