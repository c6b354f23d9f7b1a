#include "app/posterior/set/set_kind.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "app/kinds/arrays.h"
#include "app/kinds/observation_room.h"
#include "app/posterior/set/chosen_sets.h"
#include "app/posterior/set/listed_items.h"
#include "app/posterior/set/observed_set.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/parts/items.h"
#include "tasks/scene_views.h"
#include "tasks/view_folder.h"

namespace pairs {
namespace {

// "names a mesh", "is a folder of views"
std::string kind_text(const Task& task, SetKind kind) {
  switch (kind) {
    case SetKind::simulated:
      return "is a simulated set";
    case SetKind::observations:
      return "is a set of observations";
    case SetKind::views:
      return "is a folder of views";
    case SetKind::item:
      break;
  }
  const Items* const known = face<Items>(task);
  return fmt::format("names a {}", known ? known->item() : "item");
}

// What a field belongs to, in the plural.
std::string kinds_text(unsigned kinds) {
  std::string text;
  const std::pair<SetKind, const char*> all[] = {{SetKind::simulated, "simulated sets"},
                                                 {SetKind::observations, "sets of observations in a file"},
                                                 {SetKind::views, "folders of views"},
                                                 {SetKind::item, "items such as a mesh or a molecule"}};
  for (const auto& [kind, words] : all)
    if (kinds & static_cast<unsigned>(kind)) text += (text.empty() ? "" : " and ") + std::string(words);
  return text;
}

}  // namespace

SetKind set_kind(const Task& task, const SetChoice& set) {
  std::error_code error;
  if (set.file.empty()) return SetKind::simulated;
  const bool one = set.member.empty() && set.group.empty();
  if (face<SceneViews>(task) && std::filesystem::is_directory(set.file, error) &&
      (one || std::filesystem::exists(set.file / kCamerasFile, error)))
    return SetKind::views;
  if (chooses_items(task, set)) return SetKind::item;
  if (one) return items_named(task, set.file.string()) ? SetKind::item : SetKind::observations;
  // A column separates the sets of a table, and neither the items of a list nor one item.
  const Items* const known = face<Items>(task);
  const bool tables = room_of(task.info()).lines(task.info(), "") != nullptr;
  return known && set.reader.empty() && !tables && (known->is_item(set.file.string()) || lists_items(task, set.file))
             ? SetKind::item
             : SetKind::observations;
}

void check_fields(const Task& task, const SetChoice& set) {
  const SetKind kind = set_kind(task, set);
  const std::string name = kind == SetKind::simulated ? "this set" : printable(set.file.string(), 300);
  if (kind == SetKind::observations || kind == SetKind::views) check_exists(set.file);
  if (kind == SetKind::observations && face<SceneViews>(task) && set.camera)
    fail_usage(
        "A camera needs the views as a folder of images with {}, and {} is none; the array x of an .npz already holds "
        "ray maps for the camera that is given with it",
        kCamerasFile, name);
  if (kind == SetKind::views && !set.given.empty())
    fail_usage("Name the target camera of a folder of views with --camera, not --conditions");
  for (const SetField& field : set_fields()) {
    const bool before = std::string_view(field.option) == "index";  // the simulated set to return to
    if (!before && !field.of(kind) && field_words(field, set))
      fail_usage("--{} belongs to {}; {} {}, so leave it out", field.option, kinds_text(field.kinds), name,
                 kind_text(task, kind));
  }
}

SetChoice seeded_item(const Task& task, SetChoice set, std::uint64_t seed) {
  if (set_kind(task, set) == SetKind::item) set.seed = seed;
  return set;
}

}  // namespace pairs
