#pragma once

#include <string>

#include "render/scene.h"

namespace pairs {

// A range of angles in degrees: "22.5° to 67.5°", and without the sign "22.5 to 67.5".
std::string degrees_text(const render::Range& radians, const char* sign = "°");
// A range of plain numbers: "0.05 to 0.2".
std::string range_text(const render::Range& range);

}  // namespace pairs
