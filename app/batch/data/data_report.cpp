#include "app/batch/data/data_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/batch/parts/preparation_progress.h"
#include "app/text/table.h"
#include "core/base/text/error.h"
#include "core/base/text/log.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs::batch {
namespace {

constexpr std::size_t kReasonsPrinted = 10;

void put_account(nlohmann::json& document, const DataAccount& account, bool all) {
  document["counts"] = document["reasons"] = nlohmann::json::array();
  for (const DataAccount::Count& count : account.counts)
    document["counts"].push_back({{"label", count.label}, {"number", count.number}});
  document["set_aside"] = account.set_aside.size();
  for (const DataAccount::Reason& reason : account.reasons()) {
    const DataAccount::Aside& first = account.set_aside[reason.first];
    document["reasons"].push_back({{"reason", reason.reason},
                                   {"number", reason.number},
                                   {"first", {{"label", first.label}, {"why", first.why()}}}});
  }
  document["notes"] = account.notes;
  if (!all) return;
  document["all_set_aside"] = nlohmann::json::array();
  for (const DataAccount::Aside& one : account.set_aside)
    document["all_set_aside"].push_back({{"label", one.label}, {"why", one.why()}});
}

std::string aside_text(const DataAccount& account, bool all) {
  if (account.set_aside.empty()) return "  none set aside\n";
  std::string text = fmt::format("  {} set aside\n", count_text(static_cast<std::int64_t>(account.set_aside.size())));
  if (all) {
    for (const DataAccount::Aside& one : account.set_aside)
      text += fmt::format("    {}: {}\n", printable(one.label, 300), printable(one.why(), 400));
    return text;
  }
  const std::vector<DataAccount::Reason> reasons = account.reasons();
  Table table({{"how many"}, {"why", false}, {"the first", false}});
  for (std::size_t k = 0; k < std::min(reasons.size(), kReasonsPrinted); ++k)
    table.add({count_text(reasons[k].number), printable(reasons[k].reason, 120),
               printable(account.set_aside[reasons[k].first].label, 80)});
  text += table.text(4);
  if (reasons.size() > kReasonsPrinted)
    text += fmt::format("    … for {} more\n", counted(reasons.size() - kReasonsPrinted, "reason"));
  return text + "    --all names each of them\n";
}

std::string account_text(const DataAccount& account, bool all) {
  Table table({{"members", false}, {"how many"}});
  for (const DataAccount::Count& count : account.counts) table.add({count.label, count_text(count.number)});
  std::string text = (table.empty() ? "" : table.text(2)) + aside_text(account, all);
  for (const std::string& note : account.notes) text += "  " + note + "\n";
  return text;
}

std::string not_usable(const TaskCatalog& tasks, const DataSet& set, const FoundData& found) {
  if (found.missing() == static_cast<std::int64_t>(found.files.size())) {
    try {
      return fmt::format("{}: not found; without --data the task {} runs on {} and reports it\n", set.name, set.task,
                         tasks.make(set.task)->info().data_source);
    } catch (const Error& error) {
      return fmt::format("{}: not found, and the task {} cannot do without: {}\n", set.name, set.task, error.what());
    }
  }
  if (found.missing() > 0)
    return fmt::format("{}: {}; the task {} needs all of them in one folder\n", set.name, found.problem, set.task);
  return fmt::format("{} cannot be used: {}\n", set.name, found.problem);
}

// The description of a usable set.
std::string usable(const DataSet& set, const FoundData& found, const DataQuestion& question, nlohmann::json& document) {
  const bool counted = found.training > 0 || found.test > 0;
  document["source"] = found.source;
  if (counted && set.account) {
    document["found_" + set.members] = found.training + found.test;
  } else if (counted) {
    document["training_" + set.members] = found.training;
    document["test_" + set.members] = found.test;
  }
  if (set.unique && found.source != set.name)
    spdlog::warn("The files in {} have {}'s layout but are not {}: runs and figures call them \"{}\"", question.folder,
                 set.name, set.name, found.source);
  std::string text = !counted      ? fmt::format("{}: {} not counted yet\n", found.source, set.members)
                     : set.account ? fmt::format("{}: {} {} found\n", found.source,
                                                 count_text(found.training + found.test), set.members)
                                   : fmt::format("{}: {} training and {} test {}\n", found.source,
                                                 count_text(found.training), count_text(found.test), set.members);
  if (!found.notes.empty()) document["left_out"] = found.notes;
  for (const std::string& note : found.notes) text += "  " + note + "\n";
  if (!set.account) return text;
  document["checked"] = question.check;
  if (!question.check)
    return text + "  --check reads them all: how many each part has, and what is set aside and why\n";
  PreparationProgress progress(set.name);
  const DataAccount account = set.account(question.folder, progress.follow());
  put_account(document, account, question.all);
  return text + account_text(account, question.all);
}

// One data set in the document and the table; its verdict as text.
std::string show_set(const TaskCatalog& tasks, const DataSet& set, const DataQuestion& question,
                     nlohmann::json& documents, Table& table) {
  const FoundData found = set.find(question.folder);
  nlohmann::json document = {
      {"name", set.name}, {"task", set.task}, {"files", nlohmann::json::array()}, {"usable", found.problem.empty()}};
  for (const FoundData::File& file : found.files) {
    nlohmann::json line = {{"name", file.name}, {"found", !file.at.empty()}};
    if (!file.at.empty()) line["file"] = file.at;
    document["files"].push_back(line);
    table.add({set.name, set.task, file.name + set.endings, file.at.empty() ? "missing" : file.at});
  }
  if (!found.problem.empty()) document["reason"] = found.problem;
  const std::string verdict =
      found.problem.empty() ? usable(set, found, question, document) : not_usable(tasks, set, found);
  documents.push_back(document);
  return verdict;
}

}  // namespace

Result data_report(const TaskCatalog& tasks, const DataQuestion& question) {
  std::error_code ignored;
  const bool file = std::filesystem::is_regular_file(question.folder, ignored);
  if (!question.folder.empty() && !file && !std::filesystem::is_directory(question.folder, ignored))
    fail("The data folder {} does not exist or is none; name another with --data or PAIRS_DATA", question.folder);
  Result result;
  Table table({{"data set", false}, {"task", false}, {"file", false}, {"found", false}});
  nlohmann::json documents = nlohmann::json::array();
  std::string verdicts;
  for (const DataSet& set : tasks.data_sets()) verdicts += show_set(tasks, set, question, documents, table);
  result.document = {{"folder", question.folder}, {"sets", documents}};
  result.text = fmt::format("Data {}: {}\n\n{}\n{}", file ? "file" : "folder",
                            question.folder.empty() ? "none (name one with --data DIR or PAIRS_DATA)" : question.folder,
                            table.text(), verdicts);
  return result;
}

}  // namespace pairs::batch
