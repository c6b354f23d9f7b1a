#include "app/posterior/question/set_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <sstream>

#include "core/base/tables/csv_line.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::int64_t kLargestWhole = std::int64_t{1} << 53;
constexpr double kDegree = std::numbers::pi / 180;

constexpr unsigned kSimulated = static_cast<unsigned>(SetKind::simulated),
                   kObservations = static_cast<unsigned>(SetKind::observations),
                   kViews = static_cast<unsigned>(SetKind::views), kItem = static_cast<unsigned>(SetKind::item),
                   kOwn = kObservations | kViews | kItem;

// Degrees that are the angle to the bit wherever there are such: round ones where these are.
double degrees_of(double angle) {
  const double near = angle / kDegree, round = std::round(near * 1e6) / 1e6;
  if (round * kDegree == angle) return round;
  double low = near, high = near;
  for (int k = 0; k < 4; ++k) {
    if (low * kDegree == angle) return low;
    if (high * kDegree == angle) return high;
    low = std::nextafter(low, -INFINITY);
    high = std::nextafter(high, INFINITY);
  }
  return near;
}

bool same(const std::optional<render::Camera>& a, const std::optional<render::Camera>& b) {
  return a.has_value() == b.has_value() && (!a || (a->azimuth == b->azimuth && a->elevation == b->elevation));
}
template <class Value>
bool same(const Value& a, const Value& b) {
  return a == b;
}

// Values as arguments.
std::string words_of(std::int64_t value) {
  return fmt::format("{}", value);
}
std::string words_of(std::uint64_t value) {
  return fmt::format("{}", value);
}
std::string words_of(const std::vector<double>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}
std::string words_of(const std::filesystem::path& path) {
  return path.string();
}
std::string words_of(const std::optional<std::uint64_t>& value) {
  return fmt::format("{}", value.value_or(0));
}
// Quotes a name with a comma, quotes or surrounding blanks.
std::string words_of(const std::vector<std::string>& names) {
  std::string words;
  for (const std::string& name : names) {
    const bool plain = !name.empty() && name == trimmed(name) && name.find_first_of(",\"\n\r") == name.npos;
    words += words.empty() ? "" : ",";
    if (plain) {
      words += name;
      continue;
    }
    words += '"';
    for (const char c : name) words += c == '"' ? std::string("\"\"") : std::string(1, c);
    words += '"';
  }
  return words;
}
std::string words_of(const std::string& text) {
  return text;
}
std::string words_of(Missing missing) {
  return missing_word(missing);
}
std::string words_of(const std::optional<render::Camera>& camera) {
  return camera ? fmt::format("{},{}", degrees_of(camera->azimuth), degrees_of(camera->elevation)) : "";
}

// Arguments as values. `option`: "--index".
std::int64_t whole_of(const std::string& words, const std::string& option) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
  if (error != std::errc() || end != words.data() + words.size() || value < 0 || value > kLargestWhole)
    fail_usage("{} {} is not a whole number from 0 to {}", option, printable(words, 100), kLargestWhole);
  return value;
}
std::vector<double> numbers_of(const std::string& words, const std::string& option) {
  std::vector<double> values;
  for (std::string_view rest = words; !rest.empty();) {
    const std::string_view part = trimmed(rest.substr(0, rest.find(',')));
    const bool last = rest.find(',') == rest.npos;
    double value = 0;
    if (parse_csv_number(part, value) != CsvNumber::good || !std::isfinite(value))
      fail_usage("{} {} is not a list of numbers with commas between", option, printable(words, 100));
    values.push_back(value);
    if (!last && rest.back() == ',' && rest.find(',') + 1 == rest.size())
      fail_usage("{} {} ends in a comma; write another number behind it, or leave it out", option,
                 printable(words, 100));
    rest.remove_prefix(last ? rest.size() : rest.find(',') + 1);
  }
  return values;
}
void read(const std::string& words, const std::string& option, std::int64_t& value) {
  value = whole_of(words, option);
}
void read(const std::string& words, const std::string& option, std::uint64_t& value) {
  value = static_cast<std::uint64_t>(whole_of(words, option));
}
void read(const std::string& words, const std::string& option, std::vector<double>& values) {
  values = numbers_of(words, option);
}
void read(const std::string& words, const std::string&, std::filesystem::path& path) {
  path = words;
}
void read(const std::string& words, const std::string& option, std::optional<std::uint64_t>& value) {
  value = static_cast<std::uint64_t>(whole_of(words, option));
}
void read(const std::string& words, const std::string& option, std::vector<std::string>& names) {
  names.clear();
  std::size_t at = 0;
  for (bool more = !words.empty(); more;) {
    std::string name;
    const bool quoted = at < words.size() && words[at] == '"';
    if (!quoted) {
      const std::size_t end = std::min(words.find(',', at), words.size());
      name = trimmed(std::string_view(words).substr(at, end - at));
      at = end;
    } else {
      ++at;
      // Two quotes represent one.
      for (; at < words.size() && (words[at] != '"' || words.substr(at, 2) == "\"\""); ++at) {
        name += words[at];
        if (words[at] == '"') ++at;
      }
      if (at == words.size() || (++at < words.size() && words[at] != ','))
        fail_usage("{} {} opens a quote that it does not close before a comma", option, printable(words, 200));
    }
    names.push_back(std::move(name));
    more = at++ < words.size();
  }
}
void read(const std::string& words, const std::string&, std::string& text) {
  text = words;
}
void read(const std::string& words, const std::string& option, Missing& missing) {
  missing = missing_choice(words, option);
}
void read(const std::string& words, const std::string& option, std::optional<render::Camera>& camera) {
  std::vector<double> angles;
  try {
    angles = numbers_of(words, option);
  } catch (const Error&) {
    // The error below is more informative.
  }
  if (angles.size() != 2 || !(std::abs(angles[0]) <= 360) || !(std::abs(angles[1]) <= 90))
    fail_usage(
        "{0} {1} is not an azimuth from -360 to 360 and an elevation from -90 to 90 degrees; write for example "
        "{0} 30,45",
        option, printable(words));
  camera = render::Camera{angles[0] * kDegree, angles[1] * kDegree};
}

// Values as TOML.
template <class Value>
std::string plain_toml(const Value& value) {
  std::ostringstream out;
  out << toml::value<Value>(value);
  return out.str();
}
template <class Value>
std::string list_toml(const std::vector<Value>& values) {
  std::string text;
  for (const Value& one : values) text += (text.empty() ? "" : ", ") + plain_toml(one);
  return "[" + text + "]";
}
std::string toml_of(std::int64_t value) {
  return words_of(value);
}
std::string toml_of(std::uint64_t value) {
  return words_of(value);
}
std::string toml_of(const std::vector<double>& values) {
  return list_toml(values);
}
std::string toml_of(const std::vector<std::string>& values) {
  return list_toml(values);
}
std::string toml_of(const std::optional<std::uint64_t>& value) {
  return words_of(value);
}
std::string toml_of(const std::filesystem::path& path) {
  return plain_toml(path.string());
}
std::string toml_of(const std::string& text) {
  return plain_toml(text);
}
std::string toml_of(Missing missing) {
  return plain_toml(std::string(missing_word(missing)));
}
std::string toml_of(const std::optional<render::Camera>& camera) {
  return camera ? list_toml(std::vector<double>{degrees_of(camera->azimuth), degrees_of(camera->elevation)}) : "[]";
}

// TOML as values; a missing key leaves its value unchanged.
void read(TableReader& reader, const char* key, std::int64_t& value) {
  value = reader.whole(key, 0, kLargestWhole).value_or(value);
}
void read(TableReader& reader, const char* key, std::uint64_t& value) {
  if (const auto whole = reader.whole(key, 0, kLargestWhole)) value = static_cast<std::uint64_t>(*whole);
}
void read(TableReader& reader, const char* key, std::vector<double>& values) {
  values = reader.numbers(key).value_or(values);
}
void read(TableReader& reader, const char* key, std::vector<std::string>& values) {
  values = reader.texts(key).value_or(values);
}
void read(TableReader& reader, const char* key, std::optional<std::uint64_t>& value) {
  if (const auto whole = reader.whole(key, 0, kLargestWhole)) value = static_cast<std::uint64_t>(*whole);
}
void read(TableReader& reader, const char* key, std::filesystem::path& path) {
  path = reader.text_or(key, path.string());
}
void read(TableReader& reader, const char* key, std::string& text) {
  text = reader.text_or(key, text);
}
void read(TableReader& reader, const char* key, Missing& missing) {
  if (const auto word = reader.text(key)) missing = missing_choice(*word, fmt::format("'{}'", reader.full(key)));
}
void read(TableReader& reader, const char* key, std::optional<render::Camera>& camera) {
  if (const auto angles = reader.numbers(key)) read(words_of(*angles), fmt::format("'{}'", reader.full(key)), camera);
}

std::vector<std::string> texts_of(const std::string& text) {
  return {text};
}
std::vector<std::string> texts_of(const std::filesystem::path& path) {
  return {path.string()};
}
std::vector<std::string> texts_of(const std::vector<std::string>& texts) {
  return texts;
}
template <class Value>
std::vector<std::string> texts_of(const Value&) {
  return {};
}

}  // namespace

const std::vector<SetField>& set_fields() {
  static const std::vector<SetField> all = {
      {"index", "index", &SetChoice::index, kSimulated, "I", "which simulated set"},
      {"file", "data", &SetChoice::file, kOwn, "FILE|DIR|ITEM", "the observed set"},
      {"reader", "reader", &SetChoice::reader, kObservations, "COMMAND",
       "points: a command that reads files of other kinds, \"python3 read_root.py\", run in this folder; it is handed "
       "the file's path and speaks the protocol of docs/reference/data-files.md"},
      {"table", "table", &SetChoice::table, kObservations, "NAME",
       "points: of a HDF5 or FITS file with several tables this one (default: the first that has the columns)"},
      {"group", "group", &SetChoice::group, kObservations, "COLUMN",
       "many sets in one file: the column of a table, by its name or as \"column 2\", or the array of an .npz file, "
       "that names the set of each observation"},
      {"member", "member", &SetChoice::member, kObservations | kItem, "NAME",
       "of the many sets of --group, or of a folder or list, this one alone, like its own file"},
      {"columns", "columns", &SetChoice::columns, kObservations, "NAME,...",
       "points: of a table of more columns those that are used, one for each of the task's, by their names or as "
       "\"column 2\" (default: those with the task's names); a name with a comma stands between double quotes"},
      {"missing", "missing", &SetChoice::missing, kObservations, "WHAT",
       "what becomes of observations with a value that is missing or not finite in a needed column: refuse, or drop to "
       "leave them out, which assumes that values are missing at random (default: refuse)"},
      {"random", "random", &SetChoice::random, kObservations, "[SEED]",
       "of more observations than are used, take those that this seed draws rather than the first"},
      {"up", "up", &SetChoice::up, kItem, "AXIS",
       "meshes: the axis of the file that points up, x, y or z (default: what the file states, else z)"},
      {"seed", "seed", &SetChoice::seed, kItem, "N", "seed of observations that are made of an item (default: 1)"},
      {"conditions", "conditions", &SetChoice::given, kSimulated | kObservations | kItem, "NAME=V,...",
       "conditions of the set, where the task has them (\"tasks\" names them); default: the file's, an array given of "
       "an .npz or columns of these names"},
      {"camera", "camera", &SetChoice::camera, kViews, "AZ,EL",
       "views of a scene: the camera whose image is inferred from a folder of views; azimuth and elevation in degrees"},
      {"theta", "theta", &SetChoice::theta, kSimulated, "V,V,...", "θ of the simulated set (default: the prior's)"},
      {"psi", "psi", &SetChoice::psi, kSimulated, "V,V,...", "ψ of the simulated set (default: the prior's)"},
  };
  return all;
}

const SetField& set_field(const std::string& option) {
  for (const SetField& field : set_fields())
    if (option == field.option) return field;
  fail("A set has no field {}", option);
}

std::optional<std::string> field_words(const SetField& field, const SetChoice& set) {
  return std::visit(
      [&](auto member) -> std::optional<std::string> {
        if (same(set.*member, SetChoice().*member)) return std::nullopt;
        return words_of(set.*member);
      },
      field.member);
}

void read_field_words(const SetField& field, const std::string& words, SetChoice& set) {
  std::visit([&](auto member) { read(words, std::string("--") + field.option, set.*member); }, field.member);
}

std::string set_toml(const SetChoice& set) {
  std::string text;
  for (const SetField& field : set_fields()) {
    const bool counted = set.simulated() && std::string_view(field.key) == "index";  // a set has one
    std::visit(
        [&](auto member) {
          if (counted || !same(set.*member, SetChoice().*member))
            text += fmt::format("{} = {}\n", field.key, toml_of(set.*member));
        },
        field.member);
  }
  return text;
}

SetChoice read_set_toml(TableReader& reader) {
  SetChoice set;
  for (const SetField& field : set_fields())
    std::visit([&](auto member) { read(reader, field.key, set.*member); }, field.member);
  for (const SetField& field : set_fields())
    if (!set.simulated() && !field.own() && std::string_view(field.key) != "index" && field_words(field, set))
      reader.refuse_table(fmt::format("theta and psi are those of a simulated set, and {} is a file; leave them out",
                                      printable(set.file.string(), 300)));
  return set;
}

bool is_utf8(const SetChoice& set) {
  for (const SetField& field : set_fields())
    for (const std::string& text : std::visit([&](auto member) { return texts_of(set.*member); }, field.member))
      if (text != printable(text, text.size())) return false;
  return true;
}

SetChoice of_all_members(SetChoice one) {
  one.member.clear();
  one.given.clear();
  one.random.reset();
  return one;
}

bool operator==(const SetChoice& a, const SetChoice& b) {
  for (const SetField& field : set_fields())
    if (!std::visit([&](auto member) { return same(a.*member, b.*member); }, field.member)) return false;
  return true;
}

}  // namespace pairs
