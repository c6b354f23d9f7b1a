#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pairs {

// Reads an array of text (NumPy's U and S) of an .npz file, which NpzReader skips; empty if the file holds none of this
// name. Throws Error if it has more than one axis, and as NpzReader does.
std::vector<std::string> read_npz_texts(const std::filesystem::path& file, const std::string& name);
// The first of these names that is a one-dimensional array of text, with its texts; "" and none if there is none. Does
// not read the whole file unless it is a gzip file. Throws Error as read_npz_texts does.
std::pair<std::string, std::vector<std::string>> find_npz_texts(const std::filesystem::path& file,
                                                                const std::vector<std::string>& names);

}  // namespace pairs
