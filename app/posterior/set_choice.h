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

// Which set is observed: one of the prior, one with values set by hand, a file's, or a thing's (tasks/parts/things.h).
// All that names it stands in set_fields() (app/posterior/set_fields.h), from which options of commands, copied
// commands, sessions and settings are made: a new field belongs there, too.
struct SetChoice {
  std::int64_t index = 0;                 // of the prior
  std::vector<double> theta = {};         // set by hand; empty: the prior's
  std::vector<double> psi = {};           // the same
  std::optional<Component> changed = {};  // that a person has just set: others follow it. None: they are as they are
  std::filesystem::path file = {};        // or the words that name a thing; empty: simulated
  // Of a file's observations those that this seed draws, in the order it draws them, rather than the first.
  std::optional<std::uint64_t> random = {};
  // Of a table's columns those that the task's are, in its order; empty: those of the same names.
  std::vector<std::string> columns = {};
  // Of many sets in one file or folder (ManySets) this one, by its name; "": the file is one set. The column `group`
  // separates them.
  std::string group = {}, member = {};
  std::int64_t held = kHeldNumbers;   // of a table: more numbers are read when they are asked for
  std::string reader = {};            // of a table: the command of a program that reads it (tasks/program_table.h)
  std::string table = {};             // of a file with several tables this one; "": the first that serves
  Missing missing = Missing::refuse;  // what becomes of observations with a missing value
  std::string up = {};     // of a thing: the axis that points up; "": as the item has it (Things::read_thing)
  std::uint64_t seed = 1;  // of the observations that are made of a thing
  // What is given of a set beside its observations, where the task asks for it: "V,V,…" or "NAME=V,…"; "": the file's,
  // or the prior's, own. Of a folder of views the camera whose image is inferred.
  std::string given = {};
  // Uses the middle of training where a file holds no conditions, with a warning.
  bool assume_given = false;
  // The file's conditions are not read: whoever asks needs the observations alone.
  bool without_given = false;
  std::optional<render::Camera> camera = {};

  // Whether all fields are alike.
  friend bool operator==(const SetChoice& a, const SetChoice& b);
};

// The file or folder that holds a member, without what a person set of the member itself.
SetChoice of_all_members(SetChoice one);

}  // namespace pairs
