#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/posterior/validation/tried.h"

namespace pairs {

// Stored next to the weights, together with tried-parts.npz or tried-values.npz.
inline constexpr const char* kTriedFile = "tried.json";

// All files that belong to tried.json, which is first: the others identify the items; none for "".
std::vector<std::filesystem::path> tried_files(const std::filesystem::path& file);

// The external validation stored with the weights; empty if there was none. If a file is damaged, missing or belongs to
// other weights, only `problem`, which states it.
Tried tried_of(const LoadedRun& run);
void write_tried(const std::filesystem::path& file, const LoadedRun& of, const Tried& tried);

// The validation as JSON: on, unread, and an object for each kind.
nlohmann::json tried_document(const Tried& tried);

}  // namespace pairs
