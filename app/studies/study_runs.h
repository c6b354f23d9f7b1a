#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/runs/new_run.h"
#include "app/studies/study.h"

namespace pairs {

// A run of a study.
struct StudyRun {
  std::string name;  // of its folder: "circle-pairs-size16-s1"
  NewRun wanted;     // the equivalent user's request
  RunConfig config;
  std::vector<std::string> varied = {};  // "key=value" of varied settings that this run reads
  bool trained = true;                   // false: only its cost is reported
  // Runs with equal keys share stage 1, or stages 1 and 2 (core/train/run/stage_sharing.h).
  std::string first_stage, second_stage;
};

// The last word of a varied setting's key, "size" for "embedder.size"; the whole key if another one of `varied`
// ("key=value") ends in the same word.
std::string short_key(const std::string& key, const std::vector<std::string>& varied);

// How to make the runs of a study, in addition to its file.
struct StudyOptions {
  std::string data, device;
  // For other studies whose runs are read: presets that replace theirs, and settings that override their files'.
  std::vector<std::string> presets = {}, set = {};
  // Opens the task in a file and returns its name.
  std::function<std::string(const std::string& file)> open_task;
};

// All runs of a study, in the order of its file. A setting applies to the runs that read it; a setting that none reads
// is an error, and runs that would differ only in a setting that neither reads are merged. Throws a usage error.
std::vector<StudyRun> study_runs(const Tasks& tasks, const Study& study, const StudyOptions& options);

}  // namespace pairs
