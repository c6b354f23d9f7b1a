#pragma once

#include <memory>

#include "tasks/objects/mesh/mesh_source.h"

namespace pairs {

// A source's objects in a fixed random order, so that the first ones are of all kinds even if the source lists one kind
// after another.
std::shared_ptr<const MeshSource> mixed_meshes(std::shared_ptr<const MeshSource> source);

}  // namespace pairs
