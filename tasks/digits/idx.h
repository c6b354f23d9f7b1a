#pragma once

#include <torch/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace pairs {

// Reads an array of bytes in the IDX format of MNIST, plain or gzipped: images [K, H, W] or labels [K], uint8. The file
// is untrusted: magic, dimensions and sizes are checked before memory of their size is allocated, and no more is
// unpacked than the header announces (at most 1 GiB). Throws Error with one sentence naming the file.
torch::Tensor read_idx(const std::filesystem::path& file);
// Parses an array in memory; `where` names the source in errors.
torch::Tensor parse_idx(std::string_view bytes, const std::string& where);

}  // namespace pairs
