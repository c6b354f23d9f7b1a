#include "tasks/own/file/task_programs.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/system/xdg_folder.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/file/permission.h"
#include "tasks/own/file/x_kind.h"
#include "tasks/table_file.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

// Limits of a command, which is shown in full before it is permitted.
constexpr std::size_t kLongestWord = 500, kMostWords = 64;

// The words of `command` in a table of this name.
std::vector<std::string> read_command(TableReader& table, const char* name, const char* example) {
  std::vector<std::string> out;
  const auto command = table.texts("command");
  if (!command)
    table.refuse_missing("command", fmt::format("'{}.command' is missing; write command = {}", name, example));
  for (const std::string& word : *command) out.push_back(with_home(word));
  for (const std::string& word : out)
    if (word.find('\0') != word.npos)
      table.refuse_table(fmt::format("'{}.command' holds a zero byte; remove it", name));
  if (out.front().empty()) table.refuse_table(fmt::format("'{}.command' begins with an empty word", name));
  if (out.size() > kMostWords)
    table.refuse_table(
        fmt::format("'{}.command' has {} words; with at most {} it can be shown whole before it is "
                    "agreed to, so put the rest into a script",
                    name, out.size(), kMostWords));
  for (const std::string& word : out)
    if (const std::size_t shown = shell_word(word).size(); shown > kLongestWord)
      table.refuse_table(
          fmt::format("'{}.command' has a word of {} characters as it is shown; with at most {} it "
                      "can be shown whole before it is agreed to, so put it into a script",
                      name, shown, kLongestWord));
  return out;
}

// The file found for a word on the PATH, "" if there is none.
std::string on_path(const std::string& word) {
  const char* path = std::getenv("PATH");
  for (std::string_view left = path ? path : "/bin:/usr/bin"; !left.empty();) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const fs::path file = fs::path(left.substr(0, end)) / word;
    left.remove_prefix(std::min(end + 1, left.size()));
    std::error_code error;
    if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, error)) return file.string();
  }
  return "";
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The word, or the path of the file with that name in the folder.
std::string extra(const fs::path& folder, const std::string& word) {
  std::error_code error;
  const bool there = fs::path(word).is_relative() && fs::is_regular_file(folder / word, error);
  return there ? (folder / word).string() : word;
}

}  // namespace

std::string with_home(const std::string& word) {
  const fs::path home = word.starts_with("~/") ? home_folder() : fs::path();
  return home.empty() ? word : home.string() + word.substr(1);
}

SimulatorProgram read_simulator(const toml::table& source, const std::string& where) {
  TableReader table(source, "simulator", where);
  SimulatorProgram program;
  program.command = read_command(table, "simulator", "[\"python3\", \"simulate.py\"]");
  program.workers = table.whole("workers", 0, 1024).value_or(0);
  for (const char* key : {"workers", "timeout"})
    if (const toml::node* node = source.get(key)) program.machine_lines.push_back(node->source().begin.line);
  program.timeout = table.number("timeout").value_or(program.timeout);
  if (const std::optional<std::string> invalid = table.text("invalid")) {
    if (*invalid != "stop" && *invalid != "redraw")
      table.refuse_table(
          fmt::format("'simulator.invalid' is \"{}\"; it is \"stop\" (an observation with a number that is "
                      "not finite ends the run) or \"redraw\" (it is drawn again)",
                      printable(*invalid)));
    program.redraws = *invalid == "redraw";
  }
  if (!(program.timeout >= 0.1 && program.timeout <= 1e6))
    table.refuse_table("'simulator.timeout' must be 0.1 to 1000000 seconds");
  table.finish();
  return program;
}

std::vector<SufficientExpression> read_sufficient(const toml::table& source, const std::string& where,
                                                  const TaskFile& task) {
  TableReader table(source, "sufficient", where);
  const std::optional<std::vector<std::string>> texts = table.texts("statistics");
  table.finish();
  if (!texts)
    table.refuse_table("[sufficient] must hold statistics, expressions of the columns of x: statistics = [\"x^2\"]");
  if (!task.simulator)
    table.refuse_table("[sufficient] is looked at with sets that [simulator] makes, and there is none; take it out");
  const std::vector<std::string>& columns = task.info.observation_columns;
  if (task.info.rows > 0 || columns.empty())
    table.refuse_table("[sufficient] is computed from the columns of x, which [x] does not name; take it out");
  std::vector<SufficientExpression> all;
  for (const std::string& text : *texts) {
    try {
      all.push_back({text, Expression(text, columns)});
    } catch (const Error& error) {
      table.refuse_table(fmt::format("[sufficient]: {}", error.what()));
    }
  }
  return all;
}

ProgramReferenceSettings read_reference(const toml::table& source, const std::string& where, const TaskFile& task) {
  TableReader table(source, "reference", where);
  ProgramReferenceSettings reference;
  reference.normalized = table.flag("normalized").value_or(false);
  table.finish();
  if (!task.simulator)
    table.refuse_table("[reference] asks the program of [simulator], and there is none; take it out");
  if (task.info.targets.size() > 2)
    table.refuse_table(
        fmt::format("[reference] is made a density on a grid of one or two targets, and there are {}; take it out",
                    task.info.targets.size()));
  return reference;
}

ReferenceFileSettings read_reference_file(const toml::table& source, const std::string& where, const TaskInfo& info) {
  TableReader table(source, "reference", where);
  ReferenceFileSettings reference;
  reference.file = with_home(table.needed_text("file"));
  reference.normalized = table.flag("normalized").value_or(false);
  table.finish();
  if (info.targets.size() > 2)
    table.refuse_table(
        fmt::format("[reference] holds log densities on a grid of one or two targets, and there are {}; take it out",
                    info.targets.size()));
  return reference;
}

FileReaderProgram read_reader(const toml::table& source, const std::string& where, const TaskInfo& info) {
  TableReader table(source, "reader", where);
  FileReaderProgram reader;
  reader.command = read_command(table, "reader", "[\"python3\", \"read.py\"]");
  if (const auto endings = table.texts("endings")) reader.endings = *endings;
  for (std::string& ending : reader.endings) {
    if (ending.size() < 2 || ending.front() != '.')
      table.refuse_table(
          fmt::format("'reader.endings' must be endings such as \".root\", not '{}'", printable(ending)));
    ending = in_lower_case(std::move(ending));
  }
  table.finish();
  if (!x_kind(info).lines) table.refuse_table("[reader] reads tables of points, and x is none; take it out");
  return reader;
}

std::string reader_for(const TaskFile& task, const fs::path& file) {
  std::error_code error;
  if (!task.reader || fs::is_directory(file, error)) return "";
  const std::string ending = in_lower_case(file.extension().string());
  const std::vector<std::string>& named = task.reader->endings;
  const auto among = [&](const std::vector<std::string>& endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  if (named.empty() ? ending == ".csv" || ending == ".npz" || ending == ".npy" || among(table_endings())
                    : !among(named))
    return "";
  check_allowed(task);
  const fs::path folder = task.origin.parent_path();
  std::vector<std::string> words;
  for (const std::string& word : task.reader->command) words.push_back(shell_word(extra(folder, word)));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string command_text(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(printable(shell_word(word), kLongestWord));
  const std::string& first = command.front();
  std::string text = fmt::format("{}", fmt::join(words, " "));
  if (first.find('/') != first.npos) return text;
  const std::string found = on_path(first);
  return text + (found.empty() ? fmt::format(" ({} is not on the PATH)", words.front())
                               : fmt::format(" ({} is {})", words.front(), printable(found, 300)));
}

std::string command_text(const TaskFile& task) {
  std::string text = task.simulator ? command_text(task.simulator->command) : "";
  if (task.reader)
    text += fmt::format("{}{}, which reads files,", text.empty() ? "" : " and ", command_text(task.reader->command));
  return text;
}

}  // namespace pairs::own
