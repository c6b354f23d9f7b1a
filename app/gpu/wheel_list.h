#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pairs::gpu {

// A wheel (a ZIP file of the Python package index), identified by its SHA-256. Several hashes: all these wheels hold
// the same libraries.
struct Wheel {
  std::string project, version;     // "nvidia-cublas", "13.1.0.3"
  std::vector<std::string> hashes;  // 64 hexadecimal digits each
};

struct WheelList {
  std::vector<Wheel> wheels;
  std::uint64_t wheel_bytes = 0, library_bytes = 0;  // size of the downloads, and of the libraries in them
};

// Reads a list in the form of pip's requirements, project==version --hash=sha256:…, with a comment on the sizes in
// bytes: "# bytes: 2512368692 to fetch, 3300000000 of libraries". Throws Error for another form.
WheelList read_wheel_list(const std::filesystem::path& file);

}  // namespace pairs::gpu
