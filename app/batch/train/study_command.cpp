#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "app/batch/parts/arguments.h"
#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/exit_on_signal.h"
#include "app/batch/parts/numbers.h"
#include "app/batch/parts/own_task.h"
#include "app/batch/train/study_processes.h"
#include "app/scores/metrics_file.h"
#include "app/scores/score.h"
#include "app/studies/study_figures.h"
#include "app/studies/study_plan.h"
#include "app/studies/study_worker.h"
#include "app/text/table.h"
#include "core/base/fields/fields.h"
#include "core/base/files/files.h"
#include "core/base/system/presence.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/stop.h"
#include "core/report/number_text.h"

namespace pairs::batch {
namespace {

namespace fs = std::filesystem;

struct StudyArguments {
  Catalog tasks;
  std::string study, out, part, data, device;
  std::vector<std::string> presets, set;
  std::int64_t jobs = 1;
  double hours = 0, grace = 60;
  bool hours_given = false;
  bool plan = false, figures = false, retry = false, allow = false;
};

// Names of the studies that come with the program.
std::vector<std::string> shipped_studies() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(assets_folder() / "studies", error))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// The file that a word denotes: a study file, or one of those that come with the program.
fs::path study_file(const std::string& word) {
  std::error_code error;
  if (fs::is_regular_file(word, error)) return word;
  const std::vector<std::string> names = shipped_studies();
  if (std::find(names.begin(), names.end(), word) != names.end()) return assets_folder() / "studies" / (word + ".toml");
  const std::string near = nearest(word, names);
  fail_usage(
      "{} is neither a study file nor a study that comes with the program{}; pairs --batch study list names them",
      printable(word, 300), near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
}

Result list_studies() {
  Result result;
  result.document = {{"studies", nlohmann::json::array()}};
  Table table({{"study", false}, {"shows", false}});
  for (const std::string& name : shipped_studies()) {
    const Study study = read_study(assets_folder() / "studies" / (name + ".toml"));
    result.document["studies"].push_back({{"name", name}, {"title", study.title}, {"note", study.note}});
    table.add({name, study.title});
  }
  result.text = table.text();
  return result;
}

std::int64_t environment_number(const char* name) {
  const char* text = std::getenv(name);
  std::int64_t value = 0;
  if (!text) fail_usage("--part array reads {}, which is not set: use it inside a job array, or give I/M", name);
  const char* end = text + std::string_view(text).size();
  if (const auto read = std::from_chars(text, end, value); read.ec != std::errc() || read.ptr != end)
    fail_usage("--part array reads {}, which is \"{}\", not a whole number", name, printable(text));
  return value;
}

// "2/8", or "array": from a Slurm job array.
void read_part(const std::string& text, WorkOptions& options) {
  if (text.empty()) return;
  std::int64_t part = 0, parts = 0;
  if (text == "array") {
    part = environment_number("SLURM_ARRAY_TASK_ID") - environment_number("SLURM_ARRAY_TASK_MIN") + 1;
    parts = environment_number("SLURM_ARRAY_TASK_COUNT");
  } else {
    const std::size_t slash = text.find('/');
    const auto number = [&](std::size_t first, std::size_t last, std::int64_t& value) {
      const auto read = std::from_chars(text.data() + first, text.data() + last, value);
      return read.ec == std::errc() && read.ptr == text.data() + last;
    };
    if (slash == text.npos || !number(0, slash, part) || !number(slash + 1, text.size(), parts)) parts = 0;
  }
  if (parts < 1 || part < 1 || part > parts)
    fail_usage("--part {} is no part: write I/M with I from 1 to M, for example 2/8, or array in a Slurm job array",
               printable(text));
  options.part = static_cast<std::size_t>(part);
  options.parts = static_cast<std::size_t>(parts);
}

// The folder of the study's files: `runs/NAME` unless --out names another, which is then created.
fs::path study_folder(const StudyArguments& arguments, const Study& study) {
  return arguments.out.empty() ? fs::path("runs") / study.name : fs::path(arguments.out);
}

// A file in the folder that does not belong to a study without its own file yet; "" if there is none. Ignores temporary
// files of other workers.
std::string foreign_entry(const fs::path& folder, const Study& study) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string inside = entry.path().filename().string();
    const bool temporary = inside.starts_with('.') && inside.ends_with(".tmp");
    if (inside != study.name + ".toml" && inside != "workers" && !temporary) return inside;
  }
  return "";
}

// Throws for a folder that holds another study, a run, or foreign files.
void refuse_other(const fs::path& folder, const Study& study) {
  const std::string name = printable(folder.string(), 300);
  if (fs::exists(folder / run_file::config)) fail_usage("{} is the folder of a run; choose another with --out", name);
  const std::string foreign = fs::exists(folder / kStudyCopy) ? "" : foreign_entry(folder, study);
  // A worker that started at the same time may have written the study's file and begun since the first check.
  if (fs::exists(folder / kStudyCopy)) {
    const std::string title = find_toml_text(read_file(folder / kStudyCopy), "title", name);
    if (title != study.title)
      fail_usage("{} holds another study, \"{}\"; choose another folder with --out", name, printable(title, 200));
  } else if (!foreign.empty()) {
    fail_usage("{} holds {} and no study; choose a folder of its own with --out", name, printable(foreign, 100));
  }
}

void make_folder(const fs::path& folder, const Study& study) {
  std::error_code error;
  fs::create_directories(folder, error);
  PAIRS_CHECK(!error && fs::is_directory(folder), "Cannot make the folder {}: {}; choose another with --out",
              printable(folder.string(), 300), error ? error.message() : "a file of that name is in the way");
  const std::string text = read_file(study.file);
  const fs::path copy = folder / kStudyCopy;
  refuse_other(folder, study);
  if (!fs::exists(copy) || read_file(copy) != text) write_file(copy, text);
}

struct Standing {
  Study study;
  std::vector<StudyRun> runs;
  fs::path folder;
};

StudyOptions study_options(const StudyArguments& arguments) {
  StudyOptions options;
  options.data = arguments.data;
  options.device = arguments.device;
  options.presets = arguments.presets;
  options.set = arguments.set;
  options.open_task = [tasks = arguments.tasks, allow = arguments.allow](const std::string& file) {
    return task_named(file, {tasks, "", allow});
  };
  return options;
}

Standing standing_of(const StudyArguments& arguments) {
  Standing standing;
  standing.study = read_study(study_file(arguments.study), arguments.presets);
  check_study_figures(standing.study);
  set_all(standing.study, arguments.set);
  standing.runs = study_runs(arguments.tasks, standing.study, study_options(arguments));
  standing.folder = study_folder(arguments, standing.study);
  return standing;
}

std::vector<StudyStatus> look(const Standing& standing, double grace) {
  Claims claims(claims_folder(standing.folder), grace);
  claims.scan();
  return study_status(standing.folder, standing.runs, claims);
}

// The current state of the runs. troubled: a process that worked on them ended abnormally.
Result report(const StudyArguments& arguments, const Standing& standing, bool troubled) {
  const std::vector<StudyStatus> status = look(standing, arguments.grace);
  Result result;
  result.document = {{"study", standing.study.name},
                     {"title", standing.study.title},
                     {"folder", standing.folder.string()},
                     {"runs", nlohmann::json::array()}};
  Table table({{"run", false}, {"state", false}, {"N"}, {"score", false}, {"value"}});
  const std::vector<FoundRun> found = look_over(arguments.tasks, standing.folder, standing.runs);
  std::size_t done = 0, failed = 0, left = 0;
  std::string reasons;
  for (std::size_t k = 0; k < standing.runs.size(); ++k) {
    const StudyRun& run = standing.runs[k];
    nlohmann::json line = {{"name", run.name},
                           {"task", run.config.task},
                           {"strategy", run.config.strategy},
                           {"preset", run.config.preset},
                           {"seed", run.config.seed},
                           {"state", study_state_name(status[k].state)}};
    std::vector<std::string> cells = {run.name, study_state_name(status[k].state), "–", "–", "–"};
    if (!found[k].damage.empty() && status[k].state == StudyState::done) {
      ++failed;
      line["state"] = cells[1] = "damaged";
      line["reason"] = found[k].damage;
      reasons += fmt::format("\n{} is damaged: {}.", run.name, found[k].damage);
    } else if (status[k].state == StudyState::done && found[k].scores_missing) {
      ++left;
      line["state"] = cells[1] = "to be scored";
    } else if (status[k].state == StudyState::done) {
      ++done;
      line["run"] = (standing.folder / run.name).string();
      if (const auto metrics = read_metrics(arguments.tasks, standing.folder / run.name / run_file::metrics)) {
        const Score& score = score_of(metrics->rows);
        const EvaluationRow& last = metrics->rows.back();
        line["n"] = last.n;
        line[score.key] = score.value(last);
        cells = {run.name, cells[1], count_text(last.n), score.heading(), score.text(last)};
      }
    } else if (status[k].state == StudyState::failed) {
      ++failed;
      line["reason"] = status[k].text;
      reasons += fmt::format("\n{} failed: {}.", run.name, status[k].text);
    } else if (status[k].state != StudyState::planned) {
      ++left;
    }
    result.document["runs"].push_back(line);
    table.add(cells);
  }
  result.document["done"] = done;
  result.document["failed"] = failed;
  result.document["left"] = left;
  std::string command = "pairs --batch study " + shell_word(arguments.study);
  for (const std::string& preset : arguments.presets) command += " --preset " + shell_word(preset);
  for (const std::string& one : arguments.set) command += " --set " + shell_word(one);
  if (!arguments.data.empty()) command += " --data " + shell_word(arguments.data);
  if (!arguments.out.empty()) command += " --out " + shell_word(arguments.out);
  result.text =
      fmt::format("{}\n\n{}{}\n\nFolder: {}\n", standing.study.title, table.text(), reasons, standing.folder.string());
  if (left > 0) result.text += fmt::format("{} left; the same command does them\n", counted(left, "run"));
  if (failed > 0) result.text += fmt::format("Try what failed again: {} --retry\n", command);
  if (left == 0 && !standing.study.figures.empty()) result.text += fmt::format("Next: {} --figures\n", command);
  result.exit_code = failed > 0 || (left > 0 && troubled) ? 1 : 0;
  return result;
}

Result plan(const StudyArguments& arguments, const Standing& standing) {
  ProgressPrinter printer = stderr_printer();
  std::vector<bool> done;
  for (const StudyStatus& status : look(standing, arguments.grace)) done.push_back(status.state == StudyState::done);
  const StudyPlan planned = plan_study(
      standing.runs, done, [] { return !keep_going(); },
      [&](std::size_t at, std::size_t all) { printer.line(fmt::format("measuring {} of {} kinds of run", at, all)); });
  const std::vector<RunPlan>& plans = planned.runs;
  Result result;
  result.document = {{"study", standing.study.name}, {"runs", nlohmann::json::array()}};
  if (!planned.busy.empty()) result.document["busy"] = planned.busy;
  Table table({{"run", false}, {"training"}, {"time"}, {"disk"}, {"shares", false}});
  double seconds = 0, gflop = 0, bytes = 0;
  std::size_t trained = 0;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const RunPlan& one = plans[k];
    const RunConfig& config = standing.runs[k].config;
    nlohmann::json line = {{"name", one.name},
                           {"task", config.task},
                           {"strategy", config.strategy},
                           {"preset", config.preset},
                           {"seed", config.seed},
                           {"gflop", one.gflop},
                           {"seconds", one.trained ? one.seconds() : 0.0},
                           {"stages",
                            {{"pretrain_seconds", one.pretrain_seconds},
                             {"cache_seconds", one.cache_seconds},
                             {"finetune_seconds", one.finetune_seconds},
                             {"evaluate_seconds", one.evaluate_seconds}}},
                           {"cache_bytes", one.cache_bytes},
                           {"trained", one.trained}};
    if (!one.shares.empty()) line["shares"] = one.shares;
    result.document["runs"].push_back(line);
    const std::string note = !one.trained ? "cost known, not trained" : done[k] ? "done" : one.shares;
    table.add({one.name, flop_text(one.gflop), one.trained ? duration_text(one.seconds()) : "–",
               byte_text(static_cast<std::uint64_t>(one.cache_bytes)), note});
    if (!one.trained) continue;
    ++trained;
    seconds += one.seconds();
    gflop += one.gflop;
    bytes = std::max(bytes, one.cache_bytes);
  }
  result.document["seconds"] = seconds;
  result.document["gflop"] = gflop;
  result.document["cache_bytes_at_once"] = bytes;
  result.text = fmt::format(
      "{}\n\n{}\n{}: {} of training by the paper's rule, {} on this machine with all its cores, up to {} of aggregates "
      "per worker at once.\n",
      standing.study.title, table.text(), counted(trained, "run"), flop_text(gflop), duration_text(seconds),
      byte_text(static_cast<std::uint64_t>(bytes)));
  if (!planned.busy.empty()) result.text += planned.busy + "\n";
  return result;
}

// Runs the study in this process.
void work_here(const StudyArguments& arguments, const Standing& standing, const WorkOptions& options) {
  StudyWorker worker(arguments.tasks, standing.folder, standing.runs, options);
  ProgressPrinter printer = stderr_printer();
  bool reported = false;
  for (;;) {
    std::size_t failures = worker.failures().size();
    const StudyWorker::Step step = worker.step([&](const StudyRun& run, const Session::Job& job) {
      std::size_t done = 0, all = 0;
      for (const StudyStatus& status : worker.status()) {
        all += status.state != StudyState::planned;
        done += status.state == StudyState::done;
      }
      printer.line(fmt::format("{} ({} of {} done)", run.name, done, all));
      drive(job, printer);
    });
    for (; failures < worker.failures().size(); ++failures)
      printer.line(fmt::format("{} failed: {}", worker.failures()[failures].first, worker.failures()[failures].second));
    if (step == StudyWorker::Step::out_of_time)
      printer.line(fmt::format("{:g} hours are over: what was begun is saved", arguments.hours));
    if (step == StudyWorker::Step::finished || step == StudyWorker::Step::out_of_time) return;
    if (step == StudyWorker::Step::waiting) {
      if (!std::exchange(reported, true)) printer.line("waiting for other workers");
      for (int k = 0; k < 10 && keep_going(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (!keep_going()) throw Stopped();
    } else {
      reported = false;
    }
  }
}

// Runs the study in several processes and reports their results. Returns false if one ended abnormally.
bool work_beside(const StudyArguments& arguments, const Standing& standing) {
  std::vector<std::string> words = {"--batch", "study", standing.study.file.string(), "--out",
                                    standing.folder.string()};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  for (const std::string& preset : arguments.presets) add("--preset", preset);
  for (const std::string& one : arguments.set) add("--set", one);
  add("--part", arguments.part);
  add("--data", arguments.data);
  add("--device", arguments.device);
  add("--grace", fmt::format("{}", arguments.grace));
  if (arguments.hours > 0) add("--max-hours", fmt::format("{}", arguments.hours));
  if (arguments.retry) words.emplace_back("--retry");
  ProgressPrinter printer = stderr_printer();
  StudyProcesses processes(words, static_cast<int>(arguments.jobs), workers_folder(standing.folder));
  printer.line(fmt::format("{} processes work; their output is in {}", arguments.jobs,
                           workers_folder(standing.folder).string()));
  Claims claims(claims_folder(standing.folder), arguments.grace);
  std::vector<StudyState> known(standing.runs.size(), StudyState::open);
  while (processes.left() > 0 && keep_going()) {
    claims.scan();
    const std::vector<StudyStatus> status = study_status(standing.folder, standing.runs, claims);
    for (std::size_t k = 0; k < status.size(); ++k)
      if (std::exchange(known[k], status[k].state) != status[k].state)
        printer.line(fmt::format("{}: {}{}{}", standing.runs[k].name, study_state_name(status[k].state),
                                 status[k].text.empty() ? "" : ", ", status[k].text));
    for (int k = 0; k < 10 && keep_going() && processes.left() > 0; ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (!keep_going()) processes.stop(last_signal());
  while (processes.left() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (const std::string& trouble : processes.troubles()) printer.line(trouble);
  if (!keep_going()) throw Stopped();
  return processes.troubles().empty();
}

// Whether there are numbers to write, not only pictures.
bool has_numbers(const Figure& figure) {
  return std::any_of(figure.plots.begin(), figure.plots.end(), [](const Plot& plot) {
    return !plot.lines.empty() || !plot.bars.empty() || !plot.contours.empty() || !plot.scatters.empty();
  });
}

Result figures(const StudyArguments& arguments, const Standing& standing) {
  Result result;
  result.document = {{"study", standing.study.name}, {"figures", nlohmann::json::array()}};
  const StudyResults results =
      study_results(arguments.tasks, standing.study, standing.runs, standing.folder, study_options(arguments));
  const fs::path folder = standing.folder / "figures";
  for (const StudyDrawing& drawing : draw_study(results, keep_going)) {
    fs::create_directories(folder);
    write_figure(folder / (drawing.name + ".svg"), drawing.figure);
    write_figure(folder / (drawing.name + ".png"), drawing.figure);
    if (has_numbers(drawing.figure)) write_figure(folder / (drawing.name + ".csv"), drawing.figure);
    const std::string file = (folder / (drawing.name + ".svg")).string();
    result.document["figures"].push_back({{"name", drawing.name}, {"file", file}, {"notes", drawing.notes}});
    result.text += file + "\n";
    for (const std::string& note : drawing.notes) result.text += "  " + note + "\n";
  }
  return result;
}

Result study(StudyArguments arguments) {
  if (arguments.study == "list") return list_studies();
  if (arguments.plan && arguments.figures) fail_usage("--plan and --figures answer different questions; give one");
  if (arguments.hours_given && !(arguments.hours > 0 && arguments.hours <= 1e6))
    fail_usage("--max-hours {} is no time from above 0 to 1,000,000 hours", arguments.hours);
  if (!(arguments.grace >= 1 && arguments.grace <= 86400))
    fail_usage("--grace {} is no time from 1 to 86,400 seconds", arguments.grace);
  WorkOptions options;
  read_part(arguments.part, options);
  options.grace = arguments.grace;
  options.seconds = 3600 * arguments.hours;
  options.retry = arguments.retry;
  const Standing standing = standing_of(arguments);
  if (arguments.plan) return plan(arguments, standing);
  if (arguments.figures) return figures(arguments, standing);
  const SavesOnSignal saves;
  if (!keep_going()) throw Stopped();
  make_folder(standing.folder, standing.study);
  const Presence presence(workers_folder(standing.folder));
  look_over(arguments.tasks, standing.folder, standing.runs);
  bool troubled = false;
  try {
    if (arguments.jobs > 1)
      troubled = !work_beside(arguments, standing);
    else
      work_here(arguments, standing, options);
  } catch (const Stopped&) {
    print("what was begun is saved: the same command resumes it\n");
    throw;
  }
  return report(arguments, standing, troubled);
}

}  // namespace

Action add_study(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<StudyArguments>();
  arguments->tasks = tasks;
  app.add_option("STUDY", arguments->study,
                 "A study file, or the name of one that comes with the program; list names them")
      ->required();
  app.add_option("--out", arguments->out, "Folder of the study's runs (default: runs/NAME)")->type_name("DIR");
  app.add_option("--preset", arguments->presets, "Run it at this preset in place of its own: quick, small or paper")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--set", arguments->set, "A setting for every run that reads it, over what the file sets or varies")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--jobs", arguments->jobs, "Processes that work at once, each on its share of the cores")
      ->type_name("K")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--part", arguments->part,
                 "Do this part of the runs alone, for example 2/8; array: the part of this task of a Slurm job array")
      ->type_name("I/M");
  app.add_option("--max-hours", arguments->hours, "Save and exit after so many hours; the same command resumes")
      ->type_name("H");
  app.add_option("--grace", arguments->grace,
                 "Take a run over from a worker of another machine that was silent for so many seconds")
      ->type_name("S")
      ->capture_default_str();
  app.add_flag("--retry", arguments->retry, "Try runs that failed again");
  app.add_flag("--plan", arguments->plan, "Train nothing: print each run's cost, time and disk, and what it shares");
  app.add_flag("--figures", arguments->figures, "Train nothing: draw the study's figures from the runs that are done");
  app.add_option("--data", arguments->data, "Folder of real data (default: $PAIRS_DATA)")->type_name("DIR");
  app.add_option("--device", arguments->device, "auto, cpu or cuda (default: auto)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  add_allow_option(app, arguments->allow);
  app.footer(
      R"(Examples:
  pairs --batch study list
  pairs --batch study gaussian-exact --plan
  pairs --batch study gaussian-exact --jobs 2
  pairs --batch study gaussian-exact --figures
  pairs --batch study my-study.toml --part 1/4 --max-hours 7.5
A study is a list of runs, tasks x strategies x seeds x settings, in one file. The command does what is missing of
it, alongside any number of other processes and machines that share its folder: each run is done once. Stopped or
killed, it goes on from the last checkpoint. Runs that share a stage share it.)");
  return [arguments, &app] {
    arguments->hours_given = app.count("--max-hours") > 0;
    return study(*arguments);
  };
}

}  // namespace pairs::batch
