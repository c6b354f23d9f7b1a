#pragma once

#include <memory>

#include "tasks/objects/mesh_source.h"

namespace pairs {

// The same objects in a fixed random order, so that the first of them are of all kinds where the source's own order is
// one kind after the other.
std::shared_ptr<const MeshSource> mixed_meshes(std::shared_ptr<const MeshSource> source);

}  // namespace pairs
