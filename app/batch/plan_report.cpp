#include "app/batch/plan_report.h"

#include <fmt/format.h>

#include "app/text/table.h"
#include "core/report/number_text.h"
#include "core/task_factory.h"
#include "core/train/plan.h"

namespace pairs::batch {
namespace {

std::string observations_text(double count) {
  return count_text(static_cast<std::int64_t>(count));
}

}  // namespace

Result plan_report(const RunConfig& config) {
  const std::shared_ptr<const Task> task = make_registered_task(config.task, config.task_options());
  const std::vector<SetDemand> demands = set_demands(config, task);
  const StoredSets* stored = task->stored();
  const std::vector<SetService> service = stored ? stored->service(demands) : std::vector<SetService>();

  Result result;
  result.document = {{"task", config.task},
                     {"preset", config.preset},
                     {"strategy", config.strategy},
                     {"draws", nlohmann::json::array()},
                     {"store", nlohmann::json::array()}};
  std::vector<Table::Column> columns = {{"what draws", false}, {"sets"}, {"N"}, {"observations"}};
  if (stored) columns.push_back({"stored sets that serve"});
  Table drawn(columns);
  for (std::size_t k = 0; k < demands.size(); ++k) {
    const SetDemand& demand = demands[k];
    const double observations = static_cast<double>(demand.sets) * static_cast<double>(demand.n);
    nlohmann::json line = {{"use", demand.use}, {"sets", demand.sets}, {"n", demand.n}, {"observations", observations}};
    std::vector<std::string> cells = {demand.use, count_text(demand.sets), count_text(demand.n),
                                      observations_text(observations)};
    if (stored) {
      line["stored"] = service[k].held;
      cells.push_back(count_text(service[k].held));
    }
    result.document["draws"].push_back(std::move(line));
    drawn.add(std::move(cells));
  }
  Table store({{"sets to store"}, {"of N"}, {"observations"}, {"for", false}});
  for (const SetsToStore& row : sets_to_store(demands)) {
    const double observations = static_cast<double>(row.sets) * static_cast<double>(row.n);
    result.document["store"].push_back(
        {{"sets", row.sets}, {"n", row.n}, {"observations", observations}, {"use", row.use}});
    store.add({count_text(row.sets), count_text(row.n), observations_text(observations), row.use});
  }
  result.text = fmt::format(
      "{}, preset {}, strategy {}\n\n{}\n{}\n"
      "Of each five stored sets three train, one validates and one is evaluated. With fewer sets than these each is "
      "drawn "
      "several times, its observations in another order.\n",
      task->info().title, config.preset, config.strategy, drawn.text(), store.text());
  for (const SetService& one : service) result.text += one.text + "\n";
  return result;
}

}  // namespace pairs::batch
