#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/prior_family.h"
#include "tasks/own/file/task_parts.h"
#include "tasks/own/file/x_kind.h"

namespace pairs::own {
namespace {

constexpr std::size_t kMostParameters = 256;
constexpr std::size_t kLongestName = 64;

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
    table.refuse_table(fmt::format("the name '{}' appears twice; rename one", name));
  taken.push_back(name);
  return name;
}

// Reads the labels and descriptions that targets and nuisances share.
template <class Quantity>
void read_words(TableReader& table, std::vector<std::string>& taken, Quantity& quantity) {
  quantity.name = quantity_name(table, taken);
  quantity.label = table.text_or("label", quantity.name);
  quantity.unit = table.text_or("unit", "");
  quantity.meaning = table.text_or("meaning", "");
  if (quantity.meaning == quantity.label) quantity.meaning.clear();
}

// Reads a condition's distribution for training, which also determines its standardization.
void read_given_draw(TableReader& table, GivenQuantity& given, GivenRange& range) {
  for (const char* key : {"uniform", "log_uniform", "normal", "values"}) {
    const auto numbers = table.numbers(key);
    if (!numbers) continue;
    if (!given.drawn.empty())
      table.refuse_table(
          fmt::format("'given.{}' and 'given.{}' both state how it is drawn; keep one", given.drawn, key));
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

// Reads the prior that the file states, if any, and the support: that of the prior where the file does not state it.
std::optional<std::pair<double, double>> read_support(const toml::table& source, TableReader& table,
                                                      std::shared_ptr<const PriorFamily>& prior) {
  const auto support = table.interval("support", true);
  const auto text = table.text("prior");
  if (!text) return support;
  const std::string key = "'" + table.full("prior") + "'";
  if (text->ends_with(".csv"))
    table.refuse(*source.get("prior"), key +
                                           " names a table, which only another prior may be; write a family with its "
                                           "numbers, e.g. normal(0.2, 0.05)");
  try {
    prior = prior_family(*text, key);
  } catch (const Error& error) {
    table.refuse(*source.get("prior"), error.what());
  }
  const auto [low, high] = prior->range();
  if (!support) return std::pair(low, high);
  if (low < support->first || high > support->second)
    table.refuse(*source.get("prior"),
                 fmt::format("'{}' reaches beyond the support; leave the support out, or narrow the prior",
                             table.full("prior")));
  return support;
}

// Reads whether the ends of the support are the same value, as of an angle.
bool read_periodic(const toml::table& source, TableReader& table,
                   const std::optional<std::pair<double, double>>& support) {
  const bool periodic = table.flag("periodic").value_or(false);
  const auto finite = [&] { return std::isfinite(support->first) && std::isfinite(support->second); };
  if (periodic && !(support && finite()))
    table.refuse(*source.get("periodic"),
                 fmt::format("'{}' needs the range that values repeat after; write '{}' = [low, high], both finite",
                             table.full("periodic"), table.full("support")));
  return periodic;
}

}  // namespace

bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

std::vector<const toml::table*> quantities_of(TableReader& top, const char* key) {
  std::vector<const toml::table*> tables = top.tables(key);
  if (tables.size() > kMostParameters)
    top.refuse(*tables.front(),
               fmt::format("there are {} {}; at most {} can be inferred", tables.size(), key, kMostParameters));
  return tables;
}

void check_length(const TableReader& table, const char* key, const std::string& name) {
  if (name.size() > kLongestName)
    table.refuse_table(
        fmt::format("'{}' has {} characters; shorten it to {} at most", table.full(key), name.size(), kLongestName));
}

void read_target(const toml::table& source, const std::string& where, std::vector<std::string>& names, TaskFile& task) {
  TableReader table(source, "targets", where);
  Target target;
  read_words(table, names, target);
  const auto support = read_support(source, table, target.prior);
  if (!support)
    table.refuse_missing("support",
                         "'targets.support' is missing; write support = [low, high], with -inf or inf where it has no "
                         "end, or state the prior, as in prior = \"normal(0, 1)\"");
  target.low = support->first;
  target.high = support->second;
  target.periodic = read_periodic(source, table, support);
  const auto view = table.interval("view", false);
  if (view && target.periodic)
    table.refuse(*source.get("view"), "'targets.view' of a periodic target is its support; leave it out");
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
  read_words(table, names, nuisance);
  const auto stated = read_support(source, table, nuisance.prior);
  const auto support = stated.value_or(std::pair(-kInfinite, kInfinite));
  if (read_periodic(source, table, stated)) nuisance.period = support.second - support.first;
  auto view = table.interval("view", false);
  if (view && nuisance.period > 0)
    table.refuse(*source.get("view"), "'nuisances.view' of a periodic nuisance is its support; leave it out");
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

void read_given(const toml::table& source, const std::string& where, std::vector<std::string>& names, TaskFile& task) {
  TableReader table(source, "conditions", where);
  Given known;
  Nuisance words;
  read_words(table, names, words);
  known.name = words.name;
  known.label = quantity_title(words.label, words.meaning, words.unit);
  const auto support = table.interval("support", true).value_or(std::pair(-kInfinite, kInfinite));
  GivenRange range{support.first, support.second, kUnknown, kUnknown, kUnknown, kUnknown, false, words.unit};
  GivenQuantity quantity;
  read_given_draw(table, quantity, range);
  if (!task.given.empty() && task.given.front().drawn.empty() != quantity.drawn.empty())
    table.refuse_table(
        "some of [[conditions]] state how they are drawn (uniform, log_uniform, normal or values) and some do not; let "
        "all state it, or none, and the program's prior draw them");
  table.finish();
  task.info.given.push_back(std::move(known));
  task.given.push_back(std::move(quantity));
  task.given_ranges.push_back(std::move(range));
}

}  // namespace pairs::own
