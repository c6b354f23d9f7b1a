#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/posterior/validation/external_validation.h"

namespace pairs {

// Stored next to the weights, together with external-validation-parts.npz or external-validation-values.npz.
inline constexpr const char* kExternalValidationFile = "external-validation.json";

// All files that belong to external-validation.json, which is first: the others identify the items; none for "".
std::vector<std::filesystem::path> external_validation_files(const std::filesystem::path& file);

// The external validation stored with the weights; empty if there was none. If a file is damaged, missing or belongs to
// other weights, only `problem`, which states it.
ExternalValidation external_validation_of(const LoadedRun& run);
void write_external_validation(const std::filesystem::path& file, const LoadedRun& of,
                               const ExternalValidation& validated);

// The validation as JSON: on, unread, and an object for each kind.
// The text of such a file with what `change` makes of it and a checksum that fits. Throws Error if it is damaged.
std::string changed_external_validation(const std::string& text, const std::string& where,
                                        const std::function<void(nlohmann::json&)>& change);
nlohmann::json external_validation_document(const ExternalValidation& validated);

}  // namespace pairs
