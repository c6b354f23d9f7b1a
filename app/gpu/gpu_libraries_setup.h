#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "app/gpu/wheel_list.h"

namespace pairs::gpu {

// Downloads the CUDA libraries that a GPU needs (core/base/gpu/gpu_libraries.h), and removes them.

// The requirements of a download.
struct Needs {
  WheelList list;
  std::filesystem::path folder;  // destination
  std::uint64_t left_bytes = 0;  // left to download: less than in the list if an earlier attempt was stopped
  std::string text() const;      // one sentence without a full stop, for the user's consent
};
// Throws Error if the list is missing or nothing can be stored.
Needs needs();

// The progress of a download.
struct AddProgress {
  std::string what;                   // "torch 2.11.0", "unpacking torch 2.11.0"
  std::uint64_t done = 0, total = 0;  // downloaded bytes
};
struct Watch {
  std::function<void(const AddProgress&)> progress;
  std::function<bool()> stopped;  // called several times a second
};

// Downloads what is missing from the index at that address (package_index.h), checks each wheel by its SHA-256 and
// unpacks its libraries into a temporary folder, which is renamed once all are complete. Downloads are kept after a
// stop or failure, and the next call continues from there. Throws Error and Stopped.
void add_libraries(const Needs& needs, const std::string& index, const Watch& watch);

// Whether anything was downloaded, completely or in part.
bool fetched_anything();

// Removes all downloads, also those for other versions of the program and incomplete ones. Returns the number of freed
// bytes. Throws Error while another process downloads.
std::uint64_t remove_libraries();

}  // namespace pairs::gpu
