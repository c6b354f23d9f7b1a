#include "app/model/train/study_form.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "app/runs/places.h"
#include "app/studies/study_figures.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/base/threads.h"
#include "core/train/run_name.h"

extern char** environ;

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
    const bool single = one.kind == SettingKind::number || one.kind == SettingKind::choice;
    if (single && one.key != "seed" && !is_of_machine(one.key) && !one.key.starts_with("evaluate."))
      choices_.push_back({one.key, one.matters ? fmt::format("{} ({})", one.title, one.key) : one.key});
    if (one.changed && one.key != "seed" && !is_of_machine(one.key) && one.key != "note")
      set_.emplace_back(one.key, one.value);
  }
}

std::string StudyForm::text() const {
  std::vector<std::string> chosen, figures = {"scores", "differences", "acauc"};
  for (const Strategy& one : pairs::strategies())
    if (strategies.contains(one.name)) chosen.push_back(one.name);
  std::vector<std::string> numbers;
  for (std::int64_t seed = 1; seed <= seeds; ++seed) numbers.push_back(std::to_string(seed));
  std::string text = fmt::format("title = {}\ntasks = {}\nstrategies = {}\nseeds = [{}]\npresets = {}\n",
                                 quoted(fmt::format("{}: {}", title_, name)), quoted_list({task_}), quoted_list(chosen),
                                 fmt::join(numbers, ", "), quoted_list({preset_}));
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

void StudyForm::start() const {
  fs::create_directories(folder());
  const fs::path file = folder() / (name + ".toml");
  write_file(file, text());
  start_study(program_, file, folder(), processes, data_folder_);
}

void start_study(const fs::path& program, const fs::path& file, const fs::path& folder, std::int64_t processes,
                 const std::string& data_folder) {
  std::vector<std::string> words = {program.string(), "--batch",       "study",  file.string(),
                                    "--out",          folder.string(), "--jobs", std::to_string(processes)};
  if (!data_folder.empty()) words.insert(words.end(), {"--data", data_folder});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  fs::create_directories(folder / "workers");
  const std::string log = (folder / "workers" / "window.log").string();
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t process = 0;
  const int failed = ::posix_spawn(&process, program.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  PAIRS_CHECK(failed == 0, "The study cannot be started: {}: {}", printable(program.string(), 300),
              std::strerror(failed));
}

}  // namespace pairs::model
