#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "tasks/own/file/task_parts.h"

// The text that a run's copy adds to a task.toml.
namespace pairs::own {
namespace {

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

}  // namespace

std::vector<Measured> read_recorded(const toml::table& source, const std::string& where, TaskFile& task) {
  TableReader table(source, "recorded", where);
  task.origin = table.needed_text("file");
  const auto location = table.numbers("x_location"), scale = table.numbers("x_scale");
  const std::size_t channels = location ? static_cast<std::size_t>(input_channels(task.info)) : 0;
  if (location.has_value() != scale.has_value() ||
      (location && (!task.standardizes || location->size() != channels || scale->size() != channels ||
                    std::any_of(scale->begin(), scale->end(), [](double s) { return !(s > 0); }))))
    table.refuse_table("what was measured of x is damaged; restore the file");
  const auto middle = table.numbers("x_middle"), spread = table.numbers("x_spread");
  if (middle.has_value() != spread.has_value() ||
      (spread && (!location || middle->size() != channels || spread->size() != channels ||
                  std::any_of(spread->begin(), spread->end(), [](double s) { return !(s >= 0); }))))
    table.refuse_table("what was measured of x is damaged; restore the file");
  if (location)
    task.input = {*location, *scale, middle.value_or(std::vector<double>()), spread.value_or(std::vector<double>())};
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
    // A condition with a single value needs no measured range.
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
  if (!task.input.spread.empty())
    out += fmt::format("x_middle = {}\nx_spread = {}\n", list_toml(task.input.middle), list_toml(task.input.spread));
  for (const Measured& m : measured_of(task))
    out += fmt::format("[[recorded.measured]]\nname = \"{}\"\nlocation = {}\nscale = {}\nrange = {}\nview = [{}, {}]\n",
                       m.name, double_toml(m.location), double_toml(m.scale), double_toml(m.range),
                       double_toml(m.view_low), double_toml(m.view_high));
  return out;
}

}  // namespace pairs::own
