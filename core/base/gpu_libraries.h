#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// The CUDA libraries that libpairs_cuda.so needs where this program's LibTorch has none: fetched when a person asks for
// them (app/gpu), kept for every version that needs the same ones.

// The list of the wheels that they come from (third_party/torch-gpu.txt). Throws Error where it is missing.
std::filesystem::path gpu_libraries_list();

// The folder that holds all of them in the layout of the wheels, torch/lib and nvidia/*/lib, or is not there: in
// caches_folder(), with a name that begins with kGpuLibraries and goes on with the list's hash. Throws Error as those
// do.
std::filesystem::path gpu_libraries_folder();
inline constexpr const char* kGpuLibraries = "gpu-libraries-";

// Opens LibTorch's CUDA libraries of a folder with all that they need, so that libpairs_cuda.so finds them by their
// names. Why that fails, as the loader says it; "" when it is done.
std::string open_gpu_libraries(const std::filesystem::path& folder);

}  // namespace pairs
