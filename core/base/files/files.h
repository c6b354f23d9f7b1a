#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace pairs {

// Reads the whole file as bytes. Throws Error if it cannot be read or is larger than `limit` bytes.
std::string read_file(const std::filesystem::path& file, std::uint64_t limit = 1ull << 40);

// Replaces a file atomically: writes a temporary file in the same folder, flushes file and folder to disk and renames,
// so that the target always holds either the old or the new content. On any failure (full disk, permissions) the old
// file stays, the temporary one is removed, and Error states why. Follows a symbolic link; refuses anything but a
// regular file. The folder must exist.
void write_file(const std::filesystem::path& file, std::string_view bytes);

// Throws the Error that write_file would throw, as far as that is known before anything is written.
void check_writable(const std::filesystem::path& file);

// write_file for a writer that needs a path (libpng): it receives the temporary path and creates that file.
void write_file_through(const std::filesystem::path& file,
                        const std::function<void(const std::filesystem::path&)>& write);

// Writes several files at once: `write` fills a temporary folder, whose files then move to `folder`, which is created
// if needed. `folder` must not hold files of the same names.
void write_folder_through(const std::filesystem::path& folder,
                          const std::function<void(const std::filesystem::path&)>& write);

// For a process that is about to exit while writing: removes its temporary files and its scratch folders
// (scratch_folder.h). Every writer blocks from here on.
void abandon_writes();

// Appends one line in a single write to the kernel; creates the file, follows no symbolic link. A torn last line, left
// by a crash, is dropped first; on failure the file is unchanged. Lines hold no '
// '. One writer per file at a time.
void append_line(const std::filesystem::path& file, std::string_view line);

// Free bytes on the file system that holds `path` (the nearest existing parent counts).
std::uint64_t free_disk_bytes(const std::filesystem::path& path);

// Locks a run folder for this process (flock on FOLDER/.lock, released when the process ends, however it ends). Throws
// Error if another process holds it, or if .lock is not a regular file of its own.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  // Throws Error if the folder at that path is no longer the locked one: moved, replaced, or unlocked by hand.
  void check() const;
  // Removes temporary files that write_file left in the folder, in processes that died, for targets whose names are
  // `ours`.
  void remove_leftovers(const std::function<bool(std::string_view)>& ours) const;

 private:
  std::filesystem::path folder_;
  int descriptor_ = -1;
};

// Whether any process, including this one, holds the folder by a FolderLock. Leaves no trace.
bool is_locked(const std::filesystem::path& folder);

// The crc32 of zlib, the checksum in all our files. `previous` continues an earlier range.
std::uint32_t checksum(std::string_view bytes, std::uint32_t previous = 0);

// The folder of the running executable.
std::filesystem::path program_folder();

// The folder of presets and shipped weights: $PAIRS_ASSETS, else <exe>/../share/pairs-studio, else the source tree's
// assets/ if the program runs from its build folder. Throws Error naming the places searched.
std::filesystem::path assets_folder();

}  // namespace pairs
