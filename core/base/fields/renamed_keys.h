#pragma once

#include <string>
#include <string_view>

namespace pairs {

// Keys of earlier versions' files, which `pairs --batch convert` renames (app/batch/convert).

// What messages about such a key advise.
inline constexpr const char* kConvertAdvice = "pairs --batch convert FILE renames what files of earlier versions hold";

// The present name of a full key such as "estimator.standardise", or of a table; "" if it has no other name.
std::string present_key(std::string_view key);

// The present name of an option or a command; "" if it has no other name.
std::string present_option(std::string_view option);

// The present name of a value of a setting, such as "amortised"; "" if it has no other name.
std::string present_value(std::string_view value);

// The word of another prior that has another name now: "learnt", in "beta(2, 8); learnt theta = normal(0, 1)"; "" if it
// has none.
std::string earlier_prior_word(std::string_view prior);

// A TOML text with the present names of its keys and values. Everything else, comments and the order of lines included,
// stays as it is.
std::string with_present_keys(std::string_view toml);

}  // namespace pairs
