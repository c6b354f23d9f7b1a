#include "app/model/hub/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <sstream>

#include "core/base/fields/toml_guard.h"
#include "core/base/files/files.h"
#include "core/base/system/xdg_folder.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::model {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kLargestFile = 1 << 20;
constexpr std::size_t kMostRecent = 12;

// Every setting with its key, for reading, writing and comparing.
template <class Visit>
void visit_settings(Visit&& visit) {
  visit("theme", &Settings::theme);
  visit("scale", &Settings::scale);
  visit("task", &Settings::task);
  visit("run", &Settings::run);
  visit("tab", &Settings::tab);
  visit("unfinished", &Settings::unfinished);
  visit("runs_folder", &Settings::runs_folder);
  visit("data_folder", &Settings::data_folder);
  visit("run_folders", &Settings::run_folders);
  visit("own_tasks", &Settings::own_tasks);
  visit("device", &Settings::device);
  visit("threads", &Settings::threads);
  visit("width", &Settings::width);
  visit("height", &Settings::height);
  visit("maximized", &Settings::maximized);
  visit("sidebar", &Settings::sidebar);
  visit("drawer", &Settings::drawer);
  visit("sidebar_open", &Settings::sidebar_open);
  visit("log_open", &Settings::log_open);
  visit("notes_open", &Settings::notes_open);
  visit("keep_training", &Settings::keep_training);
  visit("notifications", &Settings::notifications);
  visit("dismissed", &Settings::dismissed);
  visit("file_dialogs", &Settings::file_dialogs);
  visit("recent_files", &Settings::recent_files);
  visit("save_folder", &Settings::save_folder);
  visit("save_folders", &Settings::save_folders);
  visit("question", &Settings::question);
  visit("compared", &Settings::compared);
  visit("session_file", &Settings::session_file);
  visit("session_note", &Settings::session_note);
  visit("data_notes", &Settings::data_notes);
  visit("table_columns", &Settings::table_columns);
  visit("table_sort", &Settings::table_sort);
  visit("table_folded", &Settings::table_folded);
}

// Returns false if the node is of another kind.
bool read_value(const toml::node& node, std::string& value) {
  if (!node.is_string()) return false;
  value = *node.value_exact<std::string>();
  return true;
}
bool read_value(const toml::node& node, bool& value) {
  if (!node.is_boolean()) return false;
  value = *node.value_exact<bool>();
  return true;
}
bool read_value(const toml::node& node, double& value) {
  if (!node.is_number()) return false;
  value = *node.value<double>();
  return std::isfinite(value);
}
bool read_value(const toml::node& node, int& value) {
  const auto whole = node.value_exact<std::int64_t>();
  if (!whole || *whole < INT_MIN || *whole > INT_MAX) return false;
  value = static_cast<int>(*whole);
  return true;
}
bool read_value(const toml::node& node, std::vector<std::string>& value) {
  const toml::array* list = node.as_array();
  if (!list) return false;
  value.clear();
  for (const toml::node& item : *list) {
    if (!item.is_string()) return false;
    value.push_back(*item.value_exact<std::string>());
  }
  return true;
}

// Throws Error for a question that cannot be used.
Question question_of(const toml::table& table) {
  const std::string where;
  TableReader reader(table, "question", where);
  Question question = read_question(reader, where);
  reader.finish();
  return question;
}

// Whether the question of this table can be used; then it is `value`.
bool usable(const toml::table& table, Question& value) {
  try {
    value = question_of(table);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Reads what can be used of a question, key by key and, of lists and tables, entry by entry. Returns the names of the
// rest.
std::vector<std::string> read_keys(const toml::table& table, Question& value) {
  std::vector<std::string> wrong;
  toml::table good;
  const auto keep = [&](const toml::key& key, auto&& part) {
    toml::table more = good;
    more.insert_or_assign(key, part);
    if (!usable(more, value)) return false;
    good = std::move(more);
    return true;
  };
  for (const auto& [key, node] : table) {
    if (keep(key, node)) continue;
    const std::string name = fmt::format("question.{}", key.str());
    toml::array list;
    toml::table of_key;
    if (const toml::array* const all = node.as_array())
      for (const toml::node& one : *all) {
        toml::array longer = list;
        longer.push_back(one);
        if (keep(key, longer)) list = std::move(longer);
      }
    if (const toml::table* const all = node.as_table())
      for (const auto& [inner, one] : *all) {
        toml::table larger = of_key;
        larger.insert_or_assign(inner, one);
        if (keep(key, larger))
          of_key = std::move(larger);
        else
          wrong.push_back(fmt::format("{}.{}", name, inner.str()));
      }
    if (!node.is_table()) wrong.push_back(name);
  }
  usable(good, value);
  return wrong;
}

void write_value(toml::table& table, const char* key, const Question& value) {
  table.insert_or_assign(key, question_table(value));
}
template <class Value>
void write_value(toml::table& table, const char* key, const Value& value) {
  table.insert_or_assign(key, value);
}
void write_value(toml::table& table, const char* key, int value) {
  table.insert_or_assign(key, static_cast<std::int64_t>(value));
}
void write_value(toml::table& table, const char* key, const std::vector<std::string>& value) {
  toml::array list;
  for (const std::string& item : value) list.push_back(item);
  table.insert_or_assign(key, std::move(list));
}

// Valid names of devices, as for choose_device.
bool is_device(const std::string& name) {
  if (name == "auto" || name == "cpu" || name == "cuda") return true;
  const std::string number = name.starts_with("cuda:") ? name.substr(5) : "";
  return !number.empty() && number.size() < 4 && number.find_first_not_of("0123456789") == number.npos;
}

// Corrects values that are impossible for a window.
bool in_range(const Settings& s, std::string_view key) {
  if (key == "theme") return s.theme == "dark" || s.theme == "light";
  if (key == "scale") return s.scale == 0 || (s.scale >= 0.5 && s.scale <= 4);
  if (key == "device") return is_device(s.device);
  if (key == "threads") return s.threads >= 0 && s.threads <= 4096;
  if (key == "width") return s.width >= 200 && s.width <= 32768;
  if (key == "height") return s.height >= 200 && s.height <= 32768;
  if (key == "sidebar") return s.sidebar >= 0 && s.sidebar <= 4096;
  if (key == "drawer") return s.drawer >= 0 && s.drawer <= 4096;
  if (key == "file_dialogs") return s.file_dialogs == "desktop" || s.file_dialogs == "own";
  return true;
}

// Throws Error for invalid TOML.
toml::table parse_settings(const fs::path& file) {
  const std::string text = read_file(file, kLargestFile);
  check_toml_guard(text, file.string());
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail(ErrorPlace{file.string(), error.source().begin.line}, "{}", printable(error.description(), 200));
  }
}

fs::path aside(const fs::path& file) {
  return file.string() + ".bad";
}

// Makes a copy for the user to repair; its failure is not an error. A file too large to be settings, of which nothing
// is read, is moved: a copy might fill the disk.
bool keep_aside(const fs::path& file) {
  std::error_code error;
  if (fs::is_regular_file(file, error) && fs::file_size(file, error) > kLargestFile) {
    fs::rename(file, aside(file), error);
    return !error;
  }
  fs::copy_file(file, aside(file), fs::copy_options::overwrite_existing, error);
  return !error;
}

std::string aside_text(const fs::path& file, bool kept) {
  return kept ? fmt::format("; the file is kept as {}", aside(file).filename().string()) : "";
}

}  // namespace

bool Settings::dismissed_before(const std::string& notice) const {
  return std::find(dismissed.begin(), dismissed.end(), notice) != dismissed.end();
}

void Settings::dismiss(const std::string& notice) {
  if (!dismissed_before(notice)) dismissed.push_back(notice);
}

void Settings::remember_file(const fs::path& file) {
  std::error_code error;
  fs::path whole = fs::absolute(file, error).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  const std::string name = whole.string();
  if (error || name != printable(name, name.size())) return;  // the settings can only store UTF-8
  std::erase(recent_files, name);
  recent_files.insert(recent_files.begin(), name);
  if (recent_files.size() > kMostRecent) recent_files.resize(kMostRecent);
}

void Settings::remember_saved(const fs::path& file, const std::string& task, const fs::path& run) {
  std::error_code error;
  const fs::path folder = fs::absolute(file, error).lexically_normal().parent_path();
  if (error || folder.string() != printable(folder.string(), folder.string().size())) return;
  save_folder = folder.string();
  remember_file(folder);
  if (task.empty()) return;
  std::erase_if(save_folders, [&](const std::string& one) { return one.starts_with(task + "="); });
  const bool own = !run.empty() && fs::absolute(run, error).lexically_normal() == folder;
  if (!own) save_folders.push_back(task + "=" + folder.string());
}

std::string Settings::chosen_save_folder(const std::string& task) const {
  for (const std::string& one : save_folders)
    if (!task.empty() && one.starts_with(task + "=")) return one.substr(task.size() + 1);
  return "";
}

SettingsFile::SettingsFile(fs::path file) : file_(std::move(file)) {}

fs::path SettingsFile::settings_path() {
  return fs::path("/") / xdg_folder("XDG_CONFIG_HOME", ".config") / "pairs-studio" / "settings.toml";
}

Settings SettingsFile::load() {
  problem_.clear();
  damaged_ = false;
  known_ = {};
  std::error_code error;
  if (fs::status(file_, error).type() == fs::file_type::not_found) return known_;
  toml::table table;
  try {
    table = parse_settings(file_);
  } catch (const std::exception& problem) {
    damaged_ = true;
    problem_ = fmt::format("The settings cannot be read, so the defaults apply ({}){}", sentence(problem),
                           aside_text(file_, keep_aside(file_)));
    return known_;
  }
  std::vector<std::string> wrong;
  visit_settings([&](const char* key, auto member) {
    const toml::node* node = table.get(key);
    if (!node) return;
    auto& value = known_.*member;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Question>)
      if (const toml::table* const question = node->as_table()) {
        for (std::string& one : read_keys(*question, value)) wrong.push_back(std::move(one));
        return;
      }
    const auto before = value;
    if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, Question>)
      if (read_value(*node, value) && in_range(known_, key)) return;
    value = before;
    wrong.emplace_back(key);
  });
  if (!wrong.empty()) {
    damaged_ = true;
    problem_ =
        fmt::format("In the settings {}, {} cannot be used and {} default{}", file_.string(), fmt::join(wrong, ", "),
                    wrong.size() == 1 ? "has its" : "have their", aside_text(file_, keep_aside(file_)));
  }
  return known_;
}

void SettingsFile::save(const Settings& settings) {
  if (!damaged_ && settings == known_) return;
  problem_.clear();
  try {
    toml::table table;
    std::error_code error;
    bool all = damaged_;
    if (fs::status(file_, error).type() != fs::file_type::not_found) {
      try {
        table = parse_settings(file_);
      } catch (const std::exception&) {
        if (!damaged_) keep_aside(file_);
        all = true;
      }
    }
    visit_settings([&](const char* key, auto member) {
      if (all || settings.*member != known_.*member) write_value(table, key, settings.*member);
    });
    std::ostringstream text;
    text << table << '\n';
    PAIRS_CHECK(toml::parse(text.str()) == table, "a folder or name in them is not UTF-8; choose another");
    fs::create_directories(file_.parent_path(), error);
    write_file(file_, text.str());
    known_ = settings;
    damaged_ = false;
  } catch (const std::exception& problem) {
    problem_ = fmt::format("The settings cannot be saved: {}", sentence(problem));
  }
}

fs::path default_runs_folder(const fs::path& current, bool terminal) {
  std::error_code error;
  const bool own = terminal && !current.empty() && current != current.root_path() &&
                   !fs::equivalent(current, home_folder(), error) && ::access(current.c_str(), W_OK) == 0;
  return own ? current / "runs" : fs::path("/") / xdg_folder("XDG_DATA_HOME", ".local/share") / "pairs-studio" / "runs";
}

fs::path default_runs_folder() {
  std::error_code error;
  return default_runs_folder(fs::current_path(error), ::isatty(STDIN_FILENO) == 1);
}

}  // namespace pairs::model
