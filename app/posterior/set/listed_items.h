#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/posterior/set/set_stream.h"
#include "core/train/run/run.h"
#include "tasks/parts/items.h"

namespace pairs {

struct ListedItem {
  std::string text;       // for Items::read_item
  std::string name;       // printable: "ethanol" for "CCO ethanol", for a file its path in the folder; else the text
  std::int64_t line = 0;  // of a text file, from 1
};
struct ItemList {
  std::vector<ListedItem> items;
  std::vector<std::string> left_out = {};  // files of a folder that are not items
};
// The items that a path names: all items below a folder in order of their paths, including each item of a file with
// several; the items of a file (Items::items_in); or the lines of a text file except blank ones and those that begin
// with "# ". A text file whose lines hardly ever name an item, but which is an item itself, is that item. Throws a
// usage error if there is none.
ItemList listed_items(const Items& known, const std::filesystem::path& path);
// The text of the item listed as `member`, or written so. Throws a usage error if there is none or the name is
// ambiguous.
std::string listed_item(const Items& known, const std::filesystem::path& path, const std::string& member);

// Whether the path names several items of the task, each of which is a set: a folder that is not a set itself, or a
// text file.
bool lists_items(const Task& task, const std::filesystem::path& path);

// The set of each item, with all its observations, by the seed and the axis that points up (Items::read_item). The
// task outlives it.
std::unique_ptr<SetStream> open_items(const Task& task, const std::filesystem::path& path, std::uint64_t seed,
                                      const std::string& up);

}  // namespace pairs
