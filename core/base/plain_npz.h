#pragma once

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

namespace pairs {

// As write_npz (core/base/npz.h), but not deflated: such a file can be read in place, a part at a time.
void write_plain_npz(const std::filesystem::path& file, const std::map<std::string, torch::Tensor>& arrays);

}  // namespace pairs
