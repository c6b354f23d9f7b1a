#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/budget_report.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/exit_on_signal.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/own_task.h"
#include "app/batch/parts/printed_training.h"
#include "app/batch/parts/progress.h"
#include "app/batch/train/rank_team.h"
#include "app/runs/places.h"
#include "app/runs/run_about.h"
#include "app/runs/task_words.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/simulation_budget.h"
#include "core/target_choice.h"
#include "core/train/cache/left_aggregates.h"
#include "core/train/run/rank_run.h"
#include "core/train/run/run.h"
#include "core/train/run/simulator_record.h"

namespace pairs::batch {
namespace {

struct RunArguments {
  NewRun wanted;
  OwnTaskOptions own;
  RankOptions ranks;
  std::string targets, out, resume, until = "likelihood";
  std::int64_t simulations = 0;
  bool changed = false;
  bool drop = false;
};

Stage stage_named(const std::string& name) {
  for (const Stage stage : {Stage::pretrain, Stage::cache, Stage::finetune, Stage::likelihood})
    if (name == stage_name(stage)) return stage;
  fail_usage("There is no stage \"{}\"; stages are pretrain, cache, finetune and likelihood", name);
}

// Removes the aggregates of a run, and nothing else.
Result drop(const Tasks& tasks, const std::filesystem::path& folder) {
  if (run_status(folder).finished) load_run(tasks, folder.string(), "", "cpu");  // the run's weights must be intact
  const std::uint64_t bytes = aggregates_bytes(folder);
  const std::string then = without_aggregates(folder);
  if (bytes > 0) drop_aggregates(folder);
  const std::string done =
      bytes > 0 ? fmt::format("{} of aggregates are removed", byte_text(bytes)) : "There are no aggregates to remove";
  return {{{"run", folder.string()}, {"removed_bytes", bytes}, {"then", then}},
          fmt::format("{}: {}. {}.\n", printable(folder.string(), 300), done, then),
          0};
}

// --targets is the task's setting, which not every task has.
void choose_targets(const TaskCatalog& tasks, const std::string& targets, NewRun& wanted) {
  tasks.make(wanted.task);  // throws for an unknown task
  TaskSettings settings = tasks.default_settings(wanted.task);
  const std::vector<Field> own = settings.fields();
  if (std::none_of(own.begin(), own.end(), [](const Field& field) { return field.key == kTargetsSetting; }))
    fail_usage("--targets {} cannot be chosen: nothing but the task's own target can be inferred of {}; leave it out",
               printable(targets, 100), wanted.task);
  wanted.set.push_back(fmt::format("{}={}", kTaskTargets, targets));
}

// The folder that the command names; "": none.
const std::string& named_folder(const RunArguments& arguments) {
  return arguments.resume.empty() ? arguments.out : arguments.resume;
}

// A rank other than the first: trains the run that the first sends, without output.
Result follow(const RunArguments& arguments, RankTeam& team) {
  const SavesOnSignal saves;
  if (!keep_going()) throw Stopped();
  const Stage until = stage_named(arguments.until);
  const std::filesystem::path folder = team.meet({}, named_folder(arguments), until);
  if (arguments.own.allow) allow_run(folder);
  ProgressPrinter silent([](const std::string&) {}, false);
  try {
    drive([&](Monitor& monitor) { execute_run(arguments.own.tasks, folder, monitor, until, team.ranks()); }, silent);
  } catch (const Stopped&) {
    team.check_stop();
    throw;
  }
  Result result;
  result.silent = true;
  return result;
}

// `other`: an option given with --resume that belongs to new runs; "": none.
Result run(const RunArguments& arguments, std::string other) {
  RankTeam team(arguments.ranks);
  if (!team.leads()) return follow(arguments, team);
  std::filesystem::path folder;
  std::optional<RunConfig> config;  // of a new run
  if (!arguments.resume.empty()) {
    if (!arguments.wanted.task.empty()) other = arguments.wanted.task;
    if (!other.empty())
      fail_usage("--resume continues a run with the settings of its run.toml: leave out {}", printable(other, 100));
    folder = arguments.resume;
    if (arguments.own.allow) allow_run(folder);
    if (!std::filesystem::exists(folder / run_file::config))
      fail("{} is not a run folder: it holds no {}", folder.string(), run_file::config);
    if (is_shipped(folder))
      fail_usage(
          "{} holds weights that came with the program, which stay as they are; to train on from them, start a run "
          "with --set {}={}",
          folder.string(), "pretrain.from"_key, folder.string());
    if (arguments.drop) return drop(arguments.own.tasks, folder);
    if (team.size() > 1)
      check_slots(fmt::format("{} has", folder.string()),
                  read_run_toml(arguments.own.tasks, folder / run_file::config).slots, team.size());
  } else {
    if (arguments.drop) fail_usage("--drop-aggregates needs a run: name it with --resume");
    NewRun wanted = arguments.wanted;
    wanted.task = task_named(wanted.task, arguments.own);
    if (wanted.task.empty()) fail_usage("Name a task to train, or --resume a run; pairs --batch tasks lists the tasks");
    if (!arguments.targets.empty()) choose_targets(*arguments.own.tasks, arguments.targets, wanted);
    limit_simulations(*arguments.own.tasks, arguments.simulations, wanted);
    team.complete(wanted);
    if (!arguments.out.empty()) check_new_run(arguments.out);
    config = resolve(arguments.own.tasks, wanted);
    check_slots("The run would have", config->slots, team.size());
    check_start(*config);
    report_expectation(*arguments.own.tasks, *config, arguments.out);
  }
  const SavesOnSignal saves;
  if (!keep_going()) throw Stopped();
  if (config) {
    folder = create_run(*config, arguments.out);
    name_new_run(folder, *config);
  }
  if (arguments.changed) accept_simulator(folder);
  ProgressPrinter printer = stderr_printer();
  try {
    const Stage until = stage_named(arguments.until);
    team.meet(folder, named_folder(arguments), until);
    if (team.size() > 1) printer.line(fmt::format("{} ranks train together", team.size()));
    train_run(arguments.own.tasks, folder, until, printer, team.ranks());
  } catch (const Stopped&) {
    report_continuation(folder, printer);
    team.check_stop();
    throw;
  } catch (const std::exception&) {
    if (ended_by_error(folder) || team.size() > 1) report_continuation(folder, printer);
    throw;
  }
  return run_result(arguments.own.tasks, folder);
}

}  // namespace

Action add_run(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<RunArguments>();
  arguments->own.tasks = tasks;
  app.add_option("TASK", arguments->wanted.task, "The task; pairs --batch tasks lists them");
  add_own_task_options(app, arguments->own);
  app.add_option(
         "--preset", arguments->wanted.preset,
         "quick (try it), small (good results on a CPU) or paper (for a GPU); the expected time is printed first")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--strategy", arguments->wanted.strategy,
                 "Which N the embedder sees: pairs (1-2), n1 (1), n1-5, n1-10, e2e (one large N), gaussian "
                 "(1-2, regression head)")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--targets", arguments->targets,
                 "Which of θ and ψ are inferred, by their names (default: θ); pairs --batch tasks lists the names")
      ->type_name("NAME,...");
  app.add_option("--simulations", arguments->simulations,
                 "Of a task of your own: how many observations its simulator makes for the run in all; they are "
                 "made first and serve all stages (default: new ones at every step)")
      ->type_name("N")
      ->transform(whole_number(1, kMostSimulations));
  app.add_option("--set", arguments->wanted.set,
                 "A setting, e.g. pretrain.rate=2e-3; pairs --batch presets TASK lists them")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--seed", arguments->wanted.seed, "Seed of everything random (default: the preset's, 1)")
      ->type_name("N")
      ->transform(whole_number(0, 9007199254740992));
  app.add_option("--device", arguments->wanted.device, "auto, cpu or cuda (default: auto)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  app.add_option("--out", arguments->out, "The run's folder, a new one or an empty one (default: runs/TASK-TIME)")
      ->type_name("DIR");
  app.add_option("--data", arguments->wanted.data, "Folder of real data (default: $PAIRS_DATA)")->type_name("DIR");
  app.add_option("--threads", arguments->wanted.threads, "CPU threads, 0 = all cores (default: 0)")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  add_rank_options(app, arguments->ranks);
  app.add_option("--resume", arguments->resume,
                 "Continue this run from its last checkpoint, with the settings of its run.toml")
      ->type_name("RUN");
  app.add_flag("--changed", arguments->changed,
               "With --resume: go on although the simulator of a task of your own answers otherwise than when the run "
               "began")
      ->needs("--resume");
  app.add_flag("--drop-aggregates", arguments->drop,
               "With --resume: train nothing, but remove the aggregates that stage 2 has left (aggregates.cache, often "
               "hundreds of MB), and print what resuming would do then")
      ->excludes("--ranks");
  app.add_option("--until", arguments->until, "Stop after this stage; --resume does the rest")
      ->type_name("STAGE")
      ->check(CLI::IsMember({"pretrain", "cache", "finetune", "likelihood"}));
  app.footer(with_task_names(
      R"(Examples:
  pairs --batch run {exact}
  pairs --batch run {data} --preset small --strategy n1 --seed 2 --data ~/datasets --out runs/digits-n1-2
  pairs --batch run {first} --set cache.sets=50000 --set head.bins=24 --until cache
  pairs --batch run {first} --seed 2 --set pretrain.from=runs/a
  pairs --batch run {first} --targets theta,psi
  pairs --batch run --task-file my/task.toml --allow
  pairs --batch run --task-file my/task.toml --simulations 20000
  pairs --batch run {first} --ranks 2 --threads 1
  pairs --batch run --resume runs/digits-n1-2
  pairs --batch run --resume runs/digits-n1-2 --drop-aggregates
pretrain.from starts from the weights of another run, or of a task's shipped ones; another seed shows them other
sets, and pretrain.epochs=0 leaves the embedder as it is.
pretrain.curriculum begins on easier settings of the task: "distractors=0: 10 %; 1 line=3: 30 %" takes a tenth of the
epochs, then three tenths (settings of one lesson separated by blanks; a value alone is of the key before).
A run is a folder; one stopped by Ctrl+C, a signal or a crash resumes from its last checkpoint and ends with
the same weights. The expected time and disk are printed before it starts.)"));
  return [arguments, &app] {
    std::string other;
    for (const char* name : {"--preset", "--strategy", "--targets", "--simulations", "--set", "--seed", "--device",
                             "--out", "--data", "--threads", "--task-file"})
      if (other.empty() && app.count(name) > 0) other = name;
    return run(*arguments, std::move(other));
  };
}

}  // namespace pairs::batch
