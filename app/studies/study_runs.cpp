#include "app/studies/study_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "app/runs/places.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/run/stage_sharing.h"
#include "core/train/settings/unread.h"

namespace pairs {
namespace {

constexpr std::size_t kMostRuns = 20000;

// "[1, 2]" -> "1-2": fit for a folder's name.
std::string name_word(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (kept)
      word += c;
    else if (!word.empty() && word.back() != '-')
      word += '-';
  }
  while (!word.empty() && word.back() == '-') word.pop_back();
  return word;
}

// Every combination of one value per sweep, the last sweep changing fastest.
std::vector<std::vector<std::string>> combinations(const std::vector<Sweep>& vary) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const Sweep& sweep : vary) {
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& one : all)
      for (const std::string& value : sweep.values) {
        longer.push_back(one);
        longer.back().push_back(sweep.key + "=" + value);
      }
    all = std::move(longer);
  }
  return all;
}

std::string identity(const RunConfig& config, Stage stage) {
  const std::string text = config.data + "\n" + config.task_file + "\n" + deciding_settings(config, stage);
  return fmt::format("{:08x}{:08x}", checksum(text), checksum(text + "."));
}

class Expansion {
 public:
  Expansion(const Tasks& tasks, const Study& study, const StudyOptions& options)
      : tasks_(tasks), study_(study), options_(options) {}

  std::vector<StudyRun> all() {
    for (const StudyPart& part : study_.parts)
      for (const StudyRuns& runs : part.runs)
        for (const std::string& task : runs.tasks) add_task(part.preset, runs, task);
    for (const auto& [key, read] : read_)
      if (!read) fail_usage("{}: no run of this study reads {}; remove it", study_.file.string(), key);
    return std::move(runs_);
  }

 private:
  void add_task(const std::string& preset, const StudyRuns& runs, const std::string& task) {
    const std::string name = task.ends_with(".toml") ? options_.open_task(task) : task;
    const TaskInfo& info = task_info(name);
    std::vector<std::string> strategies = runs.strategies;
    strategies.insert(strategies.end(), runs.planned.begin(), runs.planned.end());
    const auto choices = combinations(runs.vary);
    for (std::size_t k = 0; k < strategies.size(); ++k)
      for (const std::vector<std::string>& choice : choices) {
        std::optional<StudyRun> first;  // first of the seeds, which differ in nothing else
        for (const std::int64_t seed : runs.seeds)
          add({info, preset, runs, strategies[k], choice, seed, k < runs.strategies.size()}, first);
      }
  }

  struct Place {
    const TaskInfo& info;
    const std::string& preset;
    const StudyRuns& runs;
    const std::string& strategy;
    const std::vector<std::string>& choice;
    std::int64_t seed;
    bool trained;
  };

  // A run without the effects of its seed.
  StudyRun run_of(const Place& place) {
    StudyRun run;
    run.wanted.task = place.info.name;
    run.wanted.preset = place.preset;
    run.wanted.strategy = place.strategy;
    run.wanted.device = options_.device;
    run.wanted.data = options_.data;
    run.wanted.seed = place.seed;
    run.wanted.set = read_by(place);
    run.trained = place.trained;
    run.config = made(run.wanted);
    if (run.config.note.empty()) run.config.note = study_.title;
    for (const std::string& one : place.choice)
      if (std::find(run.wanted.set.begin(), run.wanted.set.end(), one) != run.wanted.set.end())
        run.varied.push_back(one);
    return run;
  }

  void add(const Place& place, std::optional<StudyRun>& first) {
    constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;
    if (!first || place.seed < 0 || place.seed > kLargestSeed) first = run_of(place);  // throws for such a seed
    StudyRun run = *first;
    run.wanted.seed = place.seed;
    if (place.seed >= 0) run.config.seed = place.seed;
    run.name = name_of(place, run.varied);
    run.first_stage = identity(run.config, Stage::pretrain);
    run.second_stage = identity(run.config, Stage::cache);
    const auto known = places_.find(run.name);
    if (known == places_.end()) {
      places_[run.name] = runs_.size();
      runs_.push_back(std::move(run));
      if (runs_.size() > kMostRuns)
        fail_usage("{}: it makes more than {} runs; divide it", study_.file.string(), kMostRuns);
      return;
    }
    StudyRun& other = runs_[known->second];
    if (identity(other.config, Stage::finetune) != identity(run.config, Stage::finetune))
      fail_usage("{}: two of its [[runs]] make different runs called {}; give one of them a 'name'",
                 study_.file.string(), run.name);
    other.trained |= run.trained;
  }

  RunConfig made(const NewRun& wanted) const {
    try {
      return resolve(tasks_, wanted);
    } catch (const Error& error) {
      throw prefixed(study_.file.string(), error);
    }
  }

  // The assignments that this run reads.
  std::vector<std::string> read_by(const Place& place) {
    std::vector<std::string> all = place.runs.set;
    all.insert(all.end(), place.choice.begin(), place.choice.end());
    for (const std::string& one : all)
      for (const auto& [key, instead] :
           {std::pair("seed", "seeds"), std::pair("strategy", "strategies"), std::pair("preset", "presets")})
        if (assigned_key(one) == key)
          fail_usage("{}: {} is no setting of a study; write '{}' in its file", study_.file.string(), key, instead);
    std::vector<std::string> read;
    try {
      // The settings in use depend on the targets, too: presets have others for several targets.
      const RunConfig base =
          preset_values(tasks_, with_own_choices(tasks_, place.info, all), place.preset, place.strategy);
      read = read_assignments(base, all);
    } catch (const Error& error) {
      throw prefixed(study_.file.string(), error);
    }
    for (const std::string& one : all)
      read_[assigned_key(one)] |= std::find(read.begin(), read.end(), one) != read.end();
    return read;
  }

  std::string name_of(const Place& place, const std::vector<std::string>& varied) const {
    std::vector<std::string> words;
    if (!place.runs.name.empty()) words.push_back(place.runs.name);
    words.push_back(place.info.name);
    if (study_.parts.size() > 1) words.push_back(place.preset);
    words.push_back(place.strategy);
    for (const std::string& one : varied) {
      const std::string key = assigned_key(one);
      words.push_back(name_word(short_key(key, varied)) + name_word(one.substr(key.size() + 1)));
    }
    words.push_back(fmt::format("s{}", place.seed));
    return fmt::format("{}", fmt::join(words, "-"));
  }

  const TaskInfo& task_info(const std::string& name) {
    auto known = infos_.find(name);
    if (known == infos_.end()) {
      TaskOptions options;
      options.data = data_folder(options_.data);
      known = infos_.emplace(name, tasks_->make(name, options)->info()).first;
    }
    return known->second;
  }

  const Tasks& tasks_;
  const Study& study_;
  const StudyOptions& options_;
  std::vector<StudyRun> runs_;
  std::map<std::string, std::size_t> places_;  // by name
  std::map<std::string, TaskInfo> infos_;
  std::map<std::string, bool> read_;  // for each setting, whether a run reads it
};

}  // namespace

std::string short_key(const std::string& key, const std::vector<std::string>& varied) {
  const auto last = [](const std::string& one) { return one.substr(one.rfind('.') + 1); };
  const auto same = std::count_if(varied.begin(), varied.end(),
                                  [&](const std::string& one) { return last(assigned_key(one)) == last(key); });
  return same > 1 ? key : last(key);
}

std::vector<StudyRun> study_runs(const Tasks& tasks, const Study& study, const StudyOptions& options) {
  return Expansion(tasks, study, options).all();
}

}  // namespace pairs
