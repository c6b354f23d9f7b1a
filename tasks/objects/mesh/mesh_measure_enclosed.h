#pragma once

#include <cstdint>
#include <optional>

#include "render/meshes/triangle_mesh.h"
#include "tasks/objects/mesh/mesh_measure_surface.h"

namespace pairs {

struct Enclosed {
  double volume = 0;
  std::uint32_t inverted = 0;      // outer shells that were oriented inside out
  std::uint32_t cavities = 0;      // shells whose volume was subtracted
  std::uint32_t inner_solids = 0;  // shells within a solid, counted with it
};

// Rule 3 of mesh_measure.h for a closed surface whose shells are each consistently oriented. Nothing if so many shells
// lie within others' boxes that finding their nesting would take more than seconds.
std::optional<Enclosed> enclosed_volume(const TriangleMesh& mesh, const Shells& shells);

}  // namespace pairs
