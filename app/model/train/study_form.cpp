#include "app/model/train/study_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "app/model/train/swept_values.h"
#include "app/runs/places.h"
#include "app/studies/study_figures.h"
#include "app/studies/study_worker.h"
#include "core/base/files/files.h"
#include "core/base/system/child_process.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/base/threads/threads.h"
#include "core/train/run/run_name.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

// A text in TOML's quotes, which are those of JSON.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const std::string& word : words) all.push_back(quoted(word));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

constexpr const char* kProcesses = "processes";  // in the folder of the study's workers
constexpr std::int64_t kMostSeeds = 100, kMostProcesses = 64;

// Whether the word is also a number in TOML, which excludes "007", ".5" and "5.".
bool is_toml_number(const std::string& word) {
  const auto digit = [&](std::size_t at) { return at < word.size() && word[at] >= '0' && word[at] <= '9'; };
  const std::size_t first = word.starts_with('-') ? 1 : 0, point = word.find('.');
  if (!is_number(word) || !digit(first) || (word[first] == '0' && digit(first + 1))) return false;
  return point == word.npos || digit(point + 1);
}

// A list of numbers, or of texts if any of them is not a number.
std::string toml_list(const std::vector<std::string>& words) {
  return std::ranges::all_of(words, is_toml_number) ? fmt::format("[{}]", fmt::join(words, ", ")) : quoted_list(words);
}

// The value of a setting's row for a study file.
std::string toml_value(const Setting& setting) {
  if (setting.kind == SettingKind::yes_no) return setting.value;
  if (setting.kind == SettingKind::number && is_toml_number(setting.value)) return setting.value;
  if (setting.kind == SettingKind::numbers) return toml_list(comma_separated(setting.value));
  return quoted(setting.value);
}

// The whole number in the text, 0 if it is none.
std::int64_t whole_number(const std::string& text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? value : 0;
}

// An error without the name of the study's file, which does not exist yet.
std::string without_file(const std::string& error, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!error.starts_with(name)) continue;
    const std::size_t end = error.find(": ", name.size());
    if (end == error.npos) continue;
    std::string text = error.substr(end + 2);
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
  }
  return error;
}

}  // namespace

StudyForm::StudyForm(Catalog tasks, const Draft& draft, fs::path runs_folder, std::string data_folder, fs::path program)
    : tasks_(std::move(tasks)),
      runs_folder_(std::move(runs_folder)),
      program_(std::move(program)),
      data_folder_(std::move(data_folder)),
      task_(draft.task()),
      preset_(draft.preset()) {
  const TaskInfo info = tasks_->make(task_)->info();
  title_ = info.title;
  if (!info.file.empty()) task_ = info.file;
  name = new_run_name(info.name + "-study", runs_folder_);
  processes = std::to_string(std::min<std::int64_t>(usable_cores(), 4));
  for (const Setting& one : draft.swept()) {
    swept_.push_back(one.key);
    varied.push_back({one.key, fmt::format("{}", fmt::join(swept_values(one), ", "))});
  }
  if (!swept_.empty()) {
    strategies = {draft.strategy()};
    seeds = "1";
    first_seed = draft.config().seed;
  }
  for (const Setting& one : draft.settings()) {
    if (can_be_varied(one))
      choices_.push_back({one.key, one.matters ? fmt::format("{} ({})", one.title, one.key) : one.key});
    const bool swept = std::ranges::count(swept_, one.key) > 0;
    if (one.changed && one.key != "seed" && !is_of_machine(one.key) && one.key != "note" && !swept)
      set_.emplace_back(one.key, toml_value(one));
  }
}

std::int64_t StudyForm::seed_count() const {
  return whole_number(seeds);
}
std::int64_t StudyForm::process_count() const {
  return whole_number(processes);
}

std::string StudyForm::title_of(const std::string& key) const {
  for (const Choice& one : choices_)
    if (one.key == key) return one.title;
  return key;
}

std::string StudyForm::text() const {
  return fmt::format("title = {}\n", quoted(fmt::format("{}: {}", title_, name))) + body();
}

std::string StudyForm::body() const {
  std::vector<std::string> chosen, figures = {"scores", "differences", "acauc"};
  for (const Strategy& one : pairs::strategies())
    if (strategies.contains(one.name)) chosen.push_back(one.name);
  std::vector<std::string> numbers;
  for (std::int64_t k = 0; k < std::min(seed_count(), kMostSeeds); ++k)
    numbers.push_back(std::to_string(first_seed + k));
  std::string text = fmt::format("tasks = {}\nstrategies = {}\nseeds = [{}]\npresets = {}\n", quoted_list({task_}),
                                 quoted_list(chosen), fmt::join(numbers, ", "), quoted_list({preset_}));
  if (!varied.empty()) figures.push_back("sweep");
  if (chosen.size() > 1) figures.push_back("pareto");
  text += fmt::format("figures = {}\n", quoted_list(figures));
  std::string set, vary;
  for (const Varied& one : varied) vary += fmt::format("{} = {}\n", one.key, toml_list(comma_separated(one.values)));
  for (const auto& [key, value] : set_)
    if (std::ranges::none_of(varied, [&](const Varied& one) { return one.key == key; }))
      set += fmt::format("{} = {}\n", key, value);
  if (!set.empty()) text += "\n[set]\n" + set;
  if (!vary.empty()) text += "\n[vary]\n" + vary;
  return text;
}

// The problem with the values of the varied settings; "" if there is none.
std::string StudyForm::wrong_values() const {
  for (auto at = varied.begin(); at != varied.end(); ++at) {
    const std::vector<std::string> values = comma_separated(at->values);
    if (std::any_of(varied.begin(), at, [&](const Varied& one) { return one.key == at->key; }))
      return fmt::format("{} is varied twice; choose another setting", title_of(at->key));
    if (values.empty())
      return fmt::format("Write the values of {} that are tried, separated by commas", title_of(at->key));
    if (const std::string twice = value_given_twice(values); !twice.empty())
      return fmt::format("{}: {} appears twice; give each value once", title_of(at->key), twice);
  }
  return "";
}

std::string StudyForm::problem_now() {
  runs_.clear();
  if (strategies.empty()) return "Select a strategy";
  if (seed_count() < 1 || seed_count() > kMostSeeds) return fmt::format("Seeds: take from 1 to {}", kMostSeeds);
  if (process_count() < 1 || process_count() > kMostProcesses)
    return fmt::format("Processes: take from 1 to {}", kMostProcesses);
  if (std::string wrong = wrong_values(); !wrong.empty()) return wrong;
  if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != name.npos)
    return "The name must hold lower-case letters, digits and hyphens alone";
  if (std::error_code error; fs::exists(folder(), error))
    return fmt::format("{} is there already; choose another name", printable(folder().string(), 300));
  try {
    StudyOptions options;
    options.data = data_folder_;
    options.open_task = [&](const std::string& file) { return tasks_->open(file); };
    runs_ = study_runs(tasks_, parse_study(text(), name + ".toml"), options);
  } catch (const std::exception& error) {
    return without_file(sentence(error), {fs::absolute(name + ".toml").lexically_normal().string(), name + ".toml"});
  }
  return "";
}

const std::string& StudyForm::problem() {
  std::string now = fmt::format("{}\n{}\n{}", folder().string(), processes, text());
  if (now != checked_) {
    problem_ = problem_now();
    checked_ = std::move(now);
  }
  return problem_;
}

void StudyForm::write() const {
  fs::create_directories(folder());
  write_file(file(), text());
}

pid_t StudyForm::start() const {
  write();
  return start_study(program_, file(), folder(), process_count(), data_folder_);
}

pid_t start_study(const fs::path& program, const fs::path& file, const fs::path& folder, std::int64_t processes,
                  const std::string& data_folder) {
  std::vector<std::string> words = {program.string(), "--batch",       "study",  file.string(),
                                    "--out",          folder.string(), "--jobs", std::to_string(processes)};
  if (!data_folder.empty()) words.insert(words.end(), {"--data", data_folder});
  fs::create_directories(workers_folder(folder));
  write_file(workers_folder(folder) / kProcesses, fmt::format("{}\n", processes));
  return start_detached(words, log_of_study(folder));
}

fs::path log_of_study(const fs::path& folder) {
  return workers_folder(folder) / "window.log";
}

std::int64_t processes_of_study(const fs::path& folder) {
  try {
    const std::string text = read_file(workers_folder(folder) / kProcesses, 100);
    return std::clamp<std::int64_t>(whole_number(text.substr(0, text.find('\n'))), 1, kMostProcesses);
  } catch (const Error&) {
    return 1;
  }
}

}  // namespace pairs::model
