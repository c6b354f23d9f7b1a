#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tasks/molecules/depiction.h"
#include "tasks/parts/bodies.h"

namespace pairs {

// The colour of an element as chemists know it (Corey, Pauling, Koltun), 0xRRGGBB.
std::uint32_t element_colour(int atomic_number);

// A conformer, rows [atoms, 4] of Z, x, y, z in Å, as balls and sticks around the middle of its atoms. Where `onto` has
// the same atoms it is turned so that it lies on it as well as can be.
Body molecule_body(std::span<const float> rows, const std::vector<SolidBond>& bonds, std::span<const float> onto = {});

// A structural formula as plain strokes, a bond about 1 long.
PlaneDrawing molecule_formula(const MoleculeDrawing& drawing);

}  // namespace pairs
