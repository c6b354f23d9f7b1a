#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// The CUDA libraries that libpairs_cuda.so needs if this program's LibTorch comes without them: fetched on request
// (app/gpu) and shared by every version that needs the same ones.

// The list of the wheels that provide them (third_party/torch-gpu.txt). Throws Error if it is missing.
std::filesystem::path gpu_libraries_list();

// The folder for all of them in the layout of the wheels, torch/lib and nvidia/*/lib; it need not exist. It lies in
// caches_folder(), and its name is kGpuLibraries followed by the list's hash. Throws Error as those two functions do.
std::filesystem::path gpu_libraries_folder();
inline constexpr const char* kGpuLibraries = "gpu-libraries-";

// Opens LibTorch's CUDA libraries in a folder with all their dependencies, so that libpairs_cuda.so finds them by name.
// Returns the loader's message on failure, "" on success.
std::string open_gpu_libraries(const std::filesystem::path& folder);

}  // namespace pairs
