#pragma once

#include <cstdint>
#include <vector>

namespace pairs::gui {

// The program's icon, `side` pixels wide and high: RGBA, row by row from the top. Two points and their density.
std::vector<std::uint8_t> icon_pixels(int side);

}  // namespace pairs::gui
