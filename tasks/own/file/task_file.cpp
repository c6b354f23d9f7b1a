#include "tasks/own/file/task_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/base/fields/fields.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/prior_family.h"
#include "tasks/own/file/task_parts.h"
#include "tasks/own/file/task_programs.h"
#include "tasks/own/file/x_kind.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1u << 20;

SimulationFiles read_simulations(const toml::table& source, const std::string& where) {
  TableReader table(source, "simulations", where);
  SimulationFiles files;
  const auto names = table.texts("files");
  if (!names || names->empty())
    table.refuse_missing("files", "'simulations.files' is missing; write files = [\"simulations.npz\"]");
  for (const std::string& name : *names) files.files.push_back(with_home(name));
  files.theta = table.text_or("theta", files.theta);
  files.psi = table.text_or("psi", files.psi);
  files.given = table.text_or("given", files.given);
  files.x = table.text_or("x", files.x);
  files.offsets = table.text_or("offsets", files.offsets);
  files.row_offsets = table.text_or("row_offsets", files.row_offsets);
  files.padding = table.text_or("padding", files.padding);
  if (!files.padding.empty() && files.padding != "nan")
    table.refuse(
        *source.get("padding"),
        "'simulations.padding' fills up sets with something other than NaN; write padding = \"nan\", or leave it out");
  table.finish();
  return files;
}

std::string support_text(const Target& target) {
  if (target.periodic) return fmt::format("from {} to {}, whose ends are the same", target.low, target.high);
  if (std::isfinite(target.low) && std::isfinite(target.high))
    return fmt::format("between {} and {}", target.low, target.high);
  if (std::isfinite(target.low)) return fmt::format("from {} on", target.low);
  if (std::isfinite(target.high)) return fmt::format("up to {}", target.high);
  return "without ends";
}

// "the signal fraction", "the lifetime τ in ns"; its label if it has no meaning. `symbol`: the common symbol of its
// kind.
std::string words_of(const std::string& label, const std::string& meaning, const std::string& unit,
                     const char* symbol) {
  std::string words = meaning.empty() ? label : "the " + meaning + (label == symbol ? "" : " " + label);
  return unit.empty() ? words : words + " in " + unit;
}

// Appends the units to the names of the columns: "voltage in mV".
TaskInfo named_with_units(TaskInfo info, const std::vector<FileColumn>& columns) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (!columns[k].unit.empty()) info.observation_columns[k] += " in " + columns[k].unit;
  return info;
}

// Texts for the window if the file gives none.
void describe(TaskInfo& info, const std::vector<FileColumn>& columns, const std::optional<std::string>& one,
              const std::optional<std::string>& many) {
  std::vector<std::string> targets, nuisances, labels;
  for (const Target& t : info.targets) {
    targets.push_back(
        fmt::format("{} ({})", words_of(t.label, t.meaning, t.unit, "θ"),
                    t.prior ? t.prior->text() + (t.periodic ? ", " + support_text(t) : "") : support_text(t)));
    labels.push_back(t.label);
  }
  for (const Nuisance& n : info.nuisances)
    nuisances.push_back(words_of(n.label, n.meaning, n.unit, "ψ") +
                        (n.prior ? " (" + n.prior->text() + ")" : std::string()));
  info.theta_text = fmt::format("θ is {}.", fmt::join(targets, ", "));
  info.psi_text = nuisances.empty() ? "There is no nuisance parameter."
                                    : fmt::format("ψ is {}, unknown and shared by a set.", fmt::join(nuisances, ", "));
  std::vector<std::string> known;
  for (const Given& one : info.given) known.push_back(one.label);
  if (!known.empty()) info.psi_text += fmt::format(" Given with a set: {}.", fmt::join(known, "; "));
  if (info.x_text.empty()) info.x_text = x_kind(info).text(named_with_units(info, columns));
  if (info.summary.empty()) info.summary = fmt::format("{} from sets of observations.", fmt::join(labels, ", "));
  info.question.one = one.value_or(fmt::format("Which {} lies behind this observation?", fmt::join(labels, ", ")));
  info.question.many =
      many.value_or(fmt::format("Which {} do these {{}} observations share?", fmt::join(labels, ", ")));
}

}  // namespace

bool TaskFile::incomplete() const {
  for (const Target& t : info.targets)
    if (std::isnan(t.location) || std::isnan(t.scale) || std::isnan(t.range) || std::isnan(t.view_low)) return true;
  for (const Nuisance& n : info.nuisances)
    if (std::isnan(n.view_low)) return true;
  return std::any_of(given_ranges.begin(), given_ranges.end(), [](const GivenRange& g) { return std::isnan(g.scale); });
}

bool TaskFile::unproved() const {
  const auto stated = [](const auto& one) { return one.prior != nullptr; };
  return origin == file && (std::any_of(info.targets.begin(), info.targets.end(), stated) ||
                            std::any_of(info.nuisances.begin(), info.nuisances.end(), stated));
}

TaskFile parse_task(std::string_view all, const fs::path& file) {
  const std::string where = printable(file.string(), 300);
  TaskFile task;
  task.file = fs::absolute(file).lexically_normal();
  task.origin = task.file;
  const std::size_t recorded_at = all.find(kRecordedHead);
  task.text = std::string(all.substr(0, recorded_at));
  const toml::table root = parse_toml(all, where);

  TableReader top(root, "", where);
  TaskInfo& info = task.info;
  info.file = task.file.string();
  info.name = top.needed_text("name");
  if (!is_word(info.name, "-") || info.name.front() == '-' ||
      std::any_of(info.name.begin(), info.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
    top.refuse_table(
        fmt::format("'name' must hold lower-case letters, digits and hyphens alone, not '{}'", printable(info.name)));
  check_length(top, "name", info.name);
  info.title = top.text_or("title", info.name);
  info.summary = top.text_or("summary", "");
  const auto max_n = top.whole("max_n", 2, 1000000000);
  if (!max_n) top.refuse_missing("max_n", "'max_n' is missing: the largest number of observations in a set, 2 or more");
  info.max_n = *max_n;
  const auto many = top.text("question"), one = top.text("question_one");
  if (many && many->find("{}") == std::string::npos)
    top.refuse_table("'question' must hold {} where the number of observations stands");
  info.data_source = "simulated";

  const toml::table* x = top.table("x");
  if (!x) top.refuse_missing("x", "the table [x] is missing: what an observation is, columns = [names] for example");
  read_x(*x, where, task);
  std::vector<std::string> names;
  for (const toml::table* target : quantities_of(top, "targets")) read_target(*target, where, names, task);
  if (info.targets.empty())
    top.refuse_missing("targets", "there is no [[targets]]: name at least one quantity to infer");
  for (const toml::table* nuisance : quantities_of(top, "nuisances")) read_nuisance(*nuisance, where, names, task);
  for (const toml::table* given : quantities_of(top, "conditions")) read_given(*given, where, names, task);

  const toml::table *program = top.table("simulator"), *files = top.table("simulations");
  if (!program == !files)
    top.refuse_table(program ? "[simulator] and [simulations] are both there; keep one"
                             : "where simulations come from is missing: add [simulator] with a command, or "
                               "[simulations] with files");
  if (program) task.simulator = read_simulator(*program, where);
  if (files) task.simulations = read_simulations(*files, where);
  if (files && !task.given.empty() && task.given_by_prior() == 0)
    top.refuse_table(
        "[[conditions]] states how a quantity is drawn, but stored simulations hold it with each set; leave that out");

  if (const toml::table* reference = top.table("reference")) {
    if (reference->contains("file"))
      task.reference_file = read_reference_file(*reference, where, task.info);
    else
      task.reference = read_reference(*reference, where, task);
  }
  if (const toml::table* sufficient = top.table("sufficient"))
    task.sufficient = read_sufficient(*sufficient, where, task);
  if (const toml::table* reader = top.table("reader")) task.reader = read_reader(*reader, where, task.info);

  std::vector<Measured> measured;
  if (recorded_at != std::string_view::npos) {
    const toml::table* recorded = top.table("recorded");
    if (!recorded) top.refuse_table("the table [recorded] is damaged; restore the file");
    measured = read_recorded(*recorded, where, task);
  }
  top.finish();
  describe(info, task.columns, one, many);

  // Bounded supports determine the rest.
  const bool box = std::all_of(info.targets.begin(), info.targets.end(),
                               [](const Target& t) { return std::isfinite(t.low) && std::isfinite(t.high); });
  for (Target& t : info.targets) {
    if (!std::isfinite(t.low) || !std::isfinite(t.high)) continue;
    const double width = t.high - t.low;
    if (std::isnan(t.location)) t.location = box ? t.low : (t.low + t.high) / 2;
    if (std::isnan(t.scale)) t.scale = box ? width : width / std::sqrt(12.0);
    if (std::isnan(t.range)) t.range = width;
    if (std::isnan(t.view_low)) t.view_low = t.low, t.view_high = t.high;
  }
  for (std::size_t k = 0; k < info.nuisances.size(); ++k)
    if (std::isnan(info.nuisances[k].view_low) && std::isfinite(task.nuisance_low[k]) &&
        std::isfinite(task.nuisance_high[k])) {
      info.nuisances[k].view_low = task.nuisance_low[k];
      info.nuisances[k].view_high = task.nuisance_high[k];
    }
  if (!measured.empty()) complete(task, measured);
  return task;
}

namespace {

// Updates the machine settings of a run's copy from the user's file, if that is otherwise the same.
void take_machine_lines(TaskFile& copy) {
  std::error_code error;
  if (!copy.simulator || copy.origin.empty() || copy.origin == copy.file || !fs::exists(copy.origin, error)) return;
  try {
    const TaskFile now = parse_task(read_file(copy.origin, kMostBytes), copy.origin);
    if (!now.simulator || !changed_line(agreed_text(copy, "\n"), agreed_text(now, "\n")).empty()) return;
    copy.simulator->workers = now.simulator->workers;
    copy.simulator->timeout = now.simulator->timeout;
  } catch (const Error&) {
    // A run needs only its copy.
  }
}

}  // namespace

TaskFile read_task_file(const fs::path& named) {
  std::error_code error;
  const fs::path file = fs::is_directory(named, error) ? named / "task.toml" : named;
  if (!fs::exists(file, error))
    fail_usage("There is no file {}; name a task.toml, or a folder that holds one", printable(file.string(), 300));
  TaskFile task = parse_task(read_file(file, kMostBytes), file);
  take_machine_lines(task);
  return task;
}

std::string agreed_text(const TaskFile& task, const char* instead) {
  std::string out;
  std::istringstream lines(task.text);
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::vector<std::int64_t> none, &own = task.simulator ? task.simulator->machine_lines : none;
    const std::size_t word = line.find_first_not_of(" \t");
    // An inline table has other keys on the same line, and all require permission.
    const bool machine = std::find(own.begin(), own.end(), number) != own.end() && word != line.npos &&
                         (line.compare(word, 7, "workers") == 0 || line.compare(word, 7, "timeout") == 0);
    out += machine ? instead : line + "\n";
  }
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

std::string changed_line(std::string_view before, std::string_view now) {
  struct Line {
    std::size_t number;
    std::string text;
  };
  const auto lines = [](std::string_view text) {
    std::vector<Line> all;
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      const std::size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
      if (first == line.npos || line[first] == '#') continue;
      all.push_back({number, std::string(line.substr(first, last - first + 1))});
    }
    return all;
  };
  const std::vector<Line> was = lines(before), is = lines(now);
  for (std::size_t k = 0; k < std::max(was.size(), is.size()); ++k) {
    if (k >= is.size()) return fmt::format("line {} was '{}' and is gone", was[k].number, printable(was[k].text, 200));
    if (k >= was.size()) return fmt::format("line {} is new: '{}'", is[k].number, printable(is[k].text, 200));
    if (was[k].text != is[k].text)
      return fmt::format("line {} was '{}' and is '{}'", is[k].number, printable(was[k].text, 200),
                         printable(is[k].text, 200));
  }
  return "";
}

}  // namespace pairs::own
