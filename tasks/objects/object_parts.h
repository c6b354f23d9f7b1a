#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/numbers/random.h"
#include "tasks/objects/mesh/measured_meshes.h"

namespace pairs {

// The objects for a purpose.
enum class ObjectPart : std::uint8_t { pretrain, pretrain_validation, finetune, finetune_validation, test };
inline constexpr std::size_t kObjectParts = 5;

// Nothing for purposes that show objects to people (object_showcase.h).
std::optional<ObjectPart> object_part(Purpose purpose);
// "validation of stage 1": for use within a sentence.
const char* object_part_text(ObjectPart part);

// One usable object.
struct UsableObject {
  std::size_t object = 0;  // its number in the source
  std::string key;
  double volume = 0, log_aspect = 0;
};

// The usable objects of a source, divided.
struct ObjectParts {
  std::array<std::vector<UsableObject>, kObjectParts> parts;

  // Throws Error, naming the source, if the part has no object.
  const std::vector<UsableObject>& of(ObjectPart part, const std::string& source) const;
};

// An eighth of each stage's objects, at least one, is for validation: those with the smallest hashes of their keys.
ObjectParts divide_objects(const MeasuredMeshes& measured);

}  // namespace pairs
