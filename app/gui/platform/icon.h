#pragma once

#include <cstdint>
#include <vector>

namespace pairs::gui {

// The program's picture, `side` pixels wide and high: RGBA, row by row from the top. Two points and the density that
// they give.
std::vector<std::uint8_t> icon_pixels(int side);

}  // namespace pairs::gui
