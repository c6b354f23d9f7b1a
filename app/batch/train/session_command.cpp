#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/batch/parts/command.h"
#include "app/batch/parts/drive.h"
#include "app/posterior/question/set_arguments.h"
#include "app/runs/places.h"
#include "app/runs/task_words.h"
#include "app/session/session.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/eval/metrics/interval.h"
#include "core/report/number_text.h"

namespace pairs::batch {
namespace {

struct SessionArguments {
  Catalog tasks;
  std::string file, pack, data;
};

std::string size_words(std::int64_t n) {
  return n > 0 ? fmt::format(" --n {}", n) : "";
}

// The command that draws a set's posterior by a run; "" if there is none.
std::string posterior_command(const std::string& run, const SetChoice& set, std::int64_t n, bool many) {
  if (run.empty()) return "";
  if (many && set.member.empty())
    return fmt::format("pairs --batch infer {}{}{}", shell_word(run), set_arguments(set, SetCommand::infer),
                       size_words(n));
  return fmt::format("pairs --batch figure posterior {}{}{}", shell_word(run), set_arguments(set, SetCommand::figure),
                     size_words(n));
}

std::string set_text(const SavedSession& session) {
  const SetChoice& set = session.question.set;
  if (set.simulated())
    return fmt::format("set {} of the prior{}", set.index, set.theta.empty() ? "" : ", with values set by hand");
  std::string text = printable(set.file.string(), 300);
  if (session.question.many)
    text += set.group.empty() ? ", many sets" : fmt::format(", sets separated by {}", printable(set.group));
  if (!set.member.empty()) text += fmt::format(", set {}", printable(set.member));
  return text;
}

std::string session_lines(const SavedSession& session) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    std::string shown = value;
    for (std::size_t at = 0; (at = shown.find('\n', at)) != shown.npos; at += 13)
      shown.replace(at, 1, "\n            ");
    text += fmt::format("{:<11} {}\n", name, shown);
  };
  add("task", session.task);
  add("run", session.question.run);
  add("tab", session.tab);
  add("set", set_text(session));
  if (session.question.n > 0) add("N", count_text(session.question.n));
  if (session.question.set.random) add("drawn", fmt::format("at random, by seed {}", *session.question.set.random));
  add("conditions", session.question.set.given);
  if (session.question.interval != IntervalKind::central)
    add("intervals", std::string(interval_word(session.question.interval)));
  add("derived", fmt::format("{}", fmt::join(session.question.derived, "; ")));
  add("prior", session.question.prior);
  add("tests", fmt::format("{}", fmt::join(session.question.tests, ", ")));
  add("others", fmt::format("{}", fmt::join(session.question.others, ", ")));
  add("compared", fmt::format("{}", fmt::join(session.compared, ", ")));
  for (const PinnedQuestion& pin : session.question.pinned) add("pinned", pin.name);
  add("note", session.note);
  add("on the data", session.set_note);
  return text;
}

nlohmann::json session_document(const SavedSession& session) {
  nlohmann::json pinned = nlohmann::json::array();
  for (const PinnedQuestion& pin : session.question.pinned)
    pinned.push_back({{"name", pin.name},
                      {"run", pin.run},
                      {"n", pin.n},
                      {"command", posterior_command(pin.run, pin.set, pin.n, false)}});
  return {{"task", session.task},
          {"run", session.question.run},
          {"tab", session.tab},
          {"set", set_text(session)},
          {"n", session.question.n},
          {"derived", session.question.derived},
          {"prior", session.question.prior},
          {"tests", session.question.tests},
          {"others", session.question.others},
          {"compared", session.compared},
          {"pinned", pinned},
          {"note", session.note},
          {"set_note", session.set_note},
          {"command",
           posterior_command(session.question.run, session.question.set, session.question.n, session.question.many)}};
}

Result session(const SessionArguments& arguments) {
  const SavedSession session = read_session(arguments.file);
  const std::string data = data_folder(arguments.data);
  std::vector<std::string> problems = session_problems(session, arguments.tasks, data);
  for (std::string& problem : session_run_problems(session, arguments.tasks, data))
    problems.push_back(std::move(problem));
  if (!arguments.pack.empty()) {
    PAIRS_CHECK(problems.empty(), "{}; nothing was packed", problems.front());
    pack_session(session, arguments.pack);
  }
  Result result;
  result.document = session_document(session);
  result.document["problems"] = problems;
  result.text = session_lines(session);
  const std::string command = result.document["command"].get<std::string>();
  if (!command.empty()) result.text += "\n" + command + "\n";
  for (const std::string& problem : problems) result.text += fmt::format("problem: {}\n", problem);
  result.exit_code = problems.empty() ? 0 : 1;
  if (arguments.pack.empty()) return result;
  result.document["packed"] = arguments.pack;
  result.text += fmt::format("Packed: {}\n", arguments.pack);
  return result;
}

}  // namespace

Action add_session(CLI::App& app, const Catalog& tasks) {
  const auto arguments = std::make_shared<SessionArguments>();
  arguments->tasks = tasks;
  app.add_option("FILE", arguments->file, "A session that the window has saved (.pairs), or the folder of a packed one")
      ->required();
  app.add_option("--pack", arguments->pack,
                 "Writes the session with its runs and data into this new folder, which can be moved and sent")
      ->type_name("FOLDER");
  app.add_option("--data", arguments->data, "The folder of real data (default: $PAIRS_DATA)")->type_name("DIR");
  app.footer(
      "Prints what a session holds (what is open, pinned, compared and noted), the command that draws its posterior,\n"
      "and what is missing, another by now or cannot be opened: the exit code is 1 then. The window opens it by pairs "
      "--session FILE.\n"
      "A packed folder holds session.pairs, the runs without what only their training reads, and the data; whoever\n"
      "gets it sees the same numbers to the bit with the same program on the same kind of machine.\n"
      "Examples:\n"
      "  pairs --batch session work.pairs\n"
      "  pairs --batch session work.pairs --pack for-a-colleague");
  return [arguments] { return session(*arguments); };
}

}  // namespace pairs::batch
