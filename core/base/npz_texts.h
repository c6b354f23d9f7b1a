#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pairs {

// The texts of one array of text (NumPy's U and S) of an .npz file, which NpzReader knows nothing of; empty where the
// file holds none of this name. Throws Error where it has more than one axis, and as NpzReader.
std::vector<std::string> read_npz_texts(const std::filesystem::path& file, const std::string& name);
// The first of these names that is an array of text along one axis, with its texts; "" and none where none is. The file
// is not read whole where it is no gzip file. Throws Error as read_npz_texts.
std::pair<std::string, std::vector<std::string>> find_npz_texts(const std::filesystem::path& file,
                                                                const std::vector<std::string>& names);

}  // namespace pairs
