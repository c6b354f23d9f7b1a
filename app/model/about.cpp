#include "app/model/about.h"

#include <torch/headeronly/version.h>

#include <atomic>

#include "core/base/gpu/devices.h"
#include "core/base/threads/latest_worker.h"
#include "core/version.h"

namespace pairs::model {
namespace {

// The table of third_party/README.md, in the same order; the last lines belong to the window.
constexpr Dependency kDependencies[] = {
    {"LibTorch", "2.11.0", "BSD-3-Clause", "tensors and automatic differentiation"},
    {"CUDA runtime, CUPTI", "13.0", "NVIDIA CUDA EULA", "linked by LibTorch"},
    {"cuBLAS, cuDNN, cuFFT, NCCL and others", "13.0", "NVIDIA EULAs, NCCL BSD-3-Clause", "LibTorch on NVIDIA GPUs"},
    {"{fmt}", "9.1.0", "MIT", "text"},
    {"spdlog", "1.10.0", "MIT", "log"},
    {"JSON for Modern C++", "3.11.2", "MIT", "metrics, events, weights' headers"},
    {"toml++", "3.3.0", "MIT", "presets and settings"},
    {"CLI11", "2.1.2", "BSD-3-Clause", "command line"},
    {"Boost.Math", "1.74.0", "BSL-1.0", "special functions"},
    {"zlib", "1.2.13", "Zlib", "compressed files"},
    {"libzip", "1.7.3", "BSD-3-Clause", "NPZ files"},
    {"OpenSSL", "3.0", "Apache-2.0", "SHA-256 of files, in reports"},
    {"libpng", "1.6.39", "libpng-2.0", "pictures"},
    {"libjpeg-turbo", "2.1.5", "IJG, BSD-3-Clause", "observed images as JPEG"},
    {"libcurl", "7.88.1", "curl (MIT-like)", "fetching a GPU's libraries on request"},
    {"stb_image", "2.27", "public domain or MIT", "observed images as BMP and TGA"},
    {"cairo", "1.16.0", "LGPL-2.1 or MPL-1.1", "figures as PNG"},
    {"libwebp", "1.2.4", "BSD-3-Clause", "animations"},
#if PAIRS_WITH_OBJECTS
    {"Assimp", "5.2.5", "BSD-3-Clause", "meshes"},
    {"Embree", "3.13.5", "Apache-2.0", "views of meshes"},
    {"Qhull", "2020.2", "Qhull license", "convex hulls"},
#endif
#if PAIRS_WITH_MOLECULES
    {"RDKit", "2022.09.3", "BSD-3-Clause", "chemistry"},
    {"msgpack", "4.1.3", "BSL-1.0", "conformers of GEOM"},
#endif
#if PAIRS_WITH_HDF5
    {"HDF5", "1.10.8", "BSD-3-Clause", "stored simulations, tables"},
#endif
#if PAIRS_WITH_ARROW
    {"Arrow", "26.0.1", "Apache-2.0", "tables as Parquet and Arrow"},
#endif
#if PAIRS_WITH_FITS
    {"CFITSIO", "4.2.0", "CFITSIO license", "tables as FITS"},
#endif
    {"Inter, DejaVu Sans", "4.0, 2.37", "OFL-1.1, Bitstream Vera", "fonts"},
    {"tcmalloc", "2.10", "BSD-3-Clause", "memory"},
    {"Dear ImGui", "1.86", "MIT", "the window's widgets"},
    {"FreeType", "2.12.1", "FTL or GPL-2.0", "the window's text"},
    {"GLFW", "3.3.8", "Zlib", "window, keyboard and mouse"},
    {"sd-bus", "252", "LGPL-2.1", "the desktop's file dialogs"},
    {"OpenGL, EGL", "1.6, Mesa 22.3", "MIT", "drawing, with a GPU or in software"},
};

}  // namespace

std::span<const Dependency> dependencies() {
  return kDependencies;
}

std::string program_version() {
  return kVersion;
}

std::string libtorch_version() {
  return TORCH_VERSION;
}

Devices::Devices(Hub& hub) : lines_([&hub] { hub.wake(); }) {
  lines_.ask([](const auto&) {
    auto lines = std::make_shared<std::vector<DeviceLine>>();
    for (const DeviceInfo& device : list_devices())
      lines->push_back({device.name, device.usable ? device.description : device.reason, device.usable});
    return lines;
  });
}

}  // namespace pairs::model
