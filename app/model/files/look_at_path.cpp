#include "app/model/files/look_at_path.h"

#include <algorithm>

#include "app/posterior/set/chosen_sets.h"
#include "app/session/session.h"
#include "core/base/fields/face.h"
#include "core/images/image_file.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"
#include "tasks/file_format.h"
#include "tasks/parts/items.h"
#include "tasks/registry.h"
#include "tasks/table_file.h"
#include "tasks/view_folder.h"

namespace pairs::model {
namespace fs = std::filesystem;
namespace {

bool holds_images(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_image_name(entry.path())) return true;
  return false;
}

bool names_table(const fs::path& path) {
  const std::string whole = whole_ending(path);
  const std::string ending = whole.ends_with(".gz") ? whole.substr(0, whole.size() - 3) : whole;
  const auto among = [&](const std::vector<std::string>& all) {
    return std::find(all.begin(), all.end(), ending) != all.end();
  };
  return ending == ".npz" || ending == ".npy" || among(table_endings()) || among(text_endings()) ||
         !table_parts(path).empty();
}

// Opening the path reports what is wrong with it.
template <class Look>
bool found(const Look& look) {
  try {
    return look();
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

LookedPath look_at_path(const fs::path& path, const TaskCatalog& tasks, const std::shared_ptr<const Task>& page) {
  LookedPath out{.path = path};
  std::error_code error;
  out.exists = fs::exists(path, error);
  out.folder = fs::is_directory(path, error);
  out.session = is_session(path);
  out.run = fs::exists(path / run_file::config, error);
  out.task_file = is_task_file(path);
  out.images = out.folder && holds_images(path);
  out.cameras = fs::exists(path / kCamerasFile, error);
  out.table = found([&] { return names_table(path); });
  if (page) {
    const Items* const known = face<Items>(*page);
    out.page_item = known && found([&] { return known->is_item(path.string()); });
    out.page_sets = found([&] { return holds_many_sets(*page, {.file = path}); });
  }
  if (out.session || out.run || out.task_file) return out;
  for (const std::string& name : tasks.names()) {
    const std::shared_ptr<const Task> task = tasks.make(name);
    if (const Items* const known = face<Items>(*task))
      out.items.push_back({name, known->item(), found([&] { return known->is_item(path.string()); })});
  }
  return out;
}

}  // namespace pairs::model
