#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace pairs::chart {

// An 8-bit RGB image as the bytes of a PNG file; `pixels_per_point` becomes its resolution (0: none is stored).
std::string encode_png(std::int64_t width, std::int64_t height, std::span<const std::uint8_t> rgb,
                       double pixels_per_point = 0);

}  // namespace pairs::chart
