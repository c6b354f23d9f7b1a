#include "app/gpu/gpu_libraries_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "app/gpu/package_index.h"
#include "app/gpu/transfer.h"
#include "app/gpu/wheel_file.h"
#include "core/base/files/digest.h"
#include "core/base/files/files.h"
#include "core/base/gpu/devices.h"
#include "core/base/gpu/gpu_libraries.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::gpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPart = ".part";
constexpr int kMostTries = 5;
constexpr std::uint64_t kRoom = 1ull << 30;  // stays free in addition to the libraries: space for the largest wheel

// Next to the folder: partial wheels, the unpacked libraries, and a mark for each finished wheel.
fs::path workplace() {
  fs::path place = gpu_libraries_folder();
  place += kPart;
  return place;
}
fs::path mark_of(const Wheel& wheel) {
  return workplace() / (wheel.hashes.front() + ".done");
}
fs::path file_of(const Wheel& wheel) {
  return workplace() / (wheel.hashes.front() + ".whl");
}

std::uint64_t size_of(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  return error ? 0 : size;
}

std::uint64_t size_of_tree(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->is_regular_file(error) && !at->is_symlink(error)) bytes += size_of(at->path());
  return bytes;
}

// The size of a wheel, from its mark.
std::uint64_t marked_bytes(const Wheel& wheel) {
  std::uint64_t bytes = 0;
  std::ifstream(mark_of(wheel)) >> bytes;
  return bytes;
}

// The download folders of all lists, complete or not.
std::vector<fs::path> fetched_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator at(caches_folder(), error), end; !error && at != end; at.increment(error))
    if (at->is_directory(error) && at->path().filename().string().starts_with(kGpuLibraries))
      folders.push_back(at->path());
  return folders;
}

class Adding {
 public:
  Adding(const Needs& needs, const std::string& index, const Watch& watch)
      : needs_(needs), index_(index), watch_(watch) {}

  void add(const Wheel& wheel) {
    name_ = wheel.project + " " + wheel.version;
    if (const std::uint64_t bytes = marked_bytes(wheel); bytes > 0) {
      before_ += bytes;
      return;
    }
    const fs::path file = file_of(wheel);
    if (!is_whole(wheel, file)) fetch(wheel, file);
    const std::uint64_t bytes = size_of(file);
    before_ += bytes;
    report("unpacking " + name_, 0);
    unpack_libraries(file, workplace() / "tree", watch_.stopped);
    write_file(mark_of(wheel), fmt::format("{}\n", bytes));
    fs::remove(file);
  }

 private:
  static bool is_whole(const Wheel& wheel, const fs::path& file) {
    return size_of(file) > 0 && std::ranges::find(wheel.hashes, sha256_of(file)) != wheel.hashes.end();
  }

  void report(const std::string& what, std::uint64_t here) const {
    if (watch_.progress) watch_.progress({what, before_ + here, needs_.list.wheel_bytes});
  }

  // Continues where an earlier attempt ended, and again after a broken connection that delivered something.
  void fetch(const Wheel& wheel, const fs::path& file) {
    report(name_, size_of(file));
    const IndexFile from = ask_index(index_, wheel, watch_.stopped);
    for (int tries = 1;; ++tries) {
      const std::uint64_t before = size_of(file);
      const TransferEnd end = receive(from.address, file, before);
      if (end.nothing_more) {
        fs::remove(file);  // it is longer than the server's file
        if (tries < kMostTries) continue;
      }
      if (end.problem.empty() && !end.nothing_more) break;
      const bool further = size_of(file) > before;
      PAIRS_CHECK(end.broke && further && tries < kMostTries,
                  "{} could not be fetched from {} ({}); what has come is kept: run it again to go on, or name another "
                  "index",
                  name_, shown_address(from.address), printable(end.problem, 300));
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    if (is_whole(wheel, file)) return;
    fs::remove(file);
    fail(
        "{} sent other bytes for {} than those with the pinned SHA-256; they were thrown away: run it again, or name "
        "another index",
        shown_address(from.address), name_);
  }

  TransferEnd receive(const std::string& address, const fs::path& file, std::uint64_t from) const {
    std::ofstream out;
    std::uint64_t here = from;
    Transfer asked;
    asked.address = address;
    asked.from = from;
    asked.stopped = watch_.stopped;
    asked.begins = [&](bool goes_on) {
      out.open(file, goes_on && from > 0 ? std::ios::binary | std::ios::app : std::ios::binary | std::ios::trunc);
      if (!goes_on) here = 0;
    };
    asked.receives = [&](std::string_view bytes) {
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      here += bytes.size();
      PAIRS_CHECK(out.good(), "cannot write {}: the disk is full or its folder may not be written to; free some space",
                  printable(file.string(), 300));
      PAIRS_CHECK(here <= needs_.list.wheel_bytes, "{} sends more bytes for {} than there are; name another index",
                  shown_address(address), name_);
      report(name_, here);
    };
    TransferEnd end = transfer(asked);
    if (out.is_open()) {
      out.close();
      PAIRS_CHECK(out.good(), "cannot write {}: the disk is full; free some space", printable(file.string(), 300));
    }
    return end;
  }

  const Needs& needs_;
  const std::string& index_;
  const Watch& watch_;
  std::string name_;
  std::uint64_t before_ = 0;  // bytes of the previous wheels
};

}  // namespace

std::string Needs::text() const {
  const std::string already = left_bytes < list.wheel_bytes ? fmt::format(" ({} of them are here already)",
                                                                          byte_text(list.wheel_bytes - left_bytes))
                                                            : "";
  return fmt::format(
      "GPU libraries: {} to fetch{}, {} on disk in {}; they need an NVIDIA driver for CUDA {}.{} (version 580) or "
      "newer",
      byte_text(list.wheel_bytes), already, byte_text(list.library_bytes), printable(folder.string(), 300),
      kNeededCuda / 1000, kNeededCuda % 1000 / 10);
}

Needs needs() {
  Needs all;
  all.list = read_wheel_list(gpu_libraries_list());
  all.folder = gpu_libraries_folder();
  std::uint64_t there = 0;
  for (const Wheel& wheel : all.list.wheels) there += std::max(marked_bytes(wheel), size_of(file_of(wheel)));
  all.left_bytes = all.list.wheel_bytes - std::min(there, all.list.wheel_bytes);
  return all;
}

void add_libraries(const Needs& needs, const std::string& index, const Watch& watch) {
  const fs::path work = workplace(), tree = work / "tree";
  std::error_code error;
  fs::create_directories(tree, error);
  PAIRS_CHECK(!error, "cannot make the folder {} ({}); set PAIRS_CACHE to a folder of yours",
              printable(tree.string(), 300), error.message());
  std::optional<FolderLock> lock;
  lock.emplace(work);
  if (fs::exists(needs.folder)) {  // another process was faster
    fs::remove_all(work);
    return;
  }
  const std::uint64_t unpacked = size_of_tree(tree);
  const std::uint64_t wanted = needs.list.library_bytes - std::min(unpacked, needs.list.library_bytes) + kRoom;
  const std::uint64_t free = free_disk_bytes(work);
  PAIRS_CHECK(free >= wanted, "the GPU libraries need {} in {} and {} are free; free some, or set PAIRS_CACHE",
              byte_text(wanted), printable(work.string(), 300), byte_text(free));
  Adding adding(needs, index, watch);
  for (const Wheel& wheel : needs.list.wheels) adding.add(wheel);
  fs::rename(tree, needs.folder);
  fs::remove_all(work);
}

bool fetched_anything() {
  // An attempt that ended before the first byte leaves an empty folder with its lock.
  return std::ranges::any_of(fetched_folders(), [](const fs::path& folder) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (at->is_regular_file(error) && at->path().filename() != ".lock") return true;
    return false;
  });
}

std::uint64_t remove_libraries() {
  std::uint64_t freed = 0;
  for (const fs::path& folder : fetched_folders()) {
    std::optional<FolderLock> lock;
    if (folder.extension() == kPart) lock.emplace(folder);
    freed += size_of_tree(folder);
    fs::remove_all(folder);
  }
  return freed;
}

}  // namespace pairs::gpu
