#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/preparation_progress.h"
#include "app/posterior/set/listed_items.h"
#include "app/posterior/validation/external_validation_file.h"
#include "app/runs/task_words.h"
#include "app/text/table.h"
#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/run/shipped.h"

namespace pairs::batch {
namespace {

struct ExternalValidationArguments {
  std::string run, data, out;
  OpenArguments open;
  std::int64_t n = 0, samples = 1000;
};

// The path of the result: next to the run's weights unless --out names another; "" for shipped weights, which belong to
// the program.
std::filesystem::path external_validation_file(const ExternalValidationArguments& arguments, const LoadedRun& run) {
  if (!arguments.out.empty()) return arguments.out;
  for (const ShippedWeights& shipped : shipped_weights(arguments.open.tasks, run.task->info().name))
    if (shipped.folder == run.folder) return {};
  return run.folder / kExternalValidationFile;
}

Result validated(const ExternalValidationArguments& arguments) {
  const LoadedRun run = open_run(arguments.run, arguments.open, false);
  const std::filesystem::path file = external_validation_file(arguments, run);
  for (const std::filesystem::path& written : external_validation_files(file))
    check_output(written, written == file ? ".json" : ".npz", {arguments.data});
  const TaskInfo& info = run.task->info();
  const Items* const known = face<Items>(*run.task);
  if (!known) fail_usage("The task {} makes no sets of items that people have", info.name);
  if (arguments.n > run.estimator->max_n())
    fail_usage("--n {} goes beyond the sets of at most {} that {} saw in training", count_text(arguments.n),
               count_text(run.estimator->max_n()), run.name);
  std::vector<std::string> texts;
  for (ListedItem& one : listed_items(*known, arguments.data).items) texts.push_back(std::move(one.text));
  const ExternalValidation validated = [&] {
    PreparationProgress reported("external-validation");
    Preparation hearer = reported.follow();
    hearer.stop = [] { return !keep_going(); };
    return validate_items(run, *known, texts, arguments.n, arguments.samples, hearer);
  }();
  if (validated.kinds.empty())
    fail("None of the {} named by {} could be used; the first: {}", counted(texts.size(), "item"),
         printable(arguments.data, 300), validated.refused.empty() ? known->item_help() : validated.refused.front());
  std::int64_t before = 0;
  if (file == run.folder / kExternalValidationFile)
    for (const ValidatedKind& kind : external_validation_of(run).kinds) before += kind.count;
  if (!file.empty()) write_external_validation(file, run, validated);
  Result result;
  result.document = external_validation_document(validated);
  result.document["run"] = run.name;
  result.document["refused"] = validated.refused;
  const std::vector<Recalibration>& widened = validated.recalibrations;
  result.document["recalibrated"] = recalibrations_document(widened, info.targets);
  result.document["items"] = nlohmann::json::array();
  for (const ValidatedItem& item : validated.items)
    result.document["items"].push_back({{"name", item.name},
                                        {"kind", item.kind},
                                        {"own", item.own},
                                        {"low_90", item.low90},
                                        {"high_90", item.high90},
                                        {"missed_99", item.missed99},
                                        {"out_of_distribution", item.unlike},
                                        {"disagreed", item.disagreed},
                                        {"spread", item.spread}});
  std::vector<Table::Column> columns = {
      {"kind", false},      {"items"},    {"N"}, {"target", false}, {"in 90 %"}, {"miss 99 %"}, {"out of distribution"},
      {"widened: in 90 %"}, {"miss 99 %"}};
  const bool disagree = !run.estimator->members().empty();
  if (disagree) columns.push_back({"runs disagree"});
  Table table(columns);
  for (std::size_t k = 0; k < validated.kinds.size(); ++k) {
    const ValidatedKind& kind = validated.kinds[k];
    result.document["kinds"][k]["warned"] = !validation_warning(run, validated, kind.kind).empty();
    for (std::size_t t = 0; t < kind.inside90.size(); ++t) {
      const auto once = [&](std::int64_t count) { return t == 0 ? count_text(count) : ""; };
      std::vector<std::string> cells = {t == 0 ? kind.kind : "",
                                        once(kind.count),
                                        once(kind.n),
                                        info.targets[t].label,
                                        number_text(kind.inside90[t], 2),
                                        once(kind.missed99),
                                        once(kind.unlike),
                                        "-",
                                        "-"};
      for (const Recalibration& one : widened)
        if (one.kind == kind.kind && one.target == t) {
          cells[cells.size() - 2] = number_text(one.inside90, 2);
          cells.back() = count_text(one.missed99);
        }
      if (disagree) cells.push_back(once(kind.disagreed));
      table.add(std::move(cells));
    }
  }
  result.document["file"] = file.string();
  result.text =
      table.text() +
      (validated.unread > 0
           ? fmt::format("\n{} could not be used:\n  {}\n", counted(static_cast<std::size_t>(validated.unread), "item"),
                         fmt::join(validated.refused, "\n  "))
           : "") +
      (validated.repeated > 0 ? fmt::format("\n{} named before {} left out\n",
                                            counted(static_cast<std::size_t>(validated.repeated), "item"),
                                            validated.repeated == 1 ? "was" : "were")
                              : "") +
      (file.empty() ? std::string("\nNot written, since these weights came with the program: --out writes it\n")
                    : fmt::format("\nWritten: {}{}\n", file.string(),
                                  before == 0 ? ""
                                              : fmt::format(", in place of what was known of {}",
                                                            counted(static_cast<std::size_t>(before), "item"))));
  return result;
}

}  // namespace

Action add_external_validation(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<ExternalValidationArguments>();
  arguments->open.tasks = tasks;
  app.add_option("RUN", arguments->run, "A run folder, or a task's name for its shipped weights")->required();
  app.add_option("--data", arguments->data,
                 "A folder of items (meshes), or a text file that names one per line (SMILES, files)")
      ->type_name("DIR|FILE")
      ->required();
  app.add_option("--n", arguments->n, "Observations of each (default: as many as training saw)")
      ->type_name("N")
      ->transform(whole_number(1, std::int64_t{1} << 40));
  app.add_option("--samples", arguments->samples, "Posterior samples of each")
      ->type_name("S")
      ->transform(whole_number(100, 1000000))
      ->capture_default_str();
  app.add_option("--out", arguments->out,
                 "Write the result there (default: next to a run's weights; not for shipped ones)")
      ->type_name("X.json");
  add_machine_arguments(app, arguments->open);
  app.footer(
      R"(External validation: evaluates a run on real items whose own θ is known, and writes its coverage as
external-validation.json next to the weights: infer, figures and the window report it with every posterior of
such items. From 40 items of a kind on their posteriors are widened until 90 and 99 % intervals hold their
shares; a warning comes where the 90 % interval then held less than 80 %, each item judged by other parts of the
list. --json lists each item with its own θ and its 90 % interval.
Examples:
  pairs --batch external-validation runs/objects --data meshes/
  pairs --batch external-validation runs/molecules --data smiles.txt)");
  return [arguments] { return validated(*arguments); };
}

}  // namespace pairs::batch
