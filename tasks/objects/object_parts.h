#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tasks/objects/measured_meshes.h"

namespace pairs {

// Which objects a purpose draws from.
enum class ObjectPart : std::uint8_t { pretrain, pretrain_validation, finetune, finetune_validation, test };
inline constexpr std::size_t kObjectParts = 5;

// Nothing for purposes that show objects to people (object_showcase.h).
std::optional<ObjectPart> object_part(Purpose purpose);
// "validation of stage 1": within a sentence.
const char* object_part_text(ObjectPart part);

// One object that can be used.
struct UsableObject {
  std::size_t object = 0;  // of the source
  std::string key;
  double volume = 0, log_aspect = 0;
};

// The objects of a source that can be used, divided.
struct ObjectParts {
  std::array<std::vector<UsableObject>, kObjectParts> parts;

  // Throws Error, naming the source, where it has no object.
  const std::vector<UsableObject>& of(ObjectPart part, const std::string& source) const;
};

// Of each stage's objects an eighth, one at least, is its validation: those with the least hash of their key.
ObjectParts divide_objects(const MeasuredMeshes& measured);

}  // namespace pairs
