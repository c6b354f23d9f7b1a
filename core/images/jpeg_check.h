#pragma once

#include <string_view>

namespace pairs {

// What is wrong with the structure of a JPEG file, in some words, or null. stb_image 2.27 (Debian 12) trusts more than
// it should: it writes beyond its tables for Huffman codes of more than 256 symbols (CVE-2022-28042), decodes with
// tables that the file never gave, and leaves memory as it was where components have no scan.
const char* jpeg_flaw(std::string_view bytes);

}  // namespace pairs
