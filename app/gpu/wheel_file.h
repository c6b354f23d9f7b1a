#pragma once

#include <filesystem>
#include <functional>

namespace pairs::gpu {

// Unpacks a wheel's CUDA libraries into a folder, where they keep their places: nvidia/*/lib, and of torch/lib those
// that LibTorch for the CPU lacks. Files of the same names are replaced. `stopped` true throws Stopped. Throws Error
// where the file is no wheel or cannot be read, or a library cannot be written.
void unpack_libraries(const std::filesystem::path& wheel, const std::filesystem::path& folder,
                      const std::function<bool()>& stopped);

}  // namespace pairs::gpu
