#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pairs {

// The texts of one array of text (NumPy's U and S) of an .npz file, which NpzReader knows nothing of; empty where the
// file holds none of this name. Throws Error where it has more than one axis, and as NpzReader.
std::vector<std::string> read_npz_texts(const std::filesystem::path& file, const std::string& name);

}  // namespace pairs
