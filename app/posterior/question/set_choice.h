#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/kinds/observed.h"
#include "core/task.h"
#include "render/orthographic_camera.h"

namespace pairs {

// The observed set: one from the prior, one with values set by hand, a file's, or an item's (tasks/parts/items.h).
// set_fields() (app/posterior/question/set_fields.h) lists all its fields for options of commands, copied commands,
// sessions and settings: add a new field there, too.
struct SetChoice {
  std::int64_t index = 0;                 // index of a set from the prior
  std::vector<double> theta = {};         // set by hand; empty: the prior's
  std::vector<double> psi = {};           // set by hand; empty: the prior's
  std::optional<Component> changed = {};  // just set by the user; others adapt to it. None: no change
  std::filesystem::path file = {};        // or the text that names an item; empty: simulated
  // The seed of a random subset of a file's observations, in the order of drawing; none: the first ones.
  std::optional<std::uint64_t> random = {};
  // The table's columns for the task's columns, in the task's order; empty: those of the same names.
  std::vector<std::string> columns = {};
  // Names one of many sets in a file or folder (ManySets); "": the file is one set. The column `group` separates them.
  std::string group = {}, member = {};
  std::int64_t held = kHeldNumbers;   // for a table: more numbers are read on demand
  std::string reader = {};            // for a table: the command of a program that reads it (tasks/program_table.h)
  std::string table = {};             // for a file with several tables: the one to use; "": the first suitable one
  Missing missing = Missing::refuse;  // how observations with a missing value are treated
  std::string up = {};                // for an item: the axis that points up; "": as the item has it (Items::read_item)
  std::uint64_t seed = 1;             // of the observations made from an item
  // The conditions of the set, if the task has some: "V,V,…" or "NAME=V,…"; "": the file's, or the prior's, own. For a
  // folder of views, the camera whose image is inferred.
  std::string given = {};
  // Uses the center of training if a file has no conditions, with a warning.
  bool assume_given = false;
  // Skips the file's conditions.
  bool without_given = false;
  std::optional<render::Camera> camera = {};

  bool simulated() const { return file.empty(); }

  // Whether all fields are equal.
  friend bool operator==(const SetChoice& a, const SetChoice& b);
};

// The file or folder that holds a member, without the user's changes to the member.
SetChoice of_all_members(SetChoice one);

}  // namespace pairs
