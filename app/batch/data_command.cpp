#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "app/batch/arguments.h"
#include "app/batch/command.h"
#include "app/text/table.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/report/number_text.h"
#include "tasks/registry.h"

namespace pairs::batch {
namespace {

// One data set as the document and the table tell it; its verdict for people.
std::string show_set(const DataSet& set, const std::string& folder, nlohmann::json& documents, Table& table) {
  const FoundData found = set.find(folder);
  nlohmann::json document = {
      {"name", set.name}, {"task", set.task}, {"files", nlohmann::json::array()}, {"usable", found.problem.empty()}};
  for (const FoundData::File& file : found.files) {
    nlohmann::json line = {{"name", file.name}, {"found", !file.at.empty()}};
    if (!file.at.empty()) line["file"] = file.at;
    document["files"].push_back(line);
    table.add({set.name, set.task, file.name + set.endings, file.at.empty() ? "missing" : file.at});
  }
  std::string verdict;
  if (found.problem.empty()) {
    document["training_images"] = found.training;
    document["test_images"] = found.test;
    document["source"] = found.source;
    if (found.source != set.name)
      spdlog::warn("The files in {} have {}'s layout but are not {}: runs and figures call them \"{}\"", folder,
                   set.name, set.name, found.source);
    verdict = fmt::format("{}: {} training and {} test images\n", found.source, count_text(found.training),
                          count_text(found.test));
  } else {
    const auto all = static_cast<std::int64_t>(found.files.size());
    document["reason"] = found.problem;
    verdict = found.missing() == all ? fmt::format("{}: not found; without --data the task {} runs on {} and says so\n",
                                                   set.name, set.task, make_task(set.task)->info().data_source)
              : found.missing() > 0  ? fmt::format("{}: {}; the task {} needs all of them in one folder\n", set.name,
                                                   found.problem, set.task)
                                     : fmt::format("{} cannot be used: {}\n", set.name, found.problem);
  }
  documents.push_back(document);
  return verdict;
}

Result show_data(const std::string& option) {
  const std::string folder = data_folder(option);
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    fail("The data folder {} does not exist or is none; name another with --data or PAIRS_DATA", folder);
  Result result;
  Table table({{"data set", false}, {"task", false}, {"file", false}, {"found", false}});
  nlohmann::json documents = nlohmann::json::array();
  std::string verdicts;
  for (const DataSet& set : data_sets()) verdicts += show_set(set, folder, documents, table);
  result.document = {{"folder", folder}, {"sets", documents}};
  result.text =
      fmt::format("Data folder: {}\n\n{}\n{}",
                  folder.empty() ? "none (name one with --data DIR or PAIRS_DATA)" : folder, table.text(), verdicts);
  return result;
}

}  // namespace

Action add_data(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  app.add_option("--data", *folder, "Folder of real data (default: $PAIRS_DATA)")->type_name("DIR");
  std::string footer = "Example:\n  pairs --batch data --data ~/datasets";
  for (const DataSet& set : data_sets()) footer += "\n" + set.layout;
  app.footer(footer);
  return [folder] { return show_data(*folder); };
}

}  // namespace pairs::batch
