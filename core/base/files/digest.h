#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pairs {

// The SHA-256 of a file as `sha256sum` prints it, 64 hexadecimal digits; reads the file in pieces. Throws Error if it
// cannot be read.
std::string sha256_of(const std::filesystem::path& file);

// Bytes in base 64, with padding (RFC 4648).
std::string base64(std::string_view bytes);

}  // namespace pairs
