#include "app/model/train/study_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "app/runs/places.h"
#include "app/studies/study_figures.h"
#include "app/studies/study_worker.h"
#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/train/run_name.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

// A text in TOML's quotes, which are JSON's.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const std::string& word : words) all.push_back(quoted(word));
  return fmt::format("[{}]", fmt::join(all, ", "));
}

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t first = text.find_first_not_of(" \t", begin);
    if (first < end) words.push_back(text.substr(first, text.find_last_not_of(" \t", end - 1) - first + 1));
    begin = end + 1;
  }
  return words;
}

bool is_of_machine(const std::string& key) {
  return key == "device" || key == "threads" || key == "data";
}

bool can_be_varied(const Setting& setting) {
  const bool single = setting.kind == SettingKind::number || setting.kind == SettingKind::choice;
  return single && setting.key != "seed" && !is_of_machine(setting.key) && !setting.key.starts_with("evaluate.");
}

bool is_number(const std::string& word) {
  double value = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
  return read.ec == std::errc() && read.ptr == word.data() + word.size();
}

}  // namespace

StudyForm::StudyForm(Catalogue tasks, const Draft& draft, fs::path runs_folder, std::string data_folder,
                     fs::path program)
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
  processes = std::min<std::int64_t>(usable_cores(), 4);
  for (const Setting& one : draft.settings()) {
    if (can_be_varied(one))
      choices_.push_back({one.key, one.matters ? fmt::format("{} ({})", one.title, one.key) : one.key});
    if (one.changed && one.key != "seed" && !is_of_machine(one.key) && one.key != "note")
      set_.emplace_back(one.key, one.value);
  }
}

std::string StudyForm::text() const {
  return fmt::format("title = {}\n", quoted(fmt::format("{}: {}", title_, name))) + body();
}

std::string StudyForm::body() const {
  std::vector<std::string> chosen, figures = {"scores", "differences", "acauc"};
  for (const Strategy& one : pairs::strategies())
    if (strategies.contains(one.name)) chosen.push_back(one.name);
  std::vector<std::string> numbers;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) numbers.push_back(std::to_string(seed));
  std::string text = fmt::format("tasks = {}\nstrategies = {}\nseeds = [{}]\npresets = {}\n", quoted_list({task_}),
                                 quoted_list(chosen), fmt::join(numbers, ", "), quoted_list({preset_}));
  if (!key.empty()) figures.push_back("sweep");
  if (chosen.size() > 1) figures.push_back("pareto");
  text += fmt::format("figures = {}\n", quoted_list(figures));
  std::string set;
  for (const auto& [one, value] : set_)
    if (one != key) set += fmt::format("{} = {}\n", one, quoted(value));
  if (!set.empty()) text += "\n[set]\n" + set;
  if (!key.empty()) text += fmt::format("\n[vary]\n{} = {}\n", key, quoted_list(comma_separated(values)));
  return text;
}

std::string StudyForm::problem_now() {
  runs_.clear();
  if (strategies.empty()) return "Choose a strategy";
  if (seeds < 1 || seeds > 100) return "Take from 1 to 100 seeds";
  if (processes < 1 || processes > 64) return "Take from 1 to 64 processes";
  if (!key.empty() && comma_separated(values).empty())
    return fmt::format("Write the values of {} that are tried, with commas between them", key);
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
    return sentence(error);
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

void StudyForm::start() const {
  write();
  start_study(program_, file(), folder(), processes, data_folder_);
}

std::vector<std::string> swept_values(const Setting& setting) {
  if (setting.kind != SettingKind::number || !can_be_varied(setting)) return {};
  std::vector<std::string> values = comma_separated(setting.value);
  const bool numbers = std::all_of(values.begin(), values.end(), is_number);
  return numbers && values.size() > 1 ? values : std::vector<std::string>();
}

void start_study(const fs::path& program, const fs::path& file, const fs::path& folder, std::int64_t processes,
                 const std::string& data_folder) {
  std::vector<std::string> words = {program.string(), "--batch",       "study",  file.string(),
                                    "--out",          folder.string(), "--jobs", std::to_string(processes)};
  if (!data_folder.empty()) words.insert(words.end(), {"--data", data_folder});
  fs::create_directories(workers_folder(folder));
  start_detached(words, workers_folder(folder) / "window.log");
}

}  // namespace pairs::model
