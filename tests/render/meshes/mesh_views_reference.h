#pragma once

#include <torch/types.h>

#include <span>

#include "render/meshes/mesh_views.h"

namespace pairs::render {

// MeshViews::render ray by ray and triangle by triangle (Moeller and Trumbore 1997) in float64 where the mesh lies, for
// tests. Returns [views, channels, side, side] float64 in [0, 1], not rounded.
torch::Tensor render_mesh_views_reference(const TriangleMesh& mesh, std::span<const MeshCamera> cameras,
                                          const ViewOptions& options);

}  // namespace pairs::render
