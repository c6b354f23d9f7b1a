#include "tasks/own/task_file.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <sstream>

#include "core/base/error.h"
#include "core/base/fields.h"
#include "core/base/files.h"
#include "core/base/table_reader.h"
#include "core/base/text.h"
#include "tasks/own/task_programs.h"
#include "tasks/own/x_kind.h"

namespace pairs::own {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1u << 20;
constexpr std::int64_t kMostNumbers = 1 << 22;  // of an image
constexpr std::int64_t kMostColumns = 4096;
constexpr std::size_t kMostParameters = 256;
constexpr std::size_t kLongestName = 64;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// What copies add behind the text.
constexpr std::string_view kRecordedHead = "\n# Recorded with the run.\n[recorded]\n";

std::string double_toml(double value) {
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

std::string list_toml(const std::vector<double>& values) {
  std::vector<std::string> words;
  for (const double value : values) words.push_back(double_toml(value));
  return fmt::format("[{}]", fmt::join(words, ", "));
}

bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

// At most as many as can be learnt.
std::vector<const toml::table*> quantities_of(TableReader& top, const char* key) {
  std::vector<const toml::table*> tables = top.tables(key);
  if (tables.size() > kMostParameters)
    top.refuse(*tables.front(),
               fmt::format("there are {} {}; at most {} can be learnt", tables.size(), key, kMostParameters));
  return tables;
}

void check_length(const TableReader& table, const char* key, const std::string& name) {
  if (name.size() > kLongestName)
    table.refuse_table(
        fmt::format("'{}' has {} characters; shorten it to {} at most", table.full(key), name.size(), kLongestName));
}

// A name for files and command lines that no other quantity has.
std::string quantity_name(TableReader& table, std::vector<std::string>& taken) {
  std::string name = table.needed_text("name");
  if (!is_word(name, "_-"))
    table.refuse_table(
        fmt::format("'{}' must hold letters, digits, _ and - alone, not '{}'; words for people go into 'label' and "
                    "'meaning'",
                    table.full("name"), printable(name)));
  check_length(table, "name", name);
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
    table.refuse_missing(
        "support", "'targets.support' is missing; write support = [low, high], with -inf or inf where it has no end");
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

// How a given quantity is drawn for training, and what follows for how networks see it.
void read_given_draw(TableReader& table, GivenQuantity& given, GivenRange& range) {
  for (const char* key : {"uniform", "log_uniform", "normal", "values"}) {
    const auto numbers = table.numbers(key);
    if (!numbers) continue;
    if (!given.drawn.empty())
      table.refuse_table(fmt::format("'given.{}' and 'given.{}' both say how it is drawn; keep one", given.drawn, key));
    given.drawn = key;
    given.numbers = *numbers;
  }
  const std::vector<double>& v = given.numbers;
  const auto wrong = [&](const char* right) {
    table.refuse_table(fmt::format("'given.{}' must be {}", given.drawn, right));
  };
  if (given.drawn.empty()) return;
  if (std::any_of(v.begin(), v.end(), [](double one) { return !std::isfinite(one); })) wrong("finite numbers");
  if (given.drawn == "values") {
    if (v.empty() || v.size() > 10000) wrong("a list of 1 to 10000 numbers");
    double mean = 0, square = 0;
    for (const double one : v) mean += one / static_cast<double>(v.size());
    for (const double one : v) square += (one - mean) * (one - mean) / static_cast<double>(v.size());
    range.location = mean;
    range.scale = square > 0 ? std::sqrt(square) : 1;
    range.seen_low = *std::min_element(v.begin(), v.end());
    range.seen_high = *std::max_element(v.begin(), v.end());
  } else if (given.drawn == "normal") {
    if (v.size() != 2 || !(v[1] > 0)) wrong("[mean, standard deviation], the second above 0");
    range.location = v[0];
    range.scale = v[1];
    range.seen_low = v[0] - 3 * v[1];
    range.seen_high = v[0] + 3 * v[1];
    if (std::isfinite(range.low) || std::isfinite(range.high))
      table.refuse_table("'given.normal' draws beyond every end of 'given.support'; leave the support out");
  } else {
    if (v.size() != 2 || !(v[0] < v[1])) wrong("[low, high], low below high");
    range.log = given.drawn == "log_uniform";
    if (range.log && !(v[0] > 0)) wrong("above 0");
    const double low = range.log ? std::log(v[0]) : v[0], high = range.log ? std::log(v[1]) : v[1];
    range.location = (low + high) / 2;
    range.scale = (high - low) / std::sqrt(12.0);
    range.seen_low = v[0];
    range.seen_high = v[1];
  }
  if (range.seen_low < range.low || range.seen_high > range.high)
    if (given.drawn != "normal")
      table.refuse_table(
          fmt::format("'given.{}' draws beyond 'given.support'; widen one or narrow the other", given.drawn));
}

// [[given]]: what is known of a set beside its observations.
void read_given(const toml::table& source, const std::string& where, std::vector<std::string>& names, TaskFile& task) {
  TableReader table(source, "given", where);
  Given known;
  known.name = quantity_name(table, names);
  const std::string label = table.text_or("label", known.name), unit = table.text_or("unit", "");
  const std::string meaning = table.text_or("meaning", "");
  known.label = quantity_title(label, meaning == label ? "" : meaning, unit);
  const auto support = table.interval("support", true).value_or(std::pair(-kInfinite, kInfinite));
  GivenRange range{support.first, support.second, kUnknown, kUnknown, kUnknown, kUnknown, false, unit};
  GivenQuantity quantity;
  read_given_draw(table, quantity, range);
  if (!task.given.empty() && task.given.front().drawn.empty() != quantity.drawn.empty())
    table.refuse_table(
        "some of [[given]] say how they are drawn (uniform, log_uniform, normal or values) and some do not; let all "
        "say it, or none, and the program's prior draw them");
  table.finish();
  task.info.given.push_back(std::move(known));
  task.given.push_back(std::move(quantity));
  task.given_ranges.push_back(std::move(range));
}

// How networks see x, of `channels` columns or channels: standardised unless the file says otherwise.
void read_input(TableReader& table, std::int64_t channels, TaskFile& task) {
  const auto standardise = table.flag("standardise");
  auto location = table.numbers("location"), scale = table.numbers("scale");
  task.standardises = standardise.value_or(true);
  if (!location && !scale) return;
  if (!location || !scale)
    table.refuse_missing(location ? "scale" : "location",
                         "'x.location' and 'x.scale' belong together: networks see (x - location) / scale");
  if (!task.standardises)
    table.refuse_table("'x.location' and 'x.scale' have no effect beside standardise = false; remove one or the other");
  for (auto* values : {&*location, &*scale}) {
    if (values->size() == 1) values->resize(static_cast<std::size_t>(channels), values->front());
    if (static_cast<std::int64_t>(values->size()) != channels)
      table.refuse_table(fmt::format("'x.{}' must be one number, or one for each of the {} columns or channels of x",
                                     values == &*location ? "location" : "scale", channels));
  }
  if (std::any_of(scale->begin(), scale->end(), [](double s) { return !(s > 0); }))
    table.refuse_table("'x.scale' must be above 0");
  task.input = {std::move(*location), std::move(*scale)};
}

// [[x.columns]]: names of x's columns in order; how files write them goes into task.columns.
std::vector<std::string> read_columns(TableReader& x, const std::string& where, TaskFile& task) {
  std::vector<std::string> names;
  for (const toml::table* one : x.tables("columns")) {
    TableReader table(*one, "x.columns", where);
    names.push_back(table.needed_text("name"));
    FileColumn column;
    const auto from = table.text("from");
    if (from && from->empty()) table.refuse_table("'x.columns.from' is empty; write the column's name in your files");
    column.from = from.value_or(names.back());
    column.location = table.number("location").value_or(0);
    column.scale = table.number("scale").value_or(1);
    column.log = table.flag("log").value_or(false);
    column.unit = table.text_or("unit", "");
    if (!std::isfinite(column.location)) table.refuse_table("'x.columns.location' must be finite");
    if (!std::isfinite(column.scale) || column.scale == 0)
      table.refuse_table("'x.columns.scale' must be finite and not 0: x = (value - location) / scale");
    for (const FileColumn& other : task.columns)
      if (other.from == column.from)
        table.refuse_table(fmt::format("two columns of x are read from the column '{}'; name another in 'from'",
                                       printable(column.from)));
    table.finish();
    task.columns.push_back(std::move(column));
  }
  return names;
}

void read_x(const toml::table& source, const std::string& where, TaskFile& task) {
  TaskInfo& info = task.info;
  TableReader table(source, "x", where);
  const toml::node* const held = source.get("columns");
  const bool tables = held && held->is_array_of_tables();
  const std::optional<std::vector<std::string>> columns =
      tables ? std::optional(read_columns(table, where, task)) : table.texts("columns");
  const auto rows = table.texts("rows");
  const auto shape = table.wholes("shape");
  const auto typical = table.number("typical");
  info.x_text = table.text_or("text", "");
  const auto& given = columns ? columns : rows;
  read_input(table, given ? static_cast<std::int64_t>(given->size()) : shape ? shape->front() : 1, task);
  table.finish();
  if (int{columns.has_value()} + int{rows.has_value()} + int{shape.has_value()} != 1)
    table.refuse_table(
        "[x] must hold exactly one of columns = [names], shape = [channels, height, width] or [numbers], and rows = "
        "[names]");
  if (typical && !rows) table.refuse_table("'x.typical' belongs to ragged rows; remove it, or write rows = [names]");
  if (const auto& names = columns ? columns : rows) {
    if (static_cast<std::int64_t>(names->size()) > kMostColumns)
      table.refuse_table(
          fmt::format("[x] names {} columns; at most {} can be learnt from, so summarise an observation "
                      "or make it an image, shape = [channels, height, width]",
                      names->size(), kMostColumns));
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
        table.refuse_missing("typical", "'x.typical' is missing: how many rows a typical observation has, above 0");
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
  if (shape->front() > kMostColumns)
    table.refuse_table(
        fmt::format("'x.shape' is {} numbers; of points at most {} can be learnt from, so summarise an "
                    "observation or make it an image, shape = [channels, height, width]",
                    shape->front(), kMostColumns));
  info.kind = ObservationKind::points;
  for (std::int64_t k = 1; k <= shape->front(); ++k)
    info.observation_columns.push_back(shape->front() == 1 ? "x" : fmt::format("x{}", k));
}

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
  table.finish();
  return files;
}

// The table that copies add: where the file stood, and what was measured.
std::vector<Measured> read_recorded(const toml::table& source, const std::string& where, TaskFile& task) {
  TableReader table(source, "recorded", where);
  task.origin = table.needed_text("file");
  const auto location = table.numbers("x_location"), scale = table.numbers("x_scale");
  const std::size_t channels = location ? static_cast<std::size_t>(input_channels(task.info)) : 0;
  if (location.has_value() != scale.has_value() ||
      (location && (!task.standardises || location->size() != channels || scale->size() != channels ||
                    std::any_of(scale->begin(), scale->end(), [](double s) { return !(s > 0); }))))
    table.refuse_table("what was measured of x is damaged; restore the file");
  if (location) task.input = {*location, *scale};
  std::vector<Measured> all;
  for (const toml::table* one : quantities_of(table, "measured")) {
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

// The same task, whose columns have their units behind their names: "voltage in mV".
TaskInfo named_with_units(TaskInfo info, const std::vector<FileColumn>& columns) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (!columns[k].unit.empty()) info.observation_columns[k] += " in " + columns[k].unit;
  return info;
}

// What the window says where the file does not.
void describe(TaskInfo& info, const std::vector<FileColumn>& columns, const std::optional<std::string>& one,
              const std::optional<std::string>& many) {
  std::vector<std::string> targets, nuisances, labels;
  for (const Target& t : info.targets) {
    targets.push_back(fmt::format("{} ({})", words_of(t.label, t.meaning, t.unit, "θ"), support_text(t)));
    labels.push_back(t.label);
  }
  for (const Nuisance& n : info.nuisances) nuisances.push_back(words_of(n.label, n.meaning, n.unit, "ψ"));
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
    top.refuse_missing("targets", "there is no [[targets]]: name at least one quantity to be learnt");
  for (const toml::table* nuisance : quantities_of(top, "nuisances")) read_nuisance(*nuisance, where, names, task);
  for (const toml::table* given : quantities_of(top, "given")) read_given(*given, where, names, task);

  const toml::table *program = top.table("simulator"), *files = top.table("simulations");
  if (!program == !files)
    top.refuse_table(program ? "[simulator] and [simulations] both stand there; keep one"
                             : "where simulations come from is missing: add [simulator] with a command, or "
                               "[simulations] with files");
  if (program) task.simulator = read_simulator(*program, where);
  if (files) task.simulations = read_simulations(*files, where);
  if (files && !task.given.empty() && task.given_by_prior() == 0)
    top.refuse_table(
        "[[given]] says how a quantity is drawn, but stored simulations hold it with each set; leave that out");

  if (const toml::table* reference = top.table("reference")) {
    if (reference->contains("file"))
      task.reference_file = read_reference_file(*reference, where, task.info);
    else
      task.reference = read_reference(*reference, where, task);
  }
  if (const toml::table* reader = top.table("reader")) task.reader = read_reader(*reader, where, task.info);

  std::vector<Measured> measured;
  if (recorded_at != std::string_view::npos) {
    const toml::table* recorded = top.table("recorded");
    if (!recorded) top.refuse_table("the table [recorded] is damaged; restore the file");
    measured = read_recorded(*recorded, where, task);
  }
  top.finish();
  describe(info, task.columns, one, many);

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

namespace {

// A run's copy of a file runs on this machine as the file says now, where it is the same otherwise.
void take_machine_lines(TaskFile& copy) {
  std::error_code error;
  if (!copy.simulator || copy.origin.empty() || copy.origin == copy.file || !fs::exists(copy.origin, error)) return;
  try {
    const TaskFile now = parse_task(read_file(copy.origin, kMostBytes), copy.origin);
    if (!now.simulator || !changed_line(agreed_text(copy, "\n"), agreed_text(now, "\n")).empty()) return;
    copy.simulator->workers = now.simulator->workers;
    copy.simulator->timeout = now.simulator->timeout;
  } catch (const Error&) {
    // A run needs its copy alone.
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
    // In a table of one line other keys stand beside it, and all are asked about.
    const bool machine = std::find(own.begin(), own.end(), number) != own.end() && word != line.npos &&
                         (line.compare(word, 7, "workers") == 0 || line.compare(word, 7, "timeout") == 0);
    out += machine ? instead : line + "\n";
  }
  while (out.ends_with('\n')) out.pop_back();
  return out;
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
  for (std::size_t k = 0; k < task.given_ranges.size(); ++k) {
    GivenRange& range = task.given_ranges[k];
    const Measured& m = of(task.info.given[k].name);
    if (std::isnan(range.scale))
      range.location = m.location, range.scale = m.scale, range.seen_low = m.view_low, range.seen_high = m.view_high;
  }
}

std::vector<Measured> measured_of(const TaskFile& task) {
  std::vector<Measured> all;
  for (const Target& t : task.info.targets)
    all.push_back({t.name, t.location, t.scale, t.range, t.view_low, t.view_high});
  for (const Nuisance& n : task.info.nuisances)
    all.push_back({n.name, (n.view_low + n.view_high) / 2, n.view_high - n.view_low, n.view_high - n.view_low,
                   n.view_low, n.view_high});
  for (std::size_t k = 0; k < task.given_ranges.size(); ++k) {
    const GivenRange& g = task.given_ranges[k];
    // Of one that is drawn from a single value nothing need be measured.
    const bool range = g.seen_low < g.seen_high;
    all.push_back({task.info.given[k].name, g.location, g.scale, 1, g.seen_low, range ? g.seen_high : g.seen_low + 1});
  }
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
  if (!task.input.empty())
    out += fmt::format("x_location = {}\nx_scale = {}\n", list_toml(task.input.location), list_toml(task.input.scale));
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

}  // namespace pairs::own
