#pragma once

#include <filesystem>
#include <functional>

namespace pairs::gpu {

// Unpacks a wheel's CUDA libraries into a folder with their paths: nvidia/*/lib, and from torch/lib the libraries that
// LibTorch for the CPU lacks. Replaces files of the same names. `stopped` true throws Stopped. Throws Error if the file
// is not a wheel or is unreadable, or a library cannot be written.
void unpack_libraries(const std::filesystem::path& wheel, const std::filesystem::path& folder,
                      const std::function<bool()>& stopped);

}  // namespace pairs::gpu
