#include "tasks/registry.h"

#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/fields.h"
#include "core/base/text.h"
#include "core/task_factory.h"
#include "tasks/bump_hunt/bump_hunt.h"
#include "tasks/bump_hunt/self_check.h"
#include "tasks/circle/circle.h"
#include "tasks/digits/digits.h"
#include "tasks/digits/images.h"
#include "tasks/file_facts.h"
#include "tasks/gaussian/gaussian.h"
#include "tasks/gaussian/self_check.h"
#include "tasks/novel_view/novel_view.h"
#include "tasks/own/own_presets.h"
#include "tasks/own/own_tasks.h"
#include "tasks/own/stored/stored_array.h"
#include "tasks/own/task_file.h"
#include "tasks/renew_task_file.h"
#if PAIRS_WITH_MOLECULES
#include "tasks/molecules/molecule_account.h"
#include "tasks/molecules/molecules.h"
#endif
#if PAIRS_WITH_OBJECTS
#include "tasks/objects/mesh_account.h"
#include "tasks/objects/objects.h"
#endif

namespace pairs {
namespace {

template <class Own>
TaskSettings defaults() {
  return Own();
}

// One entry a task: how it is made of a folder of real data and its settings, and the settings' defaults.
struct Entry {
  const char* name;
  std::shared_ptr<const Task> (*make)(const TaskOptions& options);
  TaskSettings (*settings)() = [] { return TaskSettings(); };
};

constexpr Entry entries[] = {
    {"gaussian", [](const TaskOptions& o) { return make_gaussian(o.settings.as<GaussianSettings>().convention); },
     defaults<GaussianSettings>},
    {"bump-hunt", [](const TaskOptions&) { return make_bump_hunt(); }},
    {"circle", [](const TaskOptions& o) { return make_circle(o.settings.as<CircleSettings>()); },
     defaults<CircleSettings>},
    {"digits", [](const TaskOptions& o) { return make_digits(o.data); }},
#if PAIRS_WITH_OBJECTS
    {"objects", [](const TaskOptions& o) { return make_objects(o); }, defaults<ObjectsSettings>},
#endif
#if PAIRS_WITH_MOLECULES
    {"molecules", [](const TaskOptions& o) { return make_molecules(o); }, defaults<MoleculesSettings>},
#endif
    {"novel-view", [](const TaskOptions& o) { return make_novel_view(o.settings.as<NovelViewSettings>()); },
     defaults<NovelViewSettings>},
};

const Entry* find(const std::string& name) {
  for (const Entry& entry : entries)
    if (name == entry.name) return &entry;
  return nullptr;
}

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

std::vector<LeftOutTask> left_out_tasks() {
  std::vector<LeftOutTask> tasks;
#if !PAIRS_WITH_OBJECTS
  tasks.push_back(
      {"objects", "it needs Assimp, Embree and Qhull; install them and configure the build with -DPAIRS_OBJECTS=ON"});
#endif
#if !PAIRS_WITH_MOLECULES
  tasks.push_back(
      {"molecules", "it needs RDKit and msgpack; install them and configure the build with -DPAIRS_MOLECULES=ON"});
#endif
  return tasks;
}

std::string task_in_role(TaskRole role) {
  switch (role) {
    case TaskRole::first:
      return "bump-hunt";
    case TaskRole::exact:
      return "gaussian";
    case TaskRole::data:
      return "digits";
    case TaskRole::views:
      return "novel-view";
  }
  fail("There is no such role");
}

const std::vector<DataSet>& data_sets() {
  static const std::vector<DataSet> all = {
    {"MNIST", "digits", "[.gz]",
     "MNIST is read as it is distributed: four IDX files, gzipped or plain, in the folder or in mnist/ below it.",
     find_mnist},
#if PAIRS_WITH_OBJECTS
    {"meshes", "objects", "",
     "Meshes are OFF, OBJ, STL and PLY files at any depth; ModelNet40 is read as it is distributed.", find_mesh_data,
     "meshes", false, account_of_meshes},
#endif
#if PAIRS_WITH_MOLECULES
    {"molecules", "molecules", "",
     "Molecules are a file of SMILES (.csv, .smi), SDF or GEOM-Drugs (.msgpack): itself, in the folder, or in "
     "molecules/ below it.",
     find_molecules, "molecules", false, account_of_molecules},
#endif
  };
  return all;
}

const DataSet* data_set_of(const std::string& task) {
  for (const DataSet& set : data_sets())
    if (set.task == task) return &set;
  return nullptr;
}

std::vector<SelfCheck> task_self_checks() {
  return {{"exact posterior of a known Gaussian set", 1e-6, gaussian::posterior_deviation},
          {"exact posterior of a known bump-hunt set", 1e-6, bump_hunt::posterior_deviation}};
}

TaskSettings task_settings(const std::string& name) {
  const Entry* entry = find(name);
  return entry ? entry->settings() : TaskSettings();
}

std::shared_ptr<const Task> make_task(const std::string& name, const TaskOptions& options) {
  if (auto task = find(name) ? nullptr : own::make_task(name, options.file)) {
    PAIRS_CHECK(options.settings.empty(), "The task {} has no settings, but was given some of another task", name);
    return task;
  }
  if (const Entry* entry = find(name)) {
    PAIRS_CHECK(options.settings.empty() || !entry->settings().empty(),
                "The task {} has no settings, but was given some of another task", name);
    return entry->make(options);
  }
  for (const LeftOutTask& left : left_out_tasks())
    if (name == left.name) fail_usage("The task {} was left out of this build: {}", name, left.why);
  std::vector<std::string> known = task_names();
  for (const std::string& own : own_task_names()) known.push_back(own);
  const std::string near = nearest(name, known);
  fail_usage("There is no task \"{}\"{}; the tasks are {}", name,
             near.empty() ? "" : fmt::format(" (did you mean {}?)", near), fmt::join(known, ", "));
}

bool is_task_file(const std::filesystem::path& path) {
  return own::is_task_file(path);
}

TaskDescription describe_task_file(const std::filesystem::path& file) {
  return own::describe(file, task_names());
}

TaskDescription describe_task_text(const std::string& text, const std::filesystem::path& file) {
  return own::describe_text(text, file, task_names());
}

bool task_file_changed(const std::string& name) {
  return own::changed_since_opened(name);
}

std::string open_task_file(const std::filesystem::path& file) {
  return own::open_task(file, task_names());
}

void renew_task_file(const std::filesystem::path& file) {
  own::renew(file);
}

std::vector<std::string> own_task_names() {
  return own::opened_names();
}

void allow_task_file(const std::filesystem::path& file) {
  own::allow_program(file);
}

bool register_tasks() {
  return register_task_factory({make_task,
                                task_names,
                                task_settings,
                                {open_task_file, own::recorded_text, own::changed_since, own::preset_text}});
}

namespace {
[[maybe_unused]] const bool registered = register_tasks();
}

TaskFileFacts task_file_facts(const std::filesystem::path& file) {
  const own::TaskFile task = own::read_task_file(file);
  return {task.info, task.simulator.has_value()};
}

std::vector<ArrayFacts> hdf5_facts(const std::filesystem::path& file) {
  const std::string name = printable(file.filename().string(), 200);
  const auto arrays = 
      hdf5_arrays(std::make_shared<const StoredFile>(file, name), std::filesystem::absolute(file).parent_path());
  std::vector<ArrayFacts> all;
  for (const std::string& one : arrays->names()) {
    ArrayFacts& facts = all.emplace_back(ArrayFacts{one, false, {}});
    try {
      if (const auto array = arrays->array(one)) facts = {one, true, array->shape()};
    } catch (const Error&) {
      // Texts, compounds and the like: no array of numbers.
    }
  }
  return all;
}

}  // namespace pairs
