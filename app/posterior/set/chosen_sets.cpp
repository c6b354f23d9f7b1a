#include "app/posterior/set/chosen_sets.h"

#include "app/kinds/observed.h"
#include "app/posterior/set/listed_items.h"
#include "app/posterior/set/observed_set.h"
#include "core/base/fields/face.h"
#include "tasks/parts/items.h"

namespace pairs {

bool chooses_items(const Task& task, const SetChoice& set) {
  return set.group.empty() && set.reader.empty() && lists_items(task, set.file);
}

ManySets many_sets(const Task& task, const SetChoice& set) {
  ManySets sets{set.file, set.group, {.chosen = set.columns, .files = file_columns(task)}};
  sets.columns.table = set.table;
  sets.columns.missing = set.missing;
  sets.reader = set_readers(task, set.reader);
  if (!set.random) sets.most = task.info().max_n;
  sets.given_known = !set.given.empty();
  return sets;
}

bool holds_many_sets(const Task& task, const SetChoice& set) {
  if (!set.group.empty() || chooses_items(task, set)) return true;
  return holds_sets(many_sets(task, set), task.info()) && !(face<Items>(task) && items_named(task, set.file.string()));
}

}  // namespace pairs
