#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/posterior/tried.h"

namespace pairs {

// Beside the weights, and beside it tried-parts.npz or tried-values.npz.
inline constexpr const char* kTriedFile = "tried.json";

// All that belongs to tried.json, itself the first: files next to it hold what identifies the items; none for "".
std::vector<std::filesystem::path> tried_files(const std::filesystem::path& file);

// What is stored beside the weights; nothing where nothing was tried. Where a file is damaged, missing beside the
// others or of other weights, `problem` alone, which says so.
Tried tried_of(const LoadedRun& run);
void write_tried(const std::filesystem::path& file, const LoadedRun& of, const Tried& tried);

// The same as JSON: on, unread, and an object for each of the kinds.
nlohmann::json tried_document(const Tried& tried);

}  // namespace pairs
