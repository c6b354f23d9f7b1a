#pragma once

#include <cstdint>
#include <span>

namespace pairs {

inline constexpr std::int64_t glyph_side = 28;

// Draws glyph `index` of a digit like a pen: strokes through jittered points, with random proportions, slant, pen width
// and pressure, anti-aliased, fitted into 20 x 20 pixels and centered by mass like MNIST. A pure function of (key,
// index). digit 0 to 9; pixels [28 x 28], 0 to 255.
void draw_glyph(std::uint64_t key, std::uint64_t index, int digit, std::span<std::uint8_t> pixels);

}  // namespace pairs
