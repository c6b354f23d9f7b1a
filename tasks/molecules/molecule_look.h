#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tasks/molecules/chemistry/depiction.h"
#include "tasks/parts/bodies.h"

namespace pairs {

// The conventional color of an element (Corey, Pauling, Koltun), 0xRRGGBB.
std::uint32_t element_color(int atomic_number);

// A conformer, rows [atoms, 4] of Z, x, y, z in Å, as balls and sticks around the center of its atoms. If `onto` has
// the same atoms, the conformer is rotated to match it as well as possible.
Body molecule_body(std::span<const float> rows, const std::vector<SolidBond>& bonds, std::span<const float> onto = {});

// A structural formula as plain strokes, with a bond length of about 1.
PlaneDrawing molecule_formula(const MoleculeDrawing& drawing);

}  // namespace pairs
