#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/batch/parts/command.h"
#include "app/runs/places.h"
#include "app/runs/run_about.h"
#include "app/text/table.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"

namespace pairs::batch {
namespace {

struct TagArguments {
  Catalog tasks;
  std::vector<std::string> runs, add, remove;
  std::string name, note;
  bool unname = false, unnote = false, archive = false, restore = false;

  bool changes() const {
    return !add.empty() || !remove.empty() || !name.empty() || !note.empty() || unname || unnote || archive || restore;
  }
};

// The folder of a run whose file may be changed; throws for runs that came with the program.
RunFolder writable_run(const TagArguments& arguments, const std::string& run) {
  const RunFolder found = find_run(arguments.tasks, run);
  if (arguments.changes() && is_shipped(found.folder))
    fail_usage("{} came with the program and stays as it is; name a run of your own", run);
  return found;
}

void change(RunAbout& about, const TagArguments& arguments) {
  change_tags(about, arguments.add, arguments.remove);
  if (arguments.unname || !arguments.name.empty()) about.name = tidy_text(arguments.name, false);
  if (arguments.unnote || !arguments.note.empty()) about.note = tidy_text(arguments.note, true);
  if (arguments.archive || arguments.restore) about.archived = arguments.archive;
}

Result tag(const TagArguments& arguments) {
  if (!arguments.name.empty() && arguments.runs.size() > 1)
    fail_usage("--name is for one run, so that runs can be distinguished; {} are named", arguments.runs.size());
  std::vector<RunFolder> found;
  for (const std::string& run : arguments.runs) found.push_back(writable_run(arguments, run));
  std::vector<RunAbout> abouts;  // errors are found before the first is written
  for (const RunFolder& run : found) change(abouts.emplace_back(load_about(run.folder)), arguments);
  Result result;
  result.document["runs"] = nlohmann::json::array();
  Table table({{"run", false}, {"name", false}, {"tags", false}, {"note", false}});
  for (std::size_t i = 0; i < found.size(); ++i) {
    const RunAbout about =
        arguments.changes() ? change_about(found[i].folder, [&](RunAbout& one) { change(one, arguments); }) : abouts[i];
    result.document["runs"].push_back({{"run", found[i].folder.string()},
                                       {"name", about.name},
                                       {"tags", about.tags},
                                       {"note", about.note},
                                       {"archived", about.archived}});
    std::string tags = fmt::format("{}", fmt::join(about.tags, " "));
    if (about.archived) tags += tags.empty() ? "(archived)" : " (archived)";
    std::string note = about.note;
    std::replace(note.begin(), note.end(), '\n', ' ');
    table.add({found[i].name, about.name, tags, note});
  }
  result.text = table.text();
  return result;
}

}  // namespace

Action add_tag(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<TagArguments>();
  arguments->tasks = tasks;
  app.add_option("RUN", arguments->runs, "One or more run folders")->required();
  app.add_option("--add", arguments->add, "Puts a tag on them; may be given several times")
      ->type_name("TAG")
      ->allow_extra_args(false);
  app.add_option("--remove", arguments->remove, "Takes a tag off; may be given several times")
      ->type_name("TAG")
      ->allow_extra_args(false);
  CLI::Option* const note =
      app.add_option("--note", arguments->note, "What is to be known of them, in place of their note")
          ->type_name("TEXT");
  app.add_flag("--no-note", arguments->unnote, "Removes their note")->excludes(note);
  CLI::Option* const name =
      app.add_option("--name", arguments->name, "What one run is called in lists")->type_name("TEXT");
  app.add_flag("--no-name", arguments->unname, "Calls them as their folders again")->excludes(name);
  CLI::Option* const archive =
      app.add_flag("--archive", arguments->archive, "Keeps them, and leaves them out of the window's lists");
  app.add_flag("--unarchive", arguments->restore, "Lists them again")->excludes(archive);
  app.footer(
      "Prints the tags and notes of runs, and changes them. They are kept in RUN/about.toml, which no training and no\n"
      "evaluation reads; the window's Compare tab filters by them (tag:paper).\n"
      "Examples:\n"
      "  pairs --batch tag runs/a runs/b --add paper --note 'the first that converged'\n"
      "  pairs --batch tag runs/a --remove paper");
  return [arguments] { return tag(*arguments); };
}

}  // namespace pairs::batch
