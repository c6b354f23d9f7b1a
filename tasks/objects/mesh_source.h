#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "render/meshes/triangle_mesh.h"
#include "tasks/objects/mesh_measure.h"

namespace pairs {

// The parts that objects are divided into.
enum class MeshSplit : std::uint8_t { pretrain = 0, finetune = 1, test = 2 };

// Numbers that tell an object from others, however it is written (mesh_form.h).
using MeshForm = std::array<double, 6>;

// What is known of an object once its mesh was read.
struct MeshRecord {
  std::string key;  // names its mesh for good: what it holds never changes under the same key (generator and its
                    // version, or a checksum of the file's bytes); empty where its bytes could not be had
  MeshFacts facts;  // set_aside says why it cannot be used
  MeshForm form{};  // zeros of objects that were made by a generator
};

// What cannot be used, for people: a mesh or a folder, and why in one sentence.
struct MeshAside {
  std::string label, why;
};

// Where the task's objects come from: a folder of files (mesh_folder.h), or a generator (generated_objects.h). Objects are
// numbered 0 .. size() - 1; everything is a pure function of the number. Safe to use from many threads.
class MeshSource {
 public:
  virtual ~MeshSource() = default;
  // "ModelNet40", "generated solids and furniture": stands in every run and figure.
  virtual std::string name() const = 0;
  virtual std::size_t size() const = 0;
  // For people: "chair/train/chair_0890.off", "generated chair 17".
  virtual std::string label(std::size_t object) const = 0;
  // Which part an object belongs to, known without reading it; of no meaning where divided_by_form().
  virtual MeshSplit split(std::size_t object) const = 0;
  // Whether split_of_form() of what was read tells the part instead.
  virtual bool divided_by_form() const { return false; }
  // "61 files, content 1a2b3c4d": tells sources of one name apart; "" where the name does.
  virtual std::string content() const { return ""; }
  // Reads and measures it. A mesh that cannot be read is set aside in its facts; nothing is thrown for it.
  virtual MeshRecord measure(std::size_t object) const = 0;
  // Its mesh as normalised_mesh gives it. Throws Error naming the object where it cannot be had.
  virtual TriangleMesh mesh(std::size_t object) const = 0;

  // Whether measuring takes no time to speak of, so that nothing of it is kept on disk (measured_meshes.h).
  virtual bool instant() const { return false; }
  // Under what measured facts are kept on disk: as long as the source is the same, and unlike any other's.
  virtual std::string identity() const { return name(); }
  // What the object is now (its file's path, size and time): facts of another state are measured anew.
  virtual std::string state(std::size_t object) const { return label(object); }
  // What could not be looked into when the source was opened.
  virtual std::vector<MeshAside> unread() const { return {}; }
};

}  // namespace pairs
