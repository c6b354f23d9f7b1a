#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/batch/arguments.h"
#include "app/batch/command.h"
#include "app/batch/drive.h"
#include "app/batch/numbers.h"
#include "app/posterior/tried_file.h"
#include "app/runs/task_words.h"
#include "app/text/table.h"
#include "core/base/error.h"
#include "core/base/face.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/report/number_text.h"
#include "core/train/shipped.h"

namespace pairs::batch {
namespace {

constexpr std::uint64_t kListBytes = 64 << 20;

struct TriedArguments {
  std::string run, data, out;
  OpenArguments open;
  std::int64_t n = 0, samples = 1000;
};

// What a line names: all of it, or where that is no thing its first word, as in "CCO ethanol".
std::string named_by(const Things& known, std::string line) {
  if (known.is_thing(line)) return line;
  const std::string first = line.substr(0, line.find_first_of(" \t"));
  return known.is_thing(first) ? first : line;
}

// What `path` names: every thing below a folder in order of its path, or each line of a text file but blank ones and
// those that begin with "# ". A file of which hardly a line names a thing, where it is one, is that thing.
std::vector<std::string> things_at(const Things& known, const std::string& path) {
  std::vector<std::string> texts;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      if (entry.is_regular_file() && known.is_thing(entry.path().string())) texts.push_back(entry.path().string());
    std::sort(texts.begin(), texts.end());
  } else {
    const std::string content = read_file(path, kListBytes);
    for (std::size_t at = 0; at < content.size();) {
      const std::size_t end = std::min(content.find('\n', at), content.size());
      std::string line = content.substr(at, end - at);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.find_first_not_of(" \t") != line.npos && !line.starts_with("# "))
        texts.push_back(named_by(known, std::move(line)));
      at = end + 1;
    }
    const auto named =
        std::count_if(texts.begin(), texts.end(), [&](const std::string& text) { return known.is_thing(text); });
    if (2 * static_cast<std::size_t>(named) < texts.size() && known.is_thing(path)) texts = {path};
  }
  if (texts.empty()) fail_usage("{} names no {}: give {}", printable(path, 300), known.thing(), known.thing_help());
  return texts;
}

// Where the answer goes: beside the run's weights unless --out says where; "" for shipped weights, which belong to the
// program.
std::filesystem::path tried_file(const TriedArguments& arguments, const LoadedRun& run) {
  if (!arguments.out.empty()) return arguments.out;
  for (const ShippedWeights& shipped : shipped_weights(arguments.open.tasks, run.task->info().name))
    if (shipped.folder == run.folder) return {};
  return run.folder / kTriedFile;
}

Result tried(const TriedArguments& arguments) {
  const LoadedRun run = open_run(arguments.run, arguments.open, false);
  const std::filesystem::path file = tried_file(arguments, run);
  for (const std::filesystem::path& written : tried_files(file))
    check_output(written, written == file ? ".json" : ".npz", {arguments.data});
  const TaskInfo& info = run.task->info();
  const Things* const known = face<Things>(*run.task);
  if (!known) fail_usage("The task {} makes no sets of things that people have", info.name);
  if (arguments.n > run.estimator->max_n())
    fail_usage("--n {} goes beyond the sets of at most {} that {} saw in training", count_text(arguments.n),
               count_text(run.estimator->max_n()), run.name);
  const std::vector<std::string> texts = things_at(*known, arguments.data);
  const Tried tried =
      try_things(run, *known, texts, arguments.n, arguments.samples, [](std::size_t) { return keep_going(); });
  if (tried.kinds.empty())
    fail("None of the {} named by {} could be used; the first: {}", counted(texts.size(), "thing"),
         printable(arguments.data, 300), tried.refused.empty() ? known->thing_help() : tried.refused.front());
  std::int64_t before = 0;
  if (file == run.folder / kTriedFile)
    for (const TriedKind& kind : tried_of(run).kinds) before += kind.count;
  if (!file.empty()) write_tried(file, run, tried);
  Result result;
  result.document = tried_document(tried);
  result.document["run"] = run.name;
  result.document["refused"] = tried.refused;
  result.document["things"] = nlohmann::json::array();
  for (const TriedThing& thing : tried.things)
    result.document["things"].push_back({{"name", thing.name},
                                         {"kind", thing.kind},
                                         {"own", thing.own},
                                         {"low_90", thing.low90},
                                         {"high_90", thing.high90},
                                         {"missed_99", thing.missed99},
                                         {"unlike_training", thing.unlike},
                                         {"disagreed", thing.disagreed},
                                         {"spread", thing.spread}});
  Table table({{"kind", false}, {"things"}, {"N"}, {"target", false}, {"in 90 %"}, {"miss 99 %"}, {"unlike training"}});
  for (std::size_t k = 0; k < tried.kinds.size(); ++k) {
    const TriedKind& kind = tried.kinds[k];
    result.document["kinds"][k]["warned"] = !tried_warning(run, tried, kind.kind).empty();
    for (std::size_t t = 0; t < kind.inside90.size(); ++t)
      table.add({t == 0 ? kind.kind : "", t == 0 ? count_text(kind.count) : "", t == 0 ? count_text(kind.n) : "",
                 info.targets[t].label, number_text(kind.inside90[t], 2), t == 0 ? count_text(kind.missed99) : "",
                 t == 0 ? count_text(kind.unlike) : ""});
  }
  result.document["file"] = file.string();
  result.text =
      table.text() +
      (tried.unread > 0
           ? fmt::format("\n{} could not be used:\n  {}\n", counted(static_cast<std::size_t>(tried.unread), "thing"),
                         fmt::join(tried.refused, "\n  "))
           : "") +
      (tried.repeated > 0
           ? fmt::format("\n{} named before {} left out\n", counted(static_cast<std::size_t>(tried.repeated), "thing"),
                         tried.repeated == 1 ? "was" : "were")
           : "") +
      (file.empty() ? std::string("\nNot written, since these weights came with the program: --out writes it\n")
                    : fmt::format("\nWritten: {}{}\n", file.string(),
                                  before == 0 ? ""
                                              : fmt::format(", in place of what was known of {}",
                                                            counted(static_cast<std::size_t>(before), "thing"))));
  return result;
}

}  // namespace

Action add_tried(CLI::App& app, const Catalogue& tasks) {
  const auto arguments = std::make_shared<TriedArguments>();
  arguments->open.tasks = tasks;
  app.add_option("RUN", arguments->run, "A run folder, or a task's name for its shipped weights")->required();
  app.add_option("--data", arguments->data,
                 "A folder of things (meshes), or a text file that names one a line (SMILES, files)")
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
                 "Write the answer there (default: beside a run's weights; not for shipped ones)")
      ->type_name("X.json");
  add_machine_arguments(app, arguments->open);
  app.footer(
      "Asks a run about real things whose θ is known from themselves, and writes how often it was right as tried.json\n"
      "beside the weights: infer, figures and the window tell it with every answer about such things, and warn where\n"
      "the 90 % interval held less than 80 %. --json lists each thing with its own θ and its 90 % interval.\n"
      "Examples:\n"
      "  pairs --batch tried runs/objects --data meshes/\n"
      "  pairs --batch tried runs/molecules --data smiles.txt");
  return [arguments] { return tried(*arguments); };
}

}  // namespace pairs::batch
