#include "tasks/objects/object_parts.h"

#include <algorithm>
#include <utility>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/objects/view_cache.h"

namespace pairs {
namespace {

constexpr std::size_t validation_share = 8;

// Moves the validation objects out of `all`, both in the order of the source.
void hold_out(std::vector<UsableObject>& all, std::vector<UsableObject>& validation) {
  if (all.size() < 2) return;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < all.size(); ++i) order.emplace_back(mesh_key_hash(all[i].key + " validation"), i);
  std::sort(order.begin(), order.end());
  std::vector<bool> held(all.size());
  for (std::size_t i = 0; i < std::max<std::size_t>(1, all.size() / validation_share); ++i)
    held[order[i].second] = true;
  std::vector<UsableObject> rest;
  for (std::size_t i = 0; i < all.size(); ++i) (held[i] ? validation : rest).push_back(std::move(all[i]));
  all = std::move(rest);
}

}  // namespace

std::optional<ObjectPart> object_part(Purpose purpose) {
  switch (purpose) {
    case Purpose::pretrain:
      return ObjectPart::pretrain;
    case Purpose::pretrain_validation:
      return ObjectPart::pretrain_validation;
    case Purpose::finetune:
      return ObjectPart::finetune;
    case Purpose::finetune_validation:
      return ObjectPart::finetune_validation;
    case Purpose::test:
      return ObjectPart::test;
    default:
      return std::nullopt;
  }
}

const char* object_part_text(ObjectPart part) {
  switch (part) {
    case ObjectPart::pretrain:
      return "stage 1";
    case ObjectPart::pretrain_validation:
      return "validation of stage 1";
    case ObjectPart::finetune:
      return "stages 2 and 3";
    case ObjectPart::finetune_validation:
      return "validation of stages 2 and 3";
    case ObjectPart::test:
      return "evaluations";
  }
  fail("There is no such part of objects");
}

const std::vector<UsableObject>& ObjectParts::of(ObjectPart part, const std::string& source) const {
  const auto& members = parts[static_cast<std::size_t>(part)];
  std::size_t usable = 0;
  for (const auto& own : parts) usable += own.size();
  PAIRS_CHECK(!members.empty(),
              "Of {} of {} that can be used none is left for {}; name a folder with more meshes or raise {}",
              counted(usable, "object"), printable(source, 200), object_part_text(part), "task.objects"_key);
  return members;
}

ObjectParts divide_objects(const MeasuredMeshes& measured) {
  ObjectParts out;
  const auto members = [&out](ObjectPart part) -> std::vector<UsableObject>& {
    return out.parts[static_cast<std::size_t>(part)];
  };
  for (const MeasuredMesh& mesh : measured.usable) {
    const ObjectPart part = mesh.split == MeshSplit::test       ? ObjectPart::test
                            : mesh.split == MeshSplit::finetune ? ObjectPart::finetune
                                                                : ObjectPart::pretrain;
    members(part).push_back({mesh.object, mesh.record.key, mesh.record.facts.volume, mesh.record.facts.log_aspect});
  }
  hold_out(members(ObjectPart::pretrain), members(ObjectPart::pretrain_validation));
  hold_out(members(ObjectPart::finetune), members(ObjectPart::finetune_validation));
  return out;
}

}  // namespace pairs
