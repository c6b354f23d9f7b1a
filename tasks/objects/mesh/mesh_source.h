#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "render/meshes/triangle_mesh.h"
#include "tasks/objects/mesh/mesh_measure.h"

namespace pairs {

// The parts that objects are divided into.
enum class MeshSplit : std::uint8_t { pretrain = 0, finetune = 1, test = 2 };

// Numbers that identify an object independently of its file format (mesh_form.h).
using MeshForm = std::array<double, 6>;

// Facts about an object after its mesh was read.
struct MeshRecord {
  std::string key;  // identifies its mesh permanently: the content never changes under the same key (generator and its
                    // version, or a checksum of the file's bytes); empty if its bytes were not available
  MeshFacts facts;  // set_aside states why it cannot be used
  MeshForm form{};  // zeros for generated objects
};

// A mesh or folder that cannot be used, and the reason in one sentence.
struct MeshAside {
  std::string label, why;
};

// The source of the task's objects: a folder of files (mesh_folder.h), or a generator (generated_objects.h). Objects
// are numbered 0 .. size() - 1; everything is a pure function of the number. Thread-safe.
class MeshSource {
 public:
  virtual ~MeshSource() = default;
  // "ModelNet40", "generated solids and furniture": shown with every run and figure.
  virtual std::string name() const = 0;
  virtual std::size_t size() const = 0;
  // For display: "chair/train/chair_0890.off", "generated chair 17".
  virtual std::string label(std::size_t object) const = 0;
  // The part of an object, known without reading it; meaningless if divided_by_form().
  virtual MeshSplit split(std::size_t object) const = 0;
  // Whether split_of_form() of the mesh determines the part instead.
  virtual bool divided_by_form() const { return false; }
  // "61 files, content 1a2b3c4d": distinguishes sources with the same name; "" if the name suffices.
  virtual std::string content() const { return ""; }
  // Reads and measures an object. A mesh that cannot be read is set aside in its facts; nothing is thrown for it.
  virtual MeshRecord measure(std::size_t object) const = 0;
  // An object's mesh as normalized_mesh returns it. Throws Error naming the object if it is not available.
  virtual TriangleMesh mesh(std::size_t object) const = 0;

  // Whether measuring takes negligible time, so that facts are not stored on disk (measured_meshes.h).
  virtual bool instant() const { return false; }
  // Identifies the stored facts: the same as long as the source is the same, and different from any other's.
  virtual std::string identity() const { return name(); }
  // The current state of an object (its file's path, size and time): facts from another state are measured again.
  virtual std::string state(std::size_t object) const { return label(object); }
  // Folders that could not be read when the source was opened.
  virtual std::vector<MeshAside> unread() const { return {}; }
};

}  // namespace pairs
