#include "tasks/own/task_file.h"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "core/base/error.h"
#include "core/base/fields.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/base/toml_guard.h"
#include "tasks/own/x_kind.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1u << 20;
constexpr std::int64_t kMostNumbers = 1 << 24;  // of one observation
constexpr std::size_t kMostParameters = 256;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// What copies add behind the text.
constexpr std::string_view kRecordedHead = "\n# Recorded with the run.\n[recorded]\n";

std::string double_toml(double value) {
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

// One table of the file: every key is taken once, and what was not taken is unknown.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string name, const std::string& where)
      : table_(table), name_(std::move(name)), where_(where) {}

  const toml::node* find(const char* key) {
    known_.emplace_back(key);
    return table_.get(key);
  }

  [[noreturn]] void refuse(const toml::node& node, const std::string& what) const {
    fail_usage("{}, line {}: {}", where_, node.source().begin.line, what);
  }
  [[noreturn]] void refuse_table(const std::string& what) const { refuse(table_, what); }

  std::optional<std::string> text(const char* key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const auto value = node->value_exact<std::string>();
    if (!value) refuse(*node, fmt::format("'{}' must be a text in quotes", full(key)));
    return *value;
  }
  std::string text_or(const char* key, const std::string& other) { return text(key).value_or(other); }
  std::string needed_text(const char* key) {
    const auto value = text(key);
    if (!value || value->empty()) refuse_table(fmt::format("'{}' is missing; add it as a text in quotes", full(key)));
    return *value;
  }

  std::optional<double> number(const char* key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    return number_of(*node, key);
  }
  std::optional<std::int64_t> whole(const char* key, std::int64_t low, std::int64_t high) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < low || *value > high)
      refuse(*node, fmt::format("'{}' must be a whole number from {} to {}", full(key), low, high));
    return *value;
  }

  // [low, high], low below high; either may be infinite where `ends` says so.
  std::optional<std::pair<double, double>> interval(const char* key, bool infinite) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const toml::array* list = node->as_array();
    if (!list || list->size() != 2) refuse(*node, fmt::format("'{}' must be two numbers, [low, high]", full(key)));
    const double low = number_of(*list->get(0), key), high = number_of(*list->get(1), key);
    if (!(low < high) || (!infinite && !(std::isfinite(low) && std::isfinite(high))))
      refuse(*node, fmt::format("'{}' must be two {}numbers, of which the first is the lower", full(key),
                                infinite ? "" : "finite "));
    return std::pair(low, high);
  }

  std::optional<std::vector<std::string>> texts(const char* key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const toml::array* list = node->as_array();
    std::vector<std::string> values;
    if (list)
      for (const toml::node& element : *list)
        if (const auto value = element.value_exact<std::string>()) values.push_back(*value);
    if (!list || list->empty() || values.size() != list->size())
      refuse(*node, fmt::format("'{}' must be a list of texts in quotes, at least one", full(key)));
    return values;
  }
  std::optional<std::vector<std::int64_t>> wholes(const char* key) {
    const toml::node* node = find(key);
    if (!node) return std::nullopt;
    const toml::array* list = node->as_array();
    std::vector<std::int64_t> values;
    if (list)
      for (const toml::node& element : *list)
        if (const auto value = element.value_exact<std::int64_t>(); value && *value >= 1) values.push_back(*value);
    if (!list || list->empty() || values.size() != list->size())
      refuse(*node, fmt::format("'{}' must be a list of whole numbers above 0", full(key)));
    return values;
  }

  // Refuses keys that nobody asked for.
  void finish() const {
    for (const auto& [key, node] : table_) {
      const std::string word(key.str());
      if (std::find(known_.begin(), known_.end(), word) != known_.end()) continue;
      const std::string near = nearest(word, known_);
      refuse(node, fmt::format("unknown key '{}'; {}", printable(full(word)),
                               near.empty() ? fmt::format("known are {}", fmt::join(known_, ", "))
                                            : fmt::format("did you mean '{}'?", near)));
    }
  }

  std::string full(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }

 private:
  double number_of(const toml::node& node, const char* key) const {
    std::optional<double> value = node.value_exact<double>();
    if (const auto whole = node.value_exact<std::int64_t>()) value = static_cast<double>(*whole);
    if (!value || std::isnan(*value)) refuse(node, fmt::format("'{}' must be a number", full(key)));
    return *value;
  }

  const toml::table& table_;
  std::string name_;
  const std::string& where_;
  std::vector<std::string> known_;
};

bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

const toml::table* table_of(TableReader& top, const char* key) {
  const toml::node* node = top.find(key);
  if (!node) return nullptr;
  if (!node->is_table()) top.refuse(*node, fmt::format("'{0}' must be a table: write [{0}] and its keys below", key));
  return node->as_table();
}

std::vector<const toml::table*> tables_of(TableReader& top, const char* key) {
  const toml::node* node = top.find(key);
  std::vector<const toml::table*> tables;
  if (!node) return tables;
  const toml::array* list = node->as_array();
  if (list)
    for (const toml::node& element : *list)
      if (element.is_table()) tables.push_back(element.as_table());
  if (!list || tables.size() != list->size())
    top.refuse(*node, fmt::format("'{0}' must be tables: write [[{0}]] and its keys below, once for each", key));
  if (tables.size() > kMostParameters)
    top.refuse(*node, fmt::format("there are {} {}; at most {} can be learnt", tables.size(), key, kMostParameters));
  return tables;
}

// A name for files and command lines that no other quantity has.
std::string quantity_name(TableReader& table, std::vector<std::string>& taken) {
  std::string name = table.needed_text("name");
  if (!is_word(name, "_-"))
    table.refuse_table(
        fmt::format("'{}' must hold letters, digits, _ and - alone, not '{}'; words for people go into 'label' and "
                    "'meaning'",
                    table.full("name"), printable(name)));
  if (std::find(taken.begin(), taken.end(), name) != taken.end())
    table.refuse_table(fmt::format("the name '{}' stands there twice; rename one", name));
  taken.push_back(name);
  return name;
}

void read_target(const toml::table& source, const std::string& where, std::vector<std::string>& names, TaskFile& task) {
  TableReader table(source, "targets", where);
  Target target;
  target.name = quantity_name(table, names);
  target.label = table.text_or("label", target.name);
  target.unit = table.text_or("unit", "");
  target.meaning = table.text_or("meaning", "");
  if (target.meaning == target.label) target.meaning.clear();
  const auto support = table.interval("support", true);
  if (!support)
    table.refuse_table(
        "'targets.support' is missing; write support = [low, high], with -inf or inf where it has no end");
  target.low = support->first;
  target.high = support->second;
  const auto view = table.interval("view", false);
  const auto location = table.number("location"), scale = table.number("scale"), range = table.number("range");
  if ((scale && !(*scale > 0 && std::isfinite(*scale))) || (range && !(*range > 0 && std::isfinite(*range))))
    table.refuse_table("'targets.scale' and 'targets.range' must be above 0 and finite");
  if (location && !std::isfinite(*location)) table.refuse_table("'targets.location' must be finite");
  target.location = location.value_or(kUnknown);
  target.scale = scale.value_or(kUnknown);
  target.range = range.value_or(kUnknown);
  target.view_low = view ? view->first : kUnknown;
  target.view_high = view ? view->second : kUnknown;
  task.given_location.push_back(location.has_value());
  task.given_scale.push_back(scale.has_value());
  task.given_range.push_back(range.has_value());
  task.given_view.push_back(view.has_value());
  table.finish();
  task.info.targets.push_back(std::move(target));
}

void read_nuisance(const toml::table& source, const std::string& where, std::vector<std::string>& names,
                   TaskFile& task) {
  TableReader table(source, "nuisances", where);
  Nuisance nuisance;
  nuisance.name = quantity_name(table, names);
  nuisance.label = table.text_or("label", nuisance.name);
  nuisance.unit = table.text_or("unit", "");
  nuisance.meaning = table.text_or("meaning", "");
  if (nuisance.meaning == nuisance.label) nuisance.meaning.clear();
  const auto support = table.interval("support", true).value_or(std::pair(-kInfinite, kInfinite));
  const auto view = table.interval("view", false);
  nuisance.view_low = view ? view->first : kUnknown;
  nuisance.view_high = view ? view->second : kUnknown;
  if (const auto column = table.text("column")) {
    const auto& columns = task.info.observation_columns;
    const auto at = std::find(columns.begin(), columns.end(), *column);
    if (at == columns.end() || x_kind(task.info).ragged)
      table.refuse_table(fmt::format("'nuisances.column' names '{}', which is none of x.columns", printable(*column)));
    nuisance.column = at - columns.begin();
  }
  task.nuisance_low.push_back(support.first);
  task.nuisance_high.push_back(support.second);
  task.given_nuisance_view.push_back(view.has_value());
  table.finish();
  task.info.nuisances.push_back(std::move(nuisance));
}

void read_x(const toml::table& source, const std::string& where, TaskInfo& info) {
  TableReader table(source, "x", where);
  const auto columns = table.texts("columns"), rows = table.texts("rows");
  const auto shape = table.wholes("shape");
  const auto typical = table.number("typical");
  info.x_text = table.text_or("text", "");
  table.finish();
  if (int{columns.has_value()} + int{rows.has_value()} + int{shape.has_value()} != 1)
    table.refuse_table(
        "[x] must hold exactly one of columns = [names], shape = [channels, height, width] or [numbers], and rows = "
        "[names]");
  if (typical && !rows) table.refuse_table("'x.typical' belongs to ragged rows; remove it, or write rows = [names]");
  if (const auto& names = columns ? columns : rows) {
    for (const std::string& name : *names)
      if (!is_word(name, "_-") || std::count(names->begin(), names->end(), name) > 1)
        table.refuse_table(
            fmt::format("the column '{}' of [x] must be a word of letters, digits, _ and -, and stand "
                        "there once",
                        printable(name)));
    info.observation_columns = *names;
    info.observation_shape = {static_cast<std::int64_t>(names->size())};
    info.kind = ObservationKind::points;
    if (rows) {
      info.kind = ObservationKind::rows;
      if (!typical || !(*typical > 0 && *typical <= 1e9))
        table.refuse_table("'x.typical' is missing: how many rows a typical observation has, above 0");
      info.rows = *typical;
    }
    return;
  }
  double numbers = 1;
  for (const std::int64_t n : *shape) numbers *= static_cast<double>(n);
  if ((shape->size() != 1 && shape->size() != 3) || numbers > static_cast<double>(kMostNumbers))
    table.refuse_table(
        fmt::format("'x.shape' must be [numbers] or [channels, height, width], of at most {} numbers", kMostNumbers));
  info.observation_shape = *shape;
  info.kind = ObservationKind::image;
  if (shape->size() == 3) return;
  info.kind = ObservationKind::points;
  for (std::int64_t k = 1; k <= shape->front(); ++k)
    info.observation_columns.push_back(shape->front() == 1 ? "x" : fmt::format("x{}", k));
}

SimulatorProgram read_simulator(const toml::table& source, const std::string& where) {
  TableReader table(source, "simulator", where);
  SimulatorProgram program;
  const auto command = table.texts("command");
  if (!command) table.refuse_table("'simulator.command' is missing; write command = [\"python3\", \"simulate.py\"]");
  program.command = *command;
  for (const std::string& word : program.command)
    if (word.find('\0') != word.npos) table.refuse_table("'simulator.command' holds a zero byte; remove it");
  if (program.command.front().empty()) table.refuse_table("'simulator.command' begins with an empty word");
  program.workers = table.whole("workers", 0, 1024).value_or(0);
  program.timeout = table.number("timeout").value_or(program.timeout);
  if (!(program.timeout >= 0.1 && program.timeout <= 1e6))
    table.refuse_table("'simulator.timeout' must be 0.1 to 1000000 seconds");
  table.finish();
  return program;
}

SimulationFiles read_simulations(const toml::table& source, const std::string& where) {
  TableReader table(source, "simulations", where);
  SimulationFiles files;
  const auto names = table.texts("files");
  if (!names || names->empty())
    table.refuse_table("'simulations.files' is missing; write files = [\"simulations.npz\"]");
  files.files = *names;
  files.theta = table.text_or("theta", files.theta);
  files.psi = table.text_or("psi", files.psi);
  files.x = table.text_or("x", files.x);
  files.offsets = table.text_or("offsets", files.offsets);
  files.row_offsets = table.text_or("row_offsets", files.row_offsets);
  table.finish();
  return files;
}

// The table that copies add: where the file stood, and what was measured.
std::vector<Measured> read_recorded(const toml::table& source, const std::string& where, fs::path& origin) {
  TableReader table(source, "recorded", where);
  origin = table.needed_text("file");
  std::vector<Measured> all;
  for (const toml::table* one : tables_of(table, "measured")) {
    TableReader values(*one, "recorded.measured", where);
    Measured m;
    m.name = values.needed_text("name");
    m.location = values.number("location").value_or(kUnknown);
    m.scale = values.number("scale").value_or(kUnknown);
    m.range = values.number("range").value_or(kUnknown);
    const auto view = values.interval("view", false);
    if (!view || !std::isfinite(m.location) || !(m.scale > 0) || !(m.range > 0))
      values.refuse_table("what was measured of the prior is damaged; restore the file");
    m.view_low = view->first;
    m.view_high = view->second;
    values.finish();
    all.push_back(m);
  }
  table.finish();
  return all;
}

std::string support_text(const Target& target) {
  if (std::isfinite(target.low) && std::isfinite(target.high))
    return fmt::format("between {} and {}", target.low, target.high);
  if (std::isfinite(target.low)) return fmt::format("from {} on", target.low);
  if (std::isfinite(target.high)) return fmt::format("up to {}", target.high);
  return "without ends";
}

// "the signal fraction", "the lifetime τ in ns"; of one without a meaning its label. `symbol`: of all of its kind.
std::string words_of(const std::string& label, const std::string& meaning, const std::string& unit,
                     const char* symbol) {
  std::string words = meaning.empty() ? label : "the " + meaning + (label == symbol ? "" : " " + label);
  return unit.empty() ? words : words + " in " + unit;
}

// What the window says where the file does not.
void describe(TaskInfo& info, const std::optional<std::string>& one, const std::optional<std::string>& many) {
  std::vector<std::string> targets, nuisances, labels;
  for (const Target& t : info.targets) {
    targets.push_back(fmt::format("{} ({})", words_of(t.label, t.meaning, t.unit, "θ"), support_text(t)));
    labels.push_back(t.label);
  }
  for (const Nuisance& n : info.nuisances) nuisances.push_back(words_of(n.label, n.meaning, n.unit, "ψ"));
  info.theta_text = fmt::format("θ is {}.", fmt::join(targets, ", "));
  info.psi_text = nuisances.empty() ? "There is no nuisance parameter."
                                    : fmt::format("ψ is {}, unknown and shared by a set.", fmt::join(nuisances, ", "));
  if (info.x_text.empty()) info.x_text = x_kind(info).text(info);
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
  return false;
}

TaskFile parse_task(std::string_view all, const fs::path& file) {
  const std::string where = printable(file.string(), 300);
  TaskFile task;
  task.file = fs::absolute(file).lexically_normal();
  task.origin = task.file;
  const std::size_t recorded_at = all.find(kRecordedHead);
  task.text = std::string(all.substr(0, recorded_at));
  check_toml_guard(all, where);
  toml::table root;
  try {
    root = toml::parse(all);
  } catch (const toml::parse_error& error) {
    fail_usage("{}, line {}: this is not TOML ({}); mend that line", where, error.source().begin.line,
               printable(error.description(), 200));
  }

  TableReader top(root, "", where);
  TaskInfo& info = task.info;
  info.file = task.file.string();
  info.name = top.needed_text("name");
  if (!is_word(info.name, "-") || info.name.front() == '-' ||
      std::any_of(info.name.begin(), info.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
    top.refuse_table(
        fmt::format("'name' must hold lower-case letters, digits and hyphens alone, not '{}'", printable(info.name)));
  info.title = top.text_or("title", info.name);
  info.summary = top.text_or("summary", "");
  const auto max_n = top.whole("max_n", 2, 1000000000);
  if (!max_n) top.refuse_table("'max_n' is missing: the largest number of observations in a set, 2 or more");
  info.max_n = *max_n;
  const auto many = top.text("question"), one = top.text("question_one");
  if (many && many->find("{}") == std::string::npos)
    top.refuse_table("'question' must hold {} where the number of observations stands");
  info.data_source = "simulated";

  const toml::table* x = table_of(top, "x");
  if (!x) top.refuse_table("the table [x] is missing: what an observation is, columns = [names] for example");
  read_x(*x, where, info);
  std::vector<std::string> names;
  for (const toml::table* target : tables_of(top, "targets")) read_target(*target, where, names, task);
  if (info.targets.empty()) top.refuse_table("there is no [[targets]]: name at least one quantity to be learnt");
  for (const toml::table* nuisance : tables_of(top, "nuisances")) read_nuisance(*nuisance, where, names, task);

  const toml::table *program = table_of(top, "simulator"), *files = table_of(top, "simulations");
  if (!program == !files)
    top.refuse_table(program ? "[simulator] and [simulations] both stand there; keep one"
                             : "where simulations come from is missing: add [simulator] with a command, or "
                               "[simulations] with files");
  if (program) task.simulator = read_simulator(*program, where);
  if (files) task.simulations = read_simulations(*files, where);

  std::vector<Measured> measured;
  if (recorded_at != std::string_view::npos) {
    const toml::table* recorded = table_of(top, "recorded");
    if (!recorded) top.refuse_table("the table [recorded] is damaged; restore the file");
    measured = read_recorded(*recorded, where, task.origin);
  }
  top.finish();
  describe(info, one, many);

  // Bounded supports tell the rest.
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

TaskFile read_task_file(const fs::path& named) {
  std::error_code error;
  const fs::path file = fs::is_directory(named, error) ? named / "task.toml" : named;
  if (!fs::exists(file, error))
    fail_usage("There is no file {}; name a task.toml, or a folder that holds one", printable(file.string(), 300));
  return parse_task(read_file(file, kMostBytes), file);
}

void complete(TaskFile& task, const std::vector<Measured>& measured) {
  const auto of = [&](const std::string& name) -> const Measured& {
    for (const Measured& m : measured)
      if (m.name == name) return m;
    fail("{}: nothing was measured of '{}'; restore the file", printable(task.file.string(), 300), name);
  };
  for (std::size_t k = 0; k < task.info.targets.size(); ++k) {
    Target& t = task.info.targets[k];
    const Measured& m = of(t.name);
    if (std::isnan(t.location)) t.location = m.location;
    if (std::isnan(t.scale)) t.scale = m.scale;
    if (std::isnan(t.range)) t.range = m.range;
    if (std::isnan(t.view_low)) t.view_low = m.view_low, t.view_high = m.view_high;
  }
  for (Nuisance& n : task.info.nuisances) {
    const Measured& m = of(n.name);
    if (std::isnan(n.view_low)) n.view_low = m.view_low, n.view_high = m.view_high;
  }
}

std::vector<Measured> measured_of(const TaskFile& task) {
  std::vector<Measured> all;
  for (const Target& t : task.info.targets)
    all.push_back({t.name, t.location, t.scale, t.range, t.view_low, t.view_high});
  for (const Nuisance& n : task.info.nuisances)
    all.push_back({n.name, (n.view_low + n.view_high) / 2, n.view_high - n.view_low, n.view_high - n.view_low,
                   n.view_low, n.view_high});
  return all;
}

std::string copy_text(const TaskFile& task) {
  std::string out = task.text;
  if (out.empty() || out.back() != '\n') out += '\n';
  out += kRecordedHead;
  out += fmt::format("file = {}\n", [&] {
    std::string text = "\"";
    for (const char c : task.origin.string()) {
      if (c == '"' || c == '\\')
        text += {'\\', c};
      else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        text += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
      else
        text += c;
    }
    return text + '"';
  }());
  for (const Measured& m : measured_of(task))
    out += fmt::format("[[recorded.measured]]\nname = \"{}\"\nlocation = {}\nscale = {}\nrange = {}\nview = [{}, {}]\n",
                       m.name, double_toml(m.location), double_toml(m.scale), double_toml(m.range),
                       double_toml(m.view_low), double_toml(m.view_high));
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

std::string command_text(const SimulatorProgram& program) {
  std::vector<std::string> words;
  for (const std::string& word : program.command) words.push_back(printable(shell_word(word), 500));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace pairs::own
