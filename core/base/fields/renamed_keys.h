#pragma once

#include <string>
#include <string_view>

namespace pairs {

// Keys of earlier versions' files, which `pairs --batch convert` renames (app/batch/convert).

// The present name of a full key such as "estimator.standardise", or of a table; "" if it has no other name.
std::string present_key(std::string_view key);

// A TOML text with the present names of its keys, and of settings that it names in texts ("task.optimise=false").
// Everything else, comments and the order of lines included, stays as it is.
std::string with_present_keys(std::string_view toml);

}  // namespace pairs
