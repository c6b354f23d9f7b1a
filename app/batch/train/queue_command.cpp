#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <memory>

#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/batch/parts/exit_on_signal.h"
#include "app/batch/parts/progress.h"
#include "app/desktop/notification.h"
#include "app/queue/queue_end.h"
#include "app/queue/queue_progress.h"
#include "app/queue/queue_worker.h"
#include "app/text/table.h"
#include "core/base/fields/fields.h"
#include "core/base/system/presence.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"

namespace pairs::batch {
namespace {

namespace fs = std::filesystem;

struct QueueArguments {
  Catalog tasks;
  std::string action = "list", runs = "runs", data;
  bool runs_given = false;
  std::vector<std::string> words;  // behind the action
  std::int64_t jobs = 1;
  bool notify = false, of_window = false;
};

// An action with how many words it takes behind it.
struct QueueAction {
  const char* name;
  std::size_t least, most;
  const char* words;  // what they are
};
constexpr std::size_t kAnyNumber = 1000000;
constexpr QueueAction kQueueActions[] = {{"list", 0, 0, ""},
                                         {"add", 1, kAnyNumber, "FOLDER..."},
                                         {"move", 2, 2, "FOLDER PLACE"},
                                         {"remove", 1, kAnyNumber, "FOLDER..."},
                                         {"pause", 0, 0, ""},
                                         {"resume", 0, 0, ""},
                                         {"work", 0, 0, ""}};

void check_action(const QueueArguments& arguments) {
  std::vector<std::string> names;
  for (const QueueAction& one : kQueueActions) {
    names.emplace_back(one.name);
    if (arguments.action != one.name) continue;
    if (arguments.words.size() >= one.least && arguments.words.size() <= one.most) return;
    fail_usage("pairs --batch queue {0} takes {1}: write pairs --batch queue {0}{2}{3}", one.name,
               one.least == 0  ? "nothing behind it"
               : one.most == 2 ? "a folder and the place that it shall have"
                               : "one folder or more",
               one.least == 0 ? "" : " ", one.words);
  }
  const std::string near = nearest(arguments.action, names);
  fail_usage("The queue has no action {}{}; pairs --batch queue --help lists them", printable(arguments.action),
             near.empty() ? "" : fmt::format(" (did you mean {}?)", near));
}

// Whether the queue's folder of runs exists. Throws a usage error if it does not, except for `list` with the default
// folder.
bool has_runs(const QueueArguments& arguments) {
  std::error_code error;
  const fs::path runs = arguments.runs;
  const std::string name = printable(runs.string(), 300);
  if (fs::is_directory(runs, error)) return true;
  if (fs::exists(runs, error)) fail_usage("{} is no folder; name the folder of runs with --runs", name);
  if (!arguments.runs_given && arguments.action == "list") return false;
  fail_usage("There is no folder {}; name the folder of runs with --runs", name);
}

// The item of a folder, or of a name in the list. Throws a usage error if there is none, or several.
QueueItem queued(const QueueView& view, const std::string& folder) {
  if (const QueueItem* item = view.find(folder)) return *item;
  const auto named = [&](const QueueItem& item) { return item.name() == folder; };
  const auto count = std::ranges::count_if(view.items, named);
  if (count == 1) return *std::ranges::find_if(view.items, named);
  if (count > 1) fail_usage("{} items of the queue are called {}; give the folder", count, printable(folder, 300));
  fail_usage("{} is not in the queue; pairs --batch queue lists what is", printable(folder, 300));
}

nlohmann::json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json item_document(const QueueItem& item, const QueueProgress& progress) {
  nlohmann::json line = {{"name", item.name()},
                         {"kind", item.kind == QueueKind::run ? "run" : "study"},
                         {"folder", item.folder.string()},
                         {"state", queue_state_name(item.state)},
                         {"seconds_left", number_or_null(progress.left)}};
  if (!item.called.empty()) line["called"] = item.called;
  if (!progress.text.empty()) line["progress"] = progress.text;
  if (!item.in_use.empty()) line["in_use"] = item.in_use;
  if (!item.reason.empty()) line["reason"] = item.reason;
  return line;
}

std::string state_text(const QueueItem& item) {
  const std::string state = queue_state_name(item.state);
  return item.in_use.empty() ? state : fmt::format("{}, in use by {}", state, item.in_use);
}

Result list(const QueueArguments& arguments, const QueueView& view) {
  const std::int64_t now = std::time(nullptr);
  const std::vector<QueueProgress> progress = queue_progress(arguments.tasks, view, static_cast<double>(now));
  const QueueTime left = time_left(view, progress);
  Result result;
  result.document = {{"queue", Queue(arguments.runs).runs().string()},
                     {"paused", view.paused},
                     {"working", view.working},
                     {"left", view.left()},
                     {"seconds_left", number_or_null(left.whole ? left.seconds : NAN)},
                     {"least_seconds_left", number_or_null(left.seconds)},
                     {"measured", left.measured},
                     {"items", nlohmann::json::array()}};
  const bool ends = left.whole && !view.paused && std::isfinite(left.seconds);
  result.document["end"] = ends ? nlohmann::json(now + std::llround(left.seconds)) : nlohmann::json(nullptr);
  Table table({{"place"}, {"name", false}, {"kind", false}, {"state", false}, {"done", false}, {"time left"}});
  std::string reasons;
  for (std::size_t k = 0; k < view.items.size(); ++k) {
    const QueueItem& item = view.items[k];
    result.document["items"].push_back(item_document(item, progress[k]));
    const bool failed = item.state == QueueState::failed;
    table.add({std::to_string(k + 1), printable(item.name(), 120), item.kind == QueueKind::run ? "run" : "study",
               state_text(item), progress[k].text.empty() ? "–" : progress[k].text,
               failed ? "–" : duration_text(progress[k].left)});
    if (failed) reasons += fmt::format("{} failed: {}\n", printable(item.name(), 120), item.reason);
  }
  if (!view.items.empty()) result.text = table.text() + "\n" + reasons;
  result.text += queue_line(view, left, now) + "\n";
  return result;
}

void add(const QueueArguments& arguments, const Queue& queue) {
  ProgressPrinter printer = stderr_printer();
  std::vector<QueueItem> items;
  for (const std::string& folder : arguments.words) {
    QueueItem item = item_of(folder);
    if (const QueueItem* found = queue.read().find(item.folder); found && found->state != QueueState::failed)
      fail_usage("{} is in the queue already", printable(folder, 300));
    item.processes = arguments.jobs;
    item.data = arguments.data.empty() ? "" : fs::absolute(arguments.data).string();
    items.push_back(std::move(item));
  }
  for (QueueItem& item : items) {
    printer.line(fmt::format("measuring {}", item.name()));
    item.seconds = expected_seconds(arguments.tasks, item, [] { return !keep_going(); });
  }
  for (const QueueItem& item : items) queue.add(item);
}

void move(const QueueArguments& arguments, const Queue& queue) {
  const QueueItem item = queued(queue.read(), arguments.words[0]);
  const std::string& text = arguments.words[1];
  std::size_t place = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), place);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || place < 1)
    fail_usage("{} is no place in the queue; the first is 1", printable(text));
  queue.move(item.id, place - 1);
}

void remove(const QueueArguments& arguments, const Queue& queue) {
  const QueueView view = queue.read();
  std::vector<std::string> ids;
  for (const std::string& folder : arguments.words) ids.push_back(queued(view, folder).id);
  for (const std::string& id : ids) queue.remove(id);
}

Result work(const QueueArguments& arguments, const Queue& queue) {
  const SavesOnSignal saves;
  if (!keep_going()) throw Stopped();
  ProgressPrinter printer = stderr_printer();
  const QueueWorker::Outcome outcome = [&] {
    QueueWorker worker(queue, fs::read_symlink("/proc/self/exe"), arguments.of_window);
    return worker.work(keep_going, [&](const std::string& line) { printer.line(line); });
  }();
  if (outcome.end == QueueWorker::End::stopped) throw Stopped();
  const QueueView view = queue.read();
  std::vector<std::string> failed;
  for (const QueueItem& item : view.items)
    if (item.state == QueueState::failed) failed.push_back(printable(item.name(), 120));
  const std::string end = queue_end_text(outcome.done, failed);
  const bool ended = outcome.end == QueueWorker::End::empty && outcome.done + outcome.failed.size() > 0;
  if (arguments.notify && ended && processes_present(queue.windows()).empty()) notify_desktop("The queue is done", end);
  Result result = list(arguments, view);
  result.document["done"] = outcome.done;
  result.document["failed"] = failed;
  result.text = end + "\n" + result.text;
  if (!outcome.in_use.empty()) {
    result.document["in_use"] = outcome.in_use;
    result.text += fmt::format(
        "Trained by other processes, and left for later: {}. Once these have ended, pairs --batch queue work goes "
        "on.\n",
        fmt::join(outcome.in_use, ", "));
  }
  result.exit_code = failed.empty() && outcome.in_use.empty() ? 0 : 1;
  return result;
}

Result queue_command(const QueueArguments& arguments) {
  check_action(arguments);
  if (!has_runs(arguments)) return list(arguments, {});
  const Queue queue(arguments.runs);
  if (arguments.action == "work") return work(arguments, queue);
  if (arguments.action == "add") add(arguments, queue);
  if (arguments.action == "move") move(arguments, queue);
  if (arguments.action == "remove") remove(arguments, queue);
  if (arguments.action == "pause") queue.pause(true);
  if (arguments.action == "resume") queue.pause(false);
  return list(arguments, queue.read());
}

}  // namespace

Action add_queue(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<QueueArguments>();
  arguments->tasks = tasks;
  app.add_option("ACTION", arguments->action, "list, add, move, remove, pause, resume or work")->capture_default_str();
  app.add_option("WORDS", arguments->words,
                 "add, remove: folders of runs or studies; move: a folder and its new place, the first being 1");
  const CLI::Option* runs = app.add_option("--runs", arguments->runs, "The folder of runs whose queue it is")
                                ->type_name("DIR")
                                ->capture_default_str();
  app.add_option("--jobs", arguments->jobs, "add: processes at once for each study")
      ->type_name("K")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--data", arguments->data, "add: folder of real data of a study (default: $PAIRS_DATA)")
      ->type_name("DIR");
  app.add_flag("--notify", arguments->notify, "work: notify the desktop of the end where no window is open");
  app.add_flag("--of-window", arguments->of_window,
               "work: the window that this is started for ends it where it closes, unless it is to keep training")
      ->group("");  // the window's own
  app.footer(
      R"(Examples:
  pairs --batch queue add runs/begun
  pairs --batch queue
  pairs --batch queue move runs/begun 1
  pairs --batch queue pause
  pairs --batch queue resume
  pairs --batch queue work
What is trained one after the other in a folder of runs: runs that are not finished, and studies. It is the
queue that the window shows. work trains what waits and ends when nothing does; paused or stopped by a signal it
saves what is begun, and the next work goes on with it. One that fails is marked and stops no other; add it again
to try it again; one that another process trains is passed over until that has ended. Expected times are
measured when something is added, as if the machine did nothing else, and corrected by how fast the one at work
goes. The exit code of work is 1 where anything has failed or is left to another process.)");
  return [arguments, runs] {
    arguments->runs_given = runs->count() > 0;
    return queue_command(*arguments);
  };
}

}  // namespace pairs::batch
