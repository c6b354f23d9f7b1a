#include "app/model/library/task_sketch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/run/run.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSimulator = "simulate.py";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> parts_of(const std::string& text, char between) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(between, start), text.size());
    if (std::string part = trimmed(text.substr(start, end - start)); !part.empty()) parts.push_back(std::move(part));
    start = end + 1;
  }
  return parts;
}

// The text in TOML.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(quoted(text));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

// Parses a number as TOML and Python do; false if it is none.
bool number_of(const std::string& typed, double& value) {
  const std::string text = trimmed(typed);
  const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size() && !std::isnan(value);
}

// An unreadable number is written as typed and reported later.
std::string end_text(const std::string& typed) {
  double value = 0;
  if (!number_of(typed, value)) return quoted(trimmed(typed));
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

// A whole number as TOML; an unreadable one is written as typed.
std::string whole_text(const std::string& typed) {
  const std::string text = trimmed(typed);
  const bool whole = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  return whole ? text : quoted(text);
}

// `range`: the key of its two bounds; "": omits them.
std::string table_text(const char* table, const TaskSketch::Quantity& quantity, const char* range = "support") {
  std::string text = fmt::format("\n[[{}]]\nname = {}\n", table, quoted(trimmed(quantity.name)));
  if (*range) text += fmt::format("{} = [{}, {}]\n", range, end_text(quantity.low), end_text(quantity.high));
  if (const std::string label = trimmed(quantity.label); !label.empty())
    text += fmt::format("label = {}\n", quoted(label));
  if (const std::string unit = trimmed(quantity.unit); !unit.empty()) text += fmt::format("unit = {}\n", quoted(unit));
  return text;
}

// Code that draws one quantity from a prior suggested by its support.
std::string draw_text(const TaskSketch::Quantity& quantity) {
  double low = 0, high = 1;
  number_of(quantity.low, low);
  number_of(quantity.high, high);
  if (std::isfinite(low) && std::isfinite(high)) return fmt::format("rng.uniform({}, {}, size)", low, high);
  if (std::isfinite(low)) return fmt::format("{} + rng.exponential(1.0, size)", low);
  if (std::isfinite(high)) return fmt::format("{} - rng.exponential(1.0, size)", high);
  return "rng.normal(0.0, 1.0, size)";
}

std::string stack_text(const std::vector<TaskSketch::Quantity>& quantities) {
  std::vector<std::string> draws;
  for (const TaskSketch::Quantity& quantity : quantities)
    draws.push_back(fmt::format("        {},  # {}\n", draw_text(quantity), trimmed(quantity.name)));
  return fmt::format("np.stack([\n{}    ], axis=1)", fmt::join(draws, ""));
}

}  // namespace

std::string TaskSketch::text() const {
  std::string out = fmt::format("name = {}\n", quoted(trimmed(name)));
  if (const std::string shown = trimmed(title); !shown.empty()) out += fmt::format("title = {}\n", quoted(shown));
  if (const std::string said = trimmed(summary); !said.empty()) out += fmt::format("summary = {}\n", quoted(said));
  out += fmt::format("max_n = {}\n", whole_text(max_n));
  for (const Quantity& target : targets) out += table_text("targets", target);
  for (const Quantity& nuisance : nuisances) out += table_text("nuisances", nuisance);
  for (const Quantity& one : given) out += table_text("conditions", one, source == Source::stored ? "" : "uniform");
  const std::vector<std::string> parts = parts_of(x_text, ',');
  out += x == X::columns ? fmt::format("\n[x]\ncolumns = {}\n", quoted_list(parts))
         : x == X::rows  ? fmt::format("\n[x]\nrows = {}\ntypical = {}\n", quoted_list(parts), whole_text(typical))
                         : fmt::format("\n[x]\nshape = [{}]\n", fmt::join(parts, ", "));
  switch (source) {
    case Source::python:
      out += fmt::format("\n[simulator]\ncommand = {}\n", quoted_list({trimmed(python), kSimulator}));
      break;
    case Source::program:
      out += fmt::format("\n[simulator]\ncommand = {}\n", quoted_list(parts_of(command, ' ')));
      break;
    case Source::stored:
      out += fmt::format("\n[simulations]\nfiles = {}\n", quoted_list(parts_of(files, ',')));
      break;
  }
  return out;
}

std::string TaskSketch::simulator() const {
  const std::vector<std::string> parts = parts_of(x_text, ',');
  const std::size_t columns = std::max<std::size_t>(parts.size(), 1);
  const std::string what = x == X::shape ? fmt::format("an array [n, {}]", fmt::join(parts, ", "))
                           : x == X::columns
                               ? fmt::format("an array [n, {}]: {}", columns, fmt::join(parts, ", "))
                               : fmt::format("a list of n arrays [rows, {}]: {}", columns, fmt::join(parts, ", "));
  const std::string draws =
      x == X::shape ? fmt::format("    return rng.normal(theta[0], 1.0, (n, {}))\n", fmt::join(parts, ", "))
      : x == X::columns
          ? fmt::format("    return rng.normal(theta[0], 1.0, (n, {}))\n", columns)
          : fmt::format("    return [rng.normal(theta[0], 1.0, (rng.poisson(5), {})) for _ in range(n)]\n", columns);
  std::vector<std::string> given_names;
  for (const Quantity& one : given) given_names.push_back(trimmed(one.name));
  return fmt::format(
      "import numpy as np\n"
      "from pairs_simulator import serve\n\n\n"
      "# Parameters of `size` sets. Everything random comes from rng.\n"
      "def prior(rng, size):\n"
      "    theta = {}\n{}"
      "    return theta{}\n\n\n"
      "# The n observations of one set with parameters theta{}: {}.\n{}"
      "# Put your simulator here; this one only draws noise around theta[0].\n"
      "def simulate(theta, psi, n, rng{}):\n{}\n\n"
      "serve(prior, simulate)\n",
      stack_text(targets), nuisances.empty() ? "" : fmt::format("    psi = {}\n", stack_text(nuisances)),
      nuisances.empty() ? "" : ", psi", nuisances.empty() ? "" : " and psi", what,
      given.empty() ? "" : fmt::format("# given: {}, known of the set.\n", fmt::join(given_names, ", ")),
      given.empty() ? "" : ", given", draws);
}

std::string TaskSketch::problem(const TaskCatalog& tasks) const {
  const auto wrong_end = [](const std::vector<Quantity>& quantities) -> std::string {
    for (const Quantity& quantity : quantities) {
      double low = 0, high = 0;
      const std::string shown = printable(trimmed(quantity.name));
      if (!number_of(quantity.low, low) || !number_of(quantity.high, high))
        return fmt::format("The support of {} goes from one number to another; -inf and inf are numbers, too", shown);
      if (low >= high) return fmt::format("The support of {} must go from a smaller to a larger number", shown);
    }
    return "";
  };
  for (const std::string& wrong : {wrong_end(targets), wrong_end(nuisances)})
    if (!wrong.empty()) return wrong;
  for (const Quantity& one : given) {
    double low = 0, high = 0;
    const bool range =
        number_of(one.low, low) && number_of(one.high, high) && std::isfinite(low) && std::isfinite(high) && low < high;
    if (source != Source::stored && !range)
      return fmt::format("Values of {} are drawn for training from a smaller to a larger finite number",
                         printable(trimmed(one.name)));
  }
  if (trimmed(folder).empty()) return "Name the folder that the task is written to";
  const fs::path file = fs::path(trimmed(folder)) / run_file::task;
  try {
    tasks.describe_text(text(), file);
  } catch (const Error& error) {
    // The file does not exist yet, so the message omits its path and line.
    std::string text = error.text();
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
    return text;
  }
  std::error_code error;
  if (fs::exists(file, error))
    return fmt::format("{} holds a task already; choose another folder", printable(trimmed(folder), 300));
  return "";
}

fs::path TaskSketch::write(const TaskCatalog& tasks) const {
  const std::string wrong = problem(tasks);
  PAIRS_CHECK(wrong.empty(), "{}", wrong);
  const fs::path place = trimmed(folder);
  std::error_code error;
  fs::create_directories(place, error);
  PAIRS_CHECK(fs::is_directory(place, error), "The folder {} cannot be made; choose another",
              printable(place.string(), 300));
  // Writes the task last, so that its program exists once the task does.
  if (source == Source::python && !fs::exists(place / kSimulator, error)) write_file(place / kSimulator, simulator());
  write_file(place / run_file::task, text());
  return place / run_file::task;
}

fs::path default_task_folder(const fs::path& runs_folder, const std::string& name) {
  return fs::absolute(runs_folder).lexically_normal().parent_path() / "tasks" / name;
}

}  // namespace pairs::model
