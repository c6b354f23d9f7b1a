#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "render/meshes/triangle_mesh.h"
#include "tasks/objects/mesh_measure.h"

namespace pairs {

// The parts that objects are divided into.
enum class MeshSplit : std::uint8_t { pretrain = 0, finetune = 1, test = 2 };

// What is known of an object once its mesh was read.
struct MeshRecord {
  std::string key;  // names its mesh for good: what it holds never changes under the same key (generator and its
                    // version, or a checksum of the file's bytes)
  MeshFacts facts;  // set_aside says why it cannot be used
};

// Where the task's objects come from: a folder of files (mesh_folder.h), or a generator (furniture.h). Objects are
// numbered 0 .. size() - 1; everything is a pure function of the number. Safe to use from many threads.
class MeshSource {
 public:
  virtual ~MeshSource() = default;
  // "ModelNet40", "generated furniture": stands in every run and figure.
  virtual std::string name() const = 0;
  virtual std::size_t size() const = 0;
  // For people: "chair/train/chair_0890.off", "generated chair 17".
  virtual std::string label(std::size_t object) const = 0;
  // Which part an object belongs to; known without reading it.
  virtual MeshSplit split(std::size_t object) const = 0;
  // Reads and measures it. A mesh that cannot be read is set aside in its facts; nothing is thrown for it.
  virtual MeshRecord measure(std::size_t object) const = 0;
  // Its mesh as normalised_mesh gives it. Throws Error naming the object where it cannot be had.
  virtual TriangleMesh mesh(std::size_t object) const = 0;
};

}  // namespace pairs
