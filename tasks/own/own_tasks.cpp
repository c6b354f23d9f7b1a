#include "tasks/own/own_tasks.h"

#include <algorithm>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/simulation_budget.h"
#include "tasks/file_reader.h"
#include "tasks/own/budget/budgeted_task.h"
#include "tasks/own/budget/pool.h"
#include "tasks/own/budget/pooled_task.h"
#include "tasks/own/file/measure.h"
#include "tasks/own/file/permission.h"
#include "tasks/own/file/reference_file.h"
#include "tasks/own/file/stored_tables.h"
#include "tasks/own/file/task_programs.h"
#include "tasks/own/simulated_task.h"
#include "tasks/own/stored/simulations.h"
#include "tasks/parts/nuisance_range.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTaskFile = "task.toml";

bool is_copy(const TaskFile& file) {
  return file.file != file.origin;
}

TaskDescription description_of(const TaskFile& file) {
  TaskDescription said;
  said.file = file.file;
  said.origin = file.origin;
  said.name = file.info.name;
  said.title = file.info.title;
  said.summary = file.info.summary;
  if (!file.runs_programs()) return said;
  said.command = command_text(file);
  said.owner = other_owner(file);
  said.agreed = is_allowed(file);
  return said;
}

std::string key_of(const fs::path& file) {
  return fs::absolute(file).lexically_normal().string();
}

// The task of a run whose stored sets are gone: its description is known, which suffices for observed sets; its own
// sets throw an error with the reason.
class AbsentSets final : public Task,
                         public StandardizedInput,
                         public HasFileColumns,
                         public HasFileReader,
                         public HasGivenRanges,
                         public ChoosesTargets {
 public:
  AbsentSets(TaskFile file, std::string why)
      : file_(std::move(file)),
        references_(reference_file_of(file_)),
        nuisances_(targets_of_ranges(file_.info.nuisances, file_.nuisance_low, file_.nuisance_high)),
        why_(std::move(why)) {}
  const TaskInfo& info() const override { return file_.info; }
  bool standardizes() const override { return !file_.input.empty(); }
  InputScale input_scale() const override { return file_.input; }
  const std::vector<FileColumn>& file_columns() const override { return file_.columns; }
  std::string file_reader(const fs::path& path) const override { return reader_for(file_, path); }
  bool knows_sets() const override { return references_ != nullptr; }
  std::unique_ptr<ReferencePosterior> reference_of(const std::vector<std::string>& names) const override {
    return references_ ? references_->of(names) : nullptr;
  }
  const std::vector<GivenRange>& given_ranges() const override { return file_.given_ranges; }
  std::vector<std::optional<NuisanceTarget>> nuisance_targets() const override { return nuisances_; }
  Latents latents(std::uint64_t, Purpose, std::span<const std::int64_t>) const override { fail("{}", why_); }
  Observations observe(const Latents&, std::uint64_t, Purpose, std::span<const SetRange>,
                       const torch::Device&) const override {
    fail("{}", why_);
  }

 private:
  TaskFile file_;
  std::shared_ptr<const ReferenceFile> references_;  // null: there are none
  std::vector<std::optional<NuisanceTarget>> nuisances_;
  std::string why_;
};

constexpr std::int64_t kSampledSets = 4096;  // for measuring ranges

std::shared_ptr<const Task> make_stored(TaskFile file) {
  file.info.data_source.clear();  // set from the files
  const bool copy = is_copy(file);
  std::shared_ptr<const Simulations> simulations;
  try {
    const fs::path folder = file.origin.parent_path();
    simulations = std::make_shared<const Simulations>(with_tables_read(*file.simulations, folder, file.info), folder,
                                                      simulation_shape(file.info));
  } catch (const Error& error) {
    if (!copy || file.incomplete()) throw;
    file.info.data_source = kAbsentSets;
    return std::make_shared<AbsentSets>(std::move(file), error.what());
  }
  if (file.incomplete() || file.unproved()) {
    const Latents sample = simulations->sample(kSampledSets);
    if (file.unproved()) check_priors(file, sample.theta, sample.psi, sample.given);
    if (file.incomplete()) complete(file, measure(file, sample.theta, sample.psi, sample.given));
  }
  if (file.standardizes && file.input.empty())
    file.input = measure_x(simulations->sample_pairs(measured_x_sets(file.info.observation_numbers())),
                           input_channels(file.info));
  simulations->check_precision(file.info.observation_columns, file.input);
  std::vector<std::pair<double, double>> psi_supports;
  for (std::size_t k = 0; k < file.nuisance_low.size(); ++k)
    psi_supports.emplace_back(file.nuisance_low[k], file.nuisance_high[k]);
  StoredFaces faces;
  faces.reader = [file](const fs::path& path) { return reader_for(file, path); };
  faces.reference_of = known_references(file);
  return make_stored_task(std::move(simulations), std::move(file.info), psi_supports, std::move(file.input),
                          std::move(file.columns), std::move(file.given_ranges), std::move(faces));
}

// Whether the file is a copy in the folder of a run whose budget of simulations is made.
bool has_pool(const TaskFile& file) {
  return is_copy(file) && pool_complete(file.file.parent_path());
}

// If a run's pool is damaged or removed, the task's description is still known, as for stored sets that are gone.
std::shared_ptr<const Task> make_pooled(const TaskFile& file, std::int64_t simulations) {
  try {
    return pooled_task(file, simulations);
  } catch (const Error& error) {
    TaskFile absent = file;
    absent.info.data_source = kAbsentSets;
    return std::make_shared<AbsentSets>(std::move(absent), error.what());
  }
}

// A copy in a run's folder keeps what was measured; a user's own file is measured once per process.
std::shared_ptr<const Task> made_of(const TaskFile& file) {
  return file.simulations ? make_stored(file) : make_simulated_task(file);
}

}  // namespace

TaskFile OwnTasks::checked(TaskFile file) const {
  const std::string& name = file.info.name;
  if (std::find(built_in_.begin(), built_in_.end(), name) != built_in_.end())
    fail_usage("{}: the name '{}' is that of a built-in task; choose another", printable(file.file.string(), 300),
               name);
  return file;
}

std::shared_ptr<const Task> OwnTasks::task_of(const TaskFile& file, std::int64_t simulations) {
  if (simulations > 0 && file.simulations)
    fail_usage("{} = {}, but the sets of {} are stored, and nothing simulates others; leave it out",
               SettingKey{kTaskSimulations}, simulations, file.info.name);
  const bool pooled = simulations > 0 && has_pool(file);
  const std::string key = simulations > 0 ? fmt::format("{}\n{}", key_of(file.file), simulations) : key_of(file.file),
                    text = copy_text(file) + (pooled ? "\npooled" : "");
  {
    const std::lock_guard lock(mutex_);
    const auto at = made_.find(key);
    if (at != made_.end() && at->second.text == text) return at->second.task;
  }
  // Outside the lock, because it may start the program, which takes a while.
  std::shared_ptr<const Task> task = simulations == 0 ? made_of(file)
                                     : pooled         ? make_pooled(file, simulations)
                                                      : make_budgeted_task(file, task_of(file), simulations);
  const std::lock_guard lock(mutex_);
  made_[key] = {text, task};
  return task;
}

TaskDescription OwnTasks::describe(const fs::path& file) const {
  return description_of(checked(read_task_file(file)));
}

TaskDescription OwnTasks::describe_text(const std::string& text, const fs::path& file) const {
  return description_of(checked(parse_task(text, file)));
}

bool OwnTasks::changed_since_opened(const std::string& name) const {
  TaskFile file;
  std::string program;
  {
    const std::lock_guard lock(mutex_);
    const auto at = files_.find(name);
    if (at == files_.end()) return false;
    file = at->second;
    const auto state = programs_.find(name);
    if (state != programs_.end()) program = state->second;
  }
  try {
    return copy_text(read_task_file(file.file)) != copy_text(file) || program_state(file) != program;
  } catch (const Error&) {
    return true;
  }
}

std::string OwnTasks::open(const fs::path& named) {
  TaskFile file = checked(read_task_file(named));
  std::string name = file.info.name;
  const std::lock_guard lock(mutex_);
  const auto known = files_.find(name);
  if (known == files_.end()) names_.push_back(name);
  if (known == files_.end() || !is_copy(file) || is_copy(known->second)) {
    programs_[name] = program_state(file);
    files_[name] = std::move(file);
  }
  return name;
}

std::vector<std::string> OwnTasks::names() const {
  const std::lock_guard lock(mutex_);
  return names_;
}

bool OwnTasks::simulates(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto at = files_.find(name);
  return at != files_.end() && at->second.simulator.has_value();
}

std::shared_ptr<const Task> OwnTasks::make(const std::string& name, const std::string& file, std::int64_t simulations) {
  TaskFile named;
  if (file.empty()) {
    const std::lock_guard lock(mutex_);
    const auto at = files_.find(name);
    if (at == files_.end()) return nullptr;
    named = at->second;
  } else {
    named = read_task_file(file);
  }
  std::shared_ptr<const Task> task = task_of(named, simulations);
  if (task->info().name != name)
    fail_usage("{} describes the task '{}', not '{}'", printable(named.file.string(), 300), task->info().name,
               printable(name));
  return task;
}

void OwnTasks::renew(const fs::path& named) {
  std::error_code error;
  const fs::path file = fs::is_directory(named, error) ? named / kTaskFile : named;
  const std::lock_guard lock(mutex_);
  const std::string key = key_of(file);
  std::erase_if(made_, [&](const auto& one) { return one.first == key || one.first.starts_with(key + "\n"); });
}

std::string OwnTasks::recorded_text(const fs::path& named) {
  TaskFile file = read_task_file(named);
  const std::shared_ptr<const Task> task = task_of(file);
  file.info = task->info();
  file.input = input_scale(*task);
  if (const HasGivenRanges* const known = face<HasGivenRanges>(*task)) file.given_ranges = known->given_ranges();
  return copy_text(file);
}

std::string changed_since(const fs::path& copy) {
  const TaskFile kept = read_task_file(copy);
  std::error_code error;
  if (!fs::exists(kept.origin, error)) return "";
  const TaskFile now = read_task_file(kept.origin);
  const std::string changed = changed_line(agreed_text(kept, "\n"), agreed_text(now, "\n"));
  return changed.empty() ? "" : fmt::format("{}, {}", printable(kept.origin.string(), 300), changed);
}

}  // namespace pairs::own
