#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "app/gpu/wheel_list.h"

namespace pairs::gpu {

// Fetches the CUDA libraries that a GPU needs (core/base/gpu_libraries.h), and removes them.

// What adding them takes.
struct Needs {
  WheelList list;
  std::filesystem::path folder;  // where they go
  std::uint64_t left_bytes = 0;  // that are to be fetched: less than the list's where an earlier try was stopped
  std::string text() const;      // one sentence without a full stop, for people to agree to
};
// Throws Error where the list is missing or nothing can be kept.
Needs needs();

// How far it is.
struct AddProgress {
  std::string what;                   // "torch 2.11.0", "unpacking torch 2.11.0"
  std::uint64_t done = 0, total = 0;  // bytes fetched
};
struct Watch {
  std::function<void(const AddProgress&)> progress;
  std::function<bool()> stopped;  // asked several times a second
};

// Fetches what is missing from the index at that address (package_index.h), checks each wheel by its SHA-256 and
// unpacks its libraries beside the folder, which takes its name when all are there. What was fetched is kept when it is
// stopped or fails: the next call goes on there. Throws Error and Stopped.
void add_libraries(const Needs& needs, const std::string& index, const Watch& watch);

// Whether anything was fetched, all of it or a part.
bool fetched_anything();

// Removes what was fetched, for other versions of the program, too, and what unfinished calls have left. Returns the
// bytes that were freed. Throws Error while another process fetches.
std::uint64_t remove_libraries();

}  // namespace pairs::gpu
