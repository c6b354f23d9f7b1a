#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/posterior/set_stream.h"
#include "core/train/run.h"
#include "tasks/parts/things.h"

namespace pairs {

struct ListedThing {
  std::string text;  // for Things::read_thing
  std::string name;  // fit to be printed: of "CCO ethanol" the ethanol, of a file its path in the folder; else the text
  std::int64_t line = 0;  // of a text file, from 1
};
struct ThingList {
  std::vector<ListedThing> things;
  std::vector<std::string> left_out = {};  // files of a folder that are none
};
// What a path names: every thing below a folder in order of its path (of a file that holds several, each of them), each
// that a file holds (Things::things_in), or
// each line of a text file but blank ones and those that begin with "# ". A file of which hardly a line names a thing,
// where it is one, is that thing. Throws a usage error where there is none.
ThingList listed_things(const Things& known, const std::filesystem::path& path);
// The text of the one that the list calls `member`, or that is written so. Throws a usage error where there is none, or
// several are called so.
std::string listed_thing(const Things& known, const std::filesystem::path& path, const std::string& member);

// Whether the path names several things of the task, each of which is a set: a folder of such that is not a set itself,
// or a text file.
bool lists_things(const Task& task, const std::filesystem::path& path);

// The set of each, of as many observations as there are, by the seed and what points up (Things::read_thing). The task
// outlives it.
std::unique_ptr<SetStream> open_things(const Task& task, const std::filesystem::path& path, std::uint64_t seed,
                                       const std::string& up);

}  // namespace pairs
