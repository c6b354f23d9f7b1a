#include "tasks/own/budget/pooled_task.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/report/number_text.h"
#include "tasks/own/budget/own_settings.h"
#include "tasks/own/budget/pool.h"
#include "tasks/own/file/reference_file.h"
#include "tasks/own/file/task_programs.h"
#include "tasks/own/program/program_reference.h"
#include "tasks/own/program/simulator.h"

namespace pairs::own {

std::shared_ptr<const Task> pooled_task(TaskFile file, std::shared_ptr<const Simulations> pool,
                                        std::int64_t simulations) {
  if (file.info.data_source.empty())
    file.info.data_source = fmt::format("{} simulations, {}", count_text(simulations), pool->source_text());
  file.info.variant = budget_variant(simulations);
  std::vector<std::pair<double, double>> psi_supports;
  for (std::size_t k = 0; k < file.nuisance_low.size(); ++k)
    psi_supports.emplace_back(file.nuisance_low[k], file.nuisance_high[k]);
  StoredFaces faces;
  faces.reader = [file](const std::filesystem::path& path) { return reader_for(file, path); };
  faces.reference_of = known_references(file);
  if (file.reference)
    faces.reference = [program = std::make_shared<Simulator>(file, 1), targets = file.info.targets] {
      return program_reference(program, targets);
    };
  return make_stored_task(std::move(pool), std::move(file.info), psi_supports, std::move(file.input),
                          std::move(file.columns), std::move(file.given_ranges), std::move(faces));
}

std::shared_ptr<const Task> pooled_task(TaskFile file, std::int64_t simulations) {
  auto pool = std::make_shared<const Simulations>(pool_files(), file.file.parent_path(), simulation_shape(file.info));
  file.info.data_source.clear();
  return pooled_task(std::move(file), std::move(pool), simulations);
}

}  // namespace pairs::own
