#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pairs::model {

// What is found at a path, or in a text that names an item. Finding it reads the disk; the thread that draws only reads
// this.
struct LookedPath {
  std::filesystem::path path;
  bool exists = false, folder = false;
  bool session = false, run = false, task_file = false;
  bool images = false;     // a folder with images
  bool cameras = false;    // a folder of views
  bool table = false;      // its name is a table's, or it has tables as its parts
  bool page_item = false;  // names an item of the shown task
  bool page_sets = false;  // holds many sets of the shown task
  // The items from which tasks make sets (a mesh, a molecule), and whether the path is one of them.
  struct ItemOfTask {
    std::string task, item;
    bool is_it = false;
  };
  std::vector<ItemOfTask> items = {};
};

}  // namespace pairs::model
