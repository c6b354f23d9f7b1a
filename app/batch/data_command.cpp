#include <CLI/CLI.hpp>
#include <memory>

#include "app/batch/command.h"
#include "app/batch/data_report.h"
#include "app/runs/places.h"
#include "tasks/registry.h"

namespace pairs::batch {

Action add_data(CLI::App& app) {
  const auto question = std::make_shared<DataQuestion>();
  app.add_option("--data", question->folder, "Folder of real data, or a file of them (default: $PAIRS_DATA)")
      ->type_name("DIR|FILE");
  app.add_flag(
      "--check", question->check,
      "Read all that was found, which may take minutes: how many each part has, and what is set aside and why");
  app.add_flag("--all", question->all, "With --check: name each one that is set aside")->needs("--check");
  std::string footer =
      "Examples:\n  pairs --batch data --data ~/datasets\n  pairs --batch data --data ~/datasets --check";
  for (const DataSet& set : data_sets()) footer += "\n" + set.layout;
  app.footer(footer);
  return [question] {
    DataQuestion asked = *question;
    asked.folder = data_folder(asked.folder);
    return data_report(data_sets(), asked);
  };
}

}  // namespace pairs::batch
