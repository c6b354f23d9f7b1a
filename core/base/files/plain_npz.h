#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

namespace pairs {

// write_npz (core/base/files/npz.h) without compression: such a file can be read in place, in parts.
void write_plain_npz(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays);

}  // namespace pairs
